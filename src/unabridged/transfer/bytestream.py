"""A stream of bytes that counts what it reads, can look ahead, and ends where it is damaged."""

import gzip
import io
import lzma
import re
import struct
import zipfile
import zlib
from collections.abc import Callable
from typing import IO

from unabridged.errors import TransferError

PEEK = 256 * 1024
"""Bytes of a file's beginning that show its format; also the size of one read."""

_SPACE = re.compile(rb"[ \t\r\n]*+")
_PACKED_ERRORS = (
    lzma.LZMAError,
    EOFError,
    zlib.error,
    zipfile.BadZipFile,
    gzip.BadGzipFile,
    struct.error,
)


class ByteStream:
    """Bytes of a file, counted, with a look ahead.

    Packed data that breaks off ends the stream and sets ``broken``; what came before it is not
    lost.

    Args:
        stream: The source of the bytes; it is not closed here.
        check: Called with the count after each piece; may raise.

    Attributes:
        count: Bytes that were read from the stream.
        broken: Why the bytes ended before their end, or empty.
    """

    def __init__(self, stream: IO[bytes], check: Callable[[int], None] | None = None) -> None:
        self.count = 0
        self.broken = ""
        self._stream = stream
        self._check = check
        self._buffer = b""
        self._at = 0

    def peek(self) -> bytes:
        """Return the next 256 KiB, or fewer at the end, without consuming them."""
        self._fill(PEEK)
        return self._buffer[self._at : self._at + PEEK]

    def read(self, size: int = -1) -> bytes:
        """Read ``size`` bytes, or all; fewer only at the end."""
        if size < 0:
            pieces = [self._take(len(self._buffer))]
            while piece := self._piece():
                pieces.append(piece)
            return b"".join(pieces)
        self._fill(size)
        return self._take(size)

    def readline(self, limit: int) -> bytes:
        """Read up to and with the next line feed; at most about ``limit`` bytes."""
        pieces: list[bytes] = []
        held = 0
        while held < limit:
            end = self._buffer.find(b"\n", self._at) + 1
            piece = self._take(end - self._at if end else len(self._buffer))
            pieces.append(piece)
            held += len(piece)
            if end:
                break
            self._buffer, self._at = self._piece(), 0
            if not self._buffer:
                break
        return b"".join(pieces)

    def skip_space(self) -> int:
        """Skip white space; return the number of lines."""
        lines = 0
        while True:
            start = self._at
            self._at = _SPACE.match(self._buffer, start).end()  # type: ignore[union-attr]  # it matches nothing too
            lines += self._buffer.count(b"\n", start, self._at)
            if self._at < len(self._buffer):
                return lines
            self._buffer, self._at = self._piece(), 0
            if not self._buffer:
                return lines

    def readable(self) -> bool:
        """Return True; archives ask."""
        return True

    def seekable(self) -> bool:
        """Return whether the stream can seek."""
        return self._stream.seekable()

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to a position, and drop what was looked ahead."""
        if whence == io.SEEK_CUR:
            offset -= len(self._buffer) - self._at
        self._buffer, self._at = b"", 0
        return self._stream.seek(offset, whence)

    def tell(self) -> int:
        """Return the position in the stream."""
        return self._stream.tell() - (len(self._buffer) - self._at)

    def _take(self, size: int) -> bytes:
        data = self._buffer[self._at : self._at + size]
        self._at += len(data)
        return data

    def _fill(self, size: int) -> None:
        held = len(self._buffer) - self._at
        if held >= size:
            return
        pieces = [self._buffer[self._at :]]
        while held < size and (piece := self._piece()):
            pieces.append(piece)
            held += len(piece)
        self._buffer, self._at = b"".join(pieces), 0

    def _piece(self) -> bytes:
        if self.broken:
            return b""
        try:
            piece = self._stream.read(PEEK) or b""
        except _PACKED_ERRORS as error:
            self.broken = f"the packed data breaks off or is damaged ({type(error).__name__})"
            return b""
        except OSError as error:
            raise TransferError(
                f"The file cannot be read: {error.strerror or error}.",
                hint="Check that it is a readable file, then import it again; nothing is added twice.",
            ) from error
        self.count += len(piece)
        if self._check is not None:
            self._check(self.count)
        return piece
