"""Packed files: what is unpacked, and what is refused before it fills the machine."""

import gzip
import io
import json
import lzma
import zipfile

import pytest

from unabridged.errors import TransferError, UnknownFormatError
from unabridged.transfer.decompress import Xz, refuse_long_list
from unabridged.transfer.input_file import MEBIBYTE, InputLimits

LINE = b'{"role": "user", "content": "hello"}\n'


class Pipe(io.RawIOBase):
    """A stream that cannot go back."""

    def __init__(self, data):
        super().__init__()
        self._data = io.BytesIO(data)

    def readable(self):
        return True

    def read(self, size=-1):
        return self._data.read(min(size, 1000) if size > 0 else size)


def test_several_xz_files_in_a_row_with_padding_are_one(read):
    other = LINE.replace(b"hello", b"again")
    assert read(lzma.compress(LINE) + b"\0" * 8 + lzma.compress(other)).texts == [
        ["hello", "again"]
    ]


@pytest.mark.parametrize("cut", [1, 12, 30])
def test_an_xz_file_that_breaks_off_says_so(cut):
    packed = lzma.compress(LINE * 50)
    stream = Xz(io.BytesIO(packed[:-cut]))
    with pytest.raises((EOFError, lzma.LZMAError)):
        list(iter(lambda: stream.read(1000), b""))


def test_what_follows_an_xz_file_is_told(read):
    got = read(lzma.compress(LINE) + b"something else")
    assert got.texts == [["hello"]]
    assert any("damaged" in reason for reason in got.reasons)


def test_an_xz_file_may_not_want_any_amount_of_memory():
    filters = [{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 30}]
    with pytest.raises(lzma.LZMAError, match=r"[Mm]emory"):
        Xz(io.BytesIO(lzma.compress(LINE, filters=filters))).read(10)


def test_zstandard_is_named(read):
    with pytest.raises(UnknownFormatError, match="Zstandard") as raised:
        read(b"\x28\xb5\x2f\xfd\x04\x00")
    assert "unzstd" in raised.value.hint


@pytest.mark.parametrize("kind", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_an_archive_packed_in_an_odd_way_is_refused(read, kind):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", kind) as archive:
        archive.writestr("conversations.json", b"[]")
    with pytest.raises(TransferError, match="cannot be opened"):
        read(out.getvalue())


def test_a_list_of_members_that_is_too_long_is_refused():
    end = b"PK\5\6" + bytes(8) + (1 << 30).to_bytes(4, "little") + bytes(6)
    with pytest.raises(zipfile.BadZipFile):
        refuse_long_list(io.BytesIO(b"x" * 100 + end))
    refuse_long_list(io.BytesIO(b"no archive at all"))
    refuse_long_list(io.BytesIO(end[:10]))


def test_a_database_comes_packed_or_through_a_pipe(read, fixtures):
    data = lzma.decompress((fixtures / "llm-logs.db.xz").read_bytes())
    plain = read(data)
    assert read(gzip.compress(data)).ids == read(Pipe(data)).ids == plain.ids
    behind = io.BytesIO(b"something before" + data)
    behind.seek(16)
    assert read(behind).ids == plain.ids


def test_a_packed_database_is_held_in_memory_up_to_a_bound(read, fixtures):
    with pytest.raises(TransferError, match="too large"):
        read(fixtures / "llm-logs.db.xz", limits=InputLimits(stream=1000))


def test_records_that_never_become_a_conversation_end_at_a_bound(read):
    with pytest.raises(TransferError, match="too much memory"):
        read(LINE * 100, limits=InputLimits(held=100_000))


def test_the_bound_begins_anew_with_each_conversation(read):
    def talk(number):
        said = {"uuid": f"m{number}", "sender": "human", "text": "x" * 100_000}
        return {"uuid": f"c{number}", "chat_messages": [said]}

    data = json.dumps([talk(number) for number in range(60)]).encode()
    assert len(data) * 3 > 8 * MEBIBYTE
    assert len(read(data, limits=InputLimits(held=8 * MEBIBYTE)).conversations) == 60


def test_blank_lines_are_counted_and_cost_next_to_nothing(read):
    got = read(LINE + b"\n \r\n" * 300_000 + b"{broken\n" + b"\n\t" + LINE + b"\n")
    assert got.texts == [["hello", "hello"]]
    assert [item.where for item in got.unread] == ["line 600002"]
