import gzip
import io
import lzma

import pytest

from unabridged.errors import SettingError, TransferError, UnknownFormatError
from unabridged.transfer.detect_format import open_file
from unabridged.transfer.foreign_format import Format, signs
from unabridged.transfer.formats.table import FORMATS
from unabridged.transfer.input_file import MEBIBYTE, InputLimits

LINE = b'{"role": "user", "content": "hello"}\n'


class Pipe(io.RawIOBase):
    """A stream that gives little at a time and cannot go back."""

    def __init__(self, data):
        super().__init__()
        self._data = io.BytesIO(data)

    def readable(self):
        return True

    def read(self, size=-1):
        return self._data.read(min(size, 1000))


@pytest.mark.parametrize(
    ("data", "seen"),
    [
        (b"", "empty"),
        (b"\xef\xbb\xbf \r\n", "empty"),
        (b"[]", "begins with '\\[\\]'"),
        (b"{}", "begins with"),
        (b"Dear diary", "begins with 'Dear diary'"),
        (b'{"a": 1}\n{"b": 2}\n', "begins with"),
        ('{"role": "user"}'.encode("utf-16"), "not UTF-8"),
        (b"MZ\x00\x10\x00", "not UTF-8"),
        (b"\xfd7zXZ\x00damaged", "breaks off or is damaged"),
    ],
)
def test_what_is_unknown_is_told_with_what_was_seen_and_what_is_known(read, data, seen):
    with pytest.raises(UnknownFormatError, match=seen) as raised:
        read(data)
    assert "ChatGPT account export (chatgpt)" in raised.value.hint


def test_a_format_from_outside_is_read_without_the_table_knowing_it(read):
    lines = b'{"whisper": "hello"}\n'
    kept = []

    def whispers(records):
        kept.extend(record.value["whisper"] for record in records)
        return iter(())

    outside = Format("whispers", "Whispers", signs("whisper"), whispers)
    with pytest.raises(UnknownFormatError):
        read(lines)
    with pytest.raises(SettingError, match="whispers"):
        read(lines, format="whispers")
    for options in ({}, {"format": "whispers"}):
        assert read(lines, formats=(outside, *FORMATS), **options).format == "whispers"
    assert kept == ["hello", "hello"]
    assert read(LINE, formats=(outside, *FORMATS)).format == "jsonl"
    with pytest.raises(UnknownFormatError) as raised:
        read(b"", formats=(outside,))
    assert "Whispers (whispers)" in raised.value.hint


def test_a_format_that_does_not_exist_is_a_setting_error():
    with pytest.raises(SettingError, match="'pdf'"):
        open_file(io.BytesIO(LINE), format="pdf")


@pytest.mark.parametrize("path", ["missing.json", ".", "a\0b"])
def test_a_path_that_cannot_be_opened_is_a_typed_error(tmp_path, path):
    with pytest.raises(TransferError) as raised:
        open_file(f"{tmp_path}/{path}")
    assert raised.value.hint


def test_the_name_does_not_matter(read, tmp_path):
    path = tmp_path / "holiday.jpg"
    path.write_bytes(LINE)
    assert read(path).texts == [["hello"]]


@pytest.mark.parametrize("pack", [lzma.compress, gzip.compress])
def test_packed_files_are_read(read, pack):
    assert read(pack(LINE)).texts == [["hello"]]


@pytest.mark.slow
@pytest.mark.parametrize("pack", [lzma.compress, gzip.compress])
def test_a_packed_file_that_breaks_off_is_told(read, pack):
    data = pack(b"".join(LINE.replace(b"hello", b"%032x" % (n**9)) for n in range(50_000)))
    got = read(data[: len(data) // 2])
    assert sum(len(c.exchanges) for c in got.conversations) > 1000
    assert "breaks off" in got.reasons[-1]


def test_a_pipe_is_read_and_left_open(read, fixtures):
    data = (fixtures / "own-haystack.jsonl").read_bytes()
    pipe = Pipe(data)
    with open_file(pipe) as reader:
        assert sum(1 for _ in reader) == 12
        assert (reader.progress.total, reader.progress.share) == (None, None)
        assert reader.progress.read == len(data)
    assert not pipe.closed


def test_progress_tells_bytes_and_conversations(fixtures):
    path = fixtures / "own-haystack.jsonl"
    with open_file(path) as reader:
        assert reader.progress.total == path.stat().st_size
        assert list(reader)
        assert reader.progress.share == 1.0
        assert (reader.progress.conversations, reader.progress.unread) == (12, 0)


def test_a_bomb_is_refused(read):
    bomb = lzma.compress(LINE + b" " * (80 * MEBIBYTE), preset=0)
    with pytest.raises(TransferError, match="MiB"):
        read(bomb)


def test_more_than_may_be_unpacked_is_refused(read):
    with pytest.raises(TransferError, match="MiB"):
        read(gzip.compress(LINE * 100_000), limits=InputLimits(unpacked=MEBIBYTE))


def test_a_huge_line_is_told_and_passed_over(read):
    data = LINE + LINE.replace(b"hello", b"x" * MEBIBYTE) + LINE
    got = read(data, limits=InputLimits(record=MEBIBYTE // 2))
    assert got.texts == [["hello", "hello"]]
    assert [item.where for item in got.unread] == ["line 2"]


def test_a_huge_conversation_ends_the_reading_with_a_reason(read):
    data = b'[{"chat_messages": [], "uuid": "' + b"x" * 4 * MEBIBYTE + b'"}]'
    got = read(data, limits=InputLimits(record=MEBIBYTE))
    assert "longer than" in got.reasons[-1]


def test_a_conversation_of_many_megabytes_is_read(read):
    text = 'say \\"{[\\\\ ' * (MEBIBYTE // 4)
    message = '{"uuid": "m", "sender": "human", "text": "' + text + '"}'
    got = read('[{"uuid": "c", "chat_messages": [' + message + "]}]")
    assert got.texts == [['say "{[\\ ' * (MEBIBYTE // 4)]]


def test_nesting_without_end_is_told(read):
    got = read(LINE + b"[" * 100_000 + b"\n" + LINE)
    assert got.texts == [["hello", "hello"]]
    assert "nested" in got.reasons[0]


def test_a_bad_first_line_does_not_hide_the_format(read):
    got = read(b"# exported by hand\n" + LINE)
    assert (got.format, got.texts) == ("jsonl", [["hello"]])


def test_closing_early_lets_go_of_the_file(fixtures):
    reader = open_file(fixtures / "own-haystack.jsonl")
    next(reader)
    reader.close()
    reader.close()
    assert list(reader) == []


def test_an_object_of_which_some_lines_are_objects_is_one_object(read):
    data = """{
      "messages": [
        {"role": "user", "content": "hello"},
        {"role": "assistant", "content": "hi"}
      ],
      "id": 7
    }"""
    got = read(data)
    assert got.texts == [["hello", "hi"]]
    assert got.conversations[0].session.foreign_id == "7"
    assert got.reasons == []
