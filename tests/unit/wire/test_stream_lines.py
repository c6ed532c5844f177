import json
from itertools import pairwise

import pytest
from hypothesis import given, strategies as st

from unabridged.errors import UpstreamBrokenError
from unabridged.wire.stream_lines import Events, Lines, decode, encode

json_text = st.text(st.characters(exclude_categories=("Cs",)), max_size=20)
objects = st.dictionaries(json_text, json_text, max_size=3)


def pieces(data: bytes, cuts: list[int]) -> list[bytes]:
    places = sorted({cut % (len(data) + 1) for cut in cuts})
    edges = [0, *places, len(data)]
    return [data[a:b] for a, b in pairwise(edges)]


@given(st.lists(objects, max_size=5), st.lists(st.integers(0, 10_000), max_size=12), st.booleans())
def test_lines_come_whole_however_they_are_cut(values, cuts, last_break):
    data = b"\n".join(json.dumps(v, ensure_ascii=False).encode() for v in values)
    data += b"\n" if last_break else b""
    lines = Lines()
    got = [line for piece in pieces(data, cuts) for line in lines.feed(piece)]
    got += lines.end()
    assert [decode(line) for line in got] == values


@given(
    st.lists(objects, max_size=5),
    st.lists(st.integers(0, 10_000), max_size=12),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.booleans(),
)
def test_events_come_whole_however_they_are_cut(values, cuts, end, comments):
    text = ""
    for value in values:
        text += f": alive{end}{end}" if comments else ""
        text += f"event: message{end}id: 7{end}data: {json.dumps(value)}{end}{end}"
    events = Events()
    got = [data for piece in pieces(text.encode(), cuts) for data in events.feed(piece)]
    got += events.end()
    assert [decode(data) for data in got] == values


def test_an_event_of_several_data_lines_is_joined_and_a_missing_end_is_no_loss():
    events = Events()
    assert list(events.feed(b"data: {\ndata:}\n\ndata: last")) == ["{\n}"]
    assert list(events.end()) == ["last"]
    assert list(events.end()) == []


def test_separators_of_text_do_not_split_json():
    line = json.dumps({"a": "x\u2028y\x85z"}, ensure_ascii=False).encode()
    assert [decode(each) for each in Lines().feed(line + b"\n")] == [{"a": "x\u2028y\x85z"}]


@pytest.mark.parametrize("line", ["", "{", "<html>", "[1]", "3", b"\xff\xfe"])
def test_what_is_no_object_is_a_broken_answer(line):
    with pytest.raises(UpstreamBrokenError) as caught:
        decode(line)
    assert caught.value.hint


def test_lone_surrogates_are_replaced_and_everything_else_stays():
    data = encode({"text": "a\ud800b\udfff 🌊 \x00"})
    assert json.loads(data) == {"text": "a\ufffdb\ufffd 🌊 \x00"}
