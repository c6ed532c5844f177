import re

from hypothesis import given, strategies as st

from unabridged.wire.stream_lines import Frames, data_of

lines = st.sampled_from(
    ["data: {}", "data:x", "data: ", ": ping", "event: e", "data: a b", "id: 1", "data: é"]
)
ends = st.sampled_from(["\n", "\r\n"])
frames = st.lists(st.tuples(st.lists(lines, min_size=1, max_size=3), ends), max_size=5)


def plain(text):
    """The data of each frame, read line by line as the WHATWG format says."""
    found = []
    for frame in re.split(r"\r\n\r\n|\n\n", text):
        told = [
            line[5:].removeprefix(" ")
            for line in re.split(r"\r\n|\n", frame)
            if line[:5] == "data:"
        ]
        if frame.strip():
            found.append("\n".join(told))
    return found


def test_no_byte_is_lost_where_nothing_stands_between_two_ends():
    data = b"data: a\n\n\n\ndata: b\n\n"
    got = list(Frames().feed(data))
    assert b"".join(got) == data
    assert [data_of(frame) for frame in got] == [b"a", b"", b"b"]


@given(frames, st.lists(st.integers(min_value=1, max_value=9), max_size=12))
def test_frames_hold_what_came_however_it_was_cut(made, cuts):
    text = "".join(end.join(said) + end + end for said, end in made)
    data, splitter, got = text.encode(), Frames(), []
    for size in (*cuts, len(data)):
        got += splitter.feed(data[:size])
        data = data[size:]
    got += splitter.end()
    assert b"".join(got) == text.encode()
    assert [data_of(frame).decode() for frame in got] == plain(text)
