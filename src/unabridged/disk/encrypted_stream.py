"""Streams that are sealed, and opened again, chunk by chunk; see ``cipher`` for the format."""

import io
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, BinaryIO, Self

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer

CHUNK = 1 << 16
"""Bytes of a chunk before it is sealed."""
TAG = 16
"""Bytes by which a sealed chunk is longer."""
Recode = Callable[[int, bool, bytes], bytes]
"""Seals or opens one chunk: its number, whether it is the last, its bytes."""


class SealingStream:
    """A stream whose content is sealed into another one, whole when the block ends without an error.

    Args:
        stream: Where the chunks go; left open.
        sealed: Seals one.
    """

    def __init__(self, stream: BinaryIO, sealed: Recode) -> None:
        self._stream = stream
        self._sealed = sealed
        self._number = 0
        self._held = bytearray()

    def write(self, data: "ReadableBuffer") -> int:
        """Take bytes; whole chunks go on."""
        self._held += data
        while len(self._held) > CHUNK:  # the last one waits: it is sealed as such
            self._put(bytes(self._held[:CHUNK]), last=False)
            del self._held[:CHUNK]
        return memoryview(data).nbytes

    def writelines(self, lines: Iterable["ReadableBuffer"]) -> None:
        """Take several pieces."""
        for line in lines:
            self.write(line)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Seal the last chunk, unless writing broke off: what is not whole does not open."""
        if kind is None:
            self._put(bytes(self._held), last=True)

    def _put(self, chunk: bytes, *, last: bool) -> None:
        self._stream.write(self._sealed(self._number, last, chunk))
        self._number += 1


class UnsealingStream(io.RawIOBase):
    """What was sealed; nothing of it is given before it is proved.

    Args:
        stream: Where the sealed chunks come from; left open.
        opened: Opens one.
    """

    def __init__(self, stream: BinaryIO, opened: Recode) -> None:
        super().__init__()
        self._stream = stream
        self._opened = opened
        self._number = 0
        self._next = self._read()
        self._held = memoryview(b"")

    def readable(self) -> bool:  # type: ignore[explicit-override]  # typing.override needs Python 3.12
        """It is for reading."""
        return True

    def readinto(self, target: "WriteableBuffer") -> int:  # type: ignore[explicit-override]  # see above
        """Give opened bytes; 0 at the end."""
        while not self._held and (self._next or not self._number):
            chunk, self._next = self._next, self._read()
            self._held = memoryview(self._opened(self._number, not self._next, chunk))
            self._number += 1
        view = memoryview(target).cast("B")
        count = min(len(view), len(self._held))
        view[:count] = self._held[:count]
        self._held = self._held[count:]
        return count

    def _read(self) -> bytes:
        chunk = bytearray()
        while len(chunk) < CHUNK + TAG and (piece := self._stream.read(CHUNK + TAG - len(chunk))):
            chunk += piece
        return bytes(chunk)
