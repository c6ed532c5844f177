"""Writing a file piece by piece, whole or not at all."""

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from unabridged.disk.durable import FILE_MODE, draft_of, of_the_system, remove, sync_folder

BUFFER = 1 << 20
"""Bytes that are written at once."""
_BINARY: int = getattr(os, "O_BINARY", 0)


@contextmanager
def writing(path: Path) -> Iterator[BinaryIO]:
    """Open a file beside a path; when the block ends it is made durable and takes its place.

    Where the block raises, the old file is as it was, and nothing else is left.

    Args:
        path: The file; its folder is there.

    Raises:
        StoreFullError: There is no room; the old file is as it was.
        StoreReadOnlyError: The folder cannot be written.
        StoreError: The disk failed; the old file is as it was.
    """
    draft = draft_of(path)
    try:
        try:
            handle = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY | _BINARY, FILE_MODE)
            try:
                if os.name != "nt":
                    os.fchmod(handle, FILE_MODE)
                raw = _Raw(handle)
                try:
                    stream = io.BufferedWriter(raw, BUFFER)
                    yield cast("BinaryIO", stream)
                    stream.flush()
                    os.fsync(handle)
                finally:
                    raw.ended = True
            finally:
                os.close(handle)
            os.replace(draft, path)  # noqa: PTH105 - every call of this file is one of `os`: tests stand in
        except BaseException:
            remove(draft)
            raise
        sync_folder(path.parent)
    except OSError as error:
        raise of_the_system(error, path) from error


class _Raw(io.RawIOBase):
    """A file that is written by its handle, which stays open.

    Attributes:
        ended: Whether what still comes goes nowhere: a buffer is emptied when it is let go.
    """

    def __init__(self, handle: int) -> None:
        self._handle = handle
        self.ended = False

    def writable(self) -> bool:  # type: ignore[explicit-override]  # typing.override came with 3.12
        """Whether it can be written: always."""
        return True

    def write(self, data: object) -> int:  # type: ignore[explicit-override]  # as above
        """Write bytes, and say how many were."""
        piece = memoryview(cast("bytes", data))
        return len(piece) if self.ended else os.write(self._handle, piece)
