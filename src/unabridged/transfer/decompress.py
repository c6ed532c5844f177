"""Unpacks files within bounds of memory."""

import gzip
import io
import lzma
import struct
import zipfile
from typing import IO

_DICTIONARY = 192 << 20
"""The most bytes of memory for xz: the strongest setting (``xz -9``) takes 65 MiB."""
_PIECE = 1 << 16
_LIST = 64 << 20
"""The most bytes of an archive's list of members; each takes ten times that in memory."""
_END = struct.Struct("<4s4H2LH")
_END_SIGN = b"PK\x05\x06"
_LONGEST_COMMENT = 1 << 16


class Gzip(gzip.GzipFile):
    """A gzip file that gives all it can unpack before the place where it breaks off."""

    def read(self, size: int | None = -1) -> bytes:  # type: ignore[explicit-override]  # typing.override came with 3.12
        """Read up to ``size`` bytes; none only at the end."""
        return self.read1(-1 if size is None else size)


class Xz(io.RawIOBase):
    """An xz file, unpacked as it is read, within bounds; several in a row count as one.

    Args:
        packed: The source of the packed bytes; it is not closed here.
    """

    def __init__(self, packed: IO[bytes]) -> None:
        super().__init__()
        self._packed = packed
        self._unpacker = self._fresh()
        self._begun = False

    def readable(self) -> bool:  # type: ignore[explicit-override]  # typing.override came with 3.12
        """Return True."""
        return True

    def read(self, size: int = -1) -> bytes:  # type: ignore[explicit-override]  # as above
        """Read up to ``size`` bytes; none only at the end.

        Raises:
            LZMAError: It is damaged, or needs too much memory.
            EOFError: It breaks off.
        """
        while True:
            if self._unpacker.eof:
                rest = self._unpacker.unused_data or self._packed.read(_PIECE)
                rest = rest.lstrip(b"\0")
                if not rest:
                    return b""
                self._unpacker = self._fresh()
            else:
                rest = self._packed.read(_PIECE) if self._unpacker.needs_input else b""
                if not rest and self._unpacker.needs_input:
                    raise EOFError("the packed data ends too early")
            data = self._unpacker.decompress(rest, size)
            if data:
                return data

    @staticmethod
    def _fresh() -> lzma.LZMADecompressor:
        return lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_DICTIONARY)


def refuse_long_list(archive: IO[bytes]) -> None:
    """Refuse a zip archive whose list of members would fill the memory.

    The list's length is in the archive's last record.
    Source: PKWARE's APPNOTE.TXT, 4.3.16.

    Raises:
        BadZipFile: The list is too long.
    """
    size = archive.seek(0, io.SEEK_END)
    archive.seek(max(0, size - _LONGEST_COMMENT - _END.size))
    tail = archive.read(_LONGEST_COMMENT + _END.size)
    archive.seek(0)
    place = tail.rfind(_END_SIGN)
    if place < 0 or len(tail) - place < _END.size:
        return
    length = _END.unpack_from(tail, place)[5]
    longest = size if length == 0xFFFFFFFF else length
    if longest > _LIST:
        raise zipfile.BadZipFile("its list of members is too long")
