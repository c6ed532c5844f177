"""Write large files in pieces, durable before they get their name."""

import io
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from unabridged.disk.atomic_write import FILE_MODE, draft_of, of_the_system, remove, sync_folder

_BINARY: int = getattr(os, "O_BINARY", 0)
_BUFFER = 1 << 18


class _Raw(io.RawIOBase):
    """A file whose every step is a call of ``os``, so that tests can replace it."""

    def __init__(self, handle: int) -> None:
        super().__init__()
        self._handle = handle
        self.ended = False  # a buffer is flushed when it is freed: into nothing, not another file

    def writable(self) -> bool:  # type: ignore[explicit-override]  # typing.override came with 3.12
        return True

    def seekable(self) -> bool:  # type: ignore[explicit-override]  # as above
        return True

    def write(self, data: object) -> int:  # type: ignore[explicit-override]  # as above
        piece = memoryview(cast("bytes", data))
        return len(piece) if self.ended else os.write(self._handle, piece)

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:  # type: ignore[explicit-override]  # as above
        return os.lseek(self._handle, offset, whence)


@contextmanager
def new_file(path: Path) -> Iterator[BinaryIO]:
    """Write a new private file; its bytes are durable at the end, its name not yet.

    If the block fails, the file is removed.
    """
    handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | _BINARY, FILE_MODE)
    try:
        try:
            if os.name != "nt":
                os.fchmod(handle, FILE_MODE)
            raw = _Raw(handle)
            stream = io.BufferedWriter(raw, _BUFFER)
            try:
                yield cast("BinaryIO", stream)
                stream.flush()
                os.fsync(handle)
            finally:
                raw.ended = True
        finally:
            os.close(handle)
    except BaseException:
        remove(path)
        raise


@contextmanager
def writing(path: Path) -> Iterator[BinaryIO]:
    """Open a temporary file that replaces a path durably when the block ends.

    If the block raises, the old file is unchanged, and nothing else is left.

    Raises:
        StoreError: The disk is full or failed; the old file is unchanged.
    """
    draft = draft_of(path)
    try:
        with new_file(draft) as stream:
            yield stream
        try:
            os.replace(draft, path)  # noqa: PTH105 - every call of this file is one of `os`
        except BaseException:
            remove(draft)
            raise
        sync_folder(path.parent)
    except OSError as error:
        raise of_the_system(error, path) from error


def give_name(draft: Path, path: Path) -> None:
    """Rename a finished file durably, without replacing another.

    A crash leaves it under its old name, its new one, or both.

    Raises:
        FileExistsError: The name is taken.
    """
    try:
        os.link(draft, path)
    except FileExistsError:
        raise
    except OSError:  # a file system without links
        if path.exists():
            raise FileExistsError(path) from None
        os.rename(draft, path)  # noqa: PTH104 - every call of this file is one of `os`
    else:
        sync_folder(path.parent)  # else a power cut may lose both names
        os.unlink(draft)  # noqa: PTH108 - as above
    sync_folder(path.parent)


@contextmanager
def nameless(folder: Path) -> Iterator[BinaryIO]:
    """Open an unnamed file on the disk of a folder, which leaves nothing behind.

    Raises:
        StoreError: The disk is full or failed.
    """
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            yield cast("BinaryIO", file)
    except OSError as error:
        raise of_the_system(error, folder) from error
