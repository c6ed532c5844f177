"""Write a file whole or not at all, durably."""

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from unabridged.errors import StoreError, StoreFullError, StoreReadOnlyError

FILE_MODE = 0o600
UNFINISHED = ".part"
"""The suffix of a file while it is written; such files may be removed at any time."""
_PIECE = 1 << 20
FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
READ_ONLY = frozenset({errno.EROFS, errno.EACCES, errno.EPERM})
_BINARY: int = getattr(os, "O_BINARY", 0)


def write_whole(path: Path, data: bytes) -> None:
    """Write a file through a temporary one that is read back, synced and renamed.

    A crash leaves the old or the new content, whole.

    Raises:
        StoreFullError: The disk is full; the old file is unchanged.
        StoreReadOnlyError: The folder cannot be written.
        StoreError: The disk failed; the old file is unchanged.
    """
    draft = draft_of(path)
    try:
        try:
            write_new(draft, data)
            _check(draft, data)
            os.replace(draft, path)  # noqa: PTH105 - every call of this file is one of `os`: tests stand in
        except BaseException:
            remove(draft)
            raise
        sync_folder(path.parent)
    except OSError as error:
        raise of_the_system(error, path) from error


def write_soon(path: Path, data: bytes) -> None:
    """Write a file whole, without waiting for the disk.

    After a power cut it has the old or the new content, or none.

    Raises:
        OSError: The system failed; the old file is unchanged.
    """
    draft = draft_of(path)
    try:
        handle = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY | _BINARY, FILE_MODE)
        try:
            _private(handle)
            _write_all(handle, data)
        finally:
            os.close(handle)
        os.replace(draft, path)  # noqa: PTH105 - see write_whole
    except BaseException:
        remove(draft)
        raise


def write_first(path: Path, data: bytes) -> bool:
    """Write a new file whole; return False if the name exists.

    It is durable on return; of two simultaneous writers one wins.

    Raises:
        OSError: The system failed; there is no new file.
    """
    draft = draft_of(path)
    try:
        write_new(draft, data)
        try:
            os.link(draft, path)
            written = True
        except FileExistsError:
            written = False
        except OSError:  # a file system without links
            written = not path.exists()
            if written:
                os.replace(draft, path)  # noqa: PTH105 - see write_whole
    finally:
        remove(draft)
    sync_folder(path.parent)
    return written


def wipe(path: Path) -> int:
    """Overwrite a file with zeros durably and remove it; return its bytes.

    Copies that the disk keeps elsewhere (blocks of an SSD or a journal, snapshots) are out of
    reach. A missing file is ignored.

    Raises:
        OSError: The system failed; the file may still exist, overwritten or not.
    """
    try:
        handle = os.open(path, os.O_WRONLY | _BINARY)
    except FileNotFoundError:
        return 0
    try:
        size = zero(handle)
    finally:
        os.close(handle)
    os.unlink(path)  # noqa: PTH108 - see write_whole
    return size


def zero(handle: int) -> int:
    """Overwrite an opened file with zeros durably; return its bytes."""
    size = os.fstat(handle).st_size
    zeros = bytes(min(size, _PIECE))
    for start in range(0, size, _PIECE):
        _write_all(handle, zeros[: min(_PIECE, size - start)])
    os.fsync(handle)
    return size


def draft_of(path: Path) -> Path:
    """Return a temporary path next to a file for its next content."""
    return path.with_name(f".{path.name}.{secrets.token_hex(6)}{UNFINISHED}")


def write_new(path: Path, data: bytes) -> None:
    """Write a new private file; its bytes are durable, its name not yet.

    Raises:
        OSError: The system failed; a part of the file may exist.
    """
    handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | _BINARY, FILE_MODE)
    try:
        _private(handle)
        _write_all(handle, data)
        os.fsync(handle)
    finally:
        os.close(handle)


def remove(path: Path) -> None:
    """Remove a file if that is possible."""
    with suppress(OSError):
        os.unlink(path)  # noqa: PTH108 - see write_whole


def put_in_place(draft: Path, path: Path) -> None:
    """Replace a file by a durable one; the caller syncs the folder."""
    os.replace(draft, path)  # noqa: PTH105 - see write_whole


def delete(path: Path) -> None:
    """Remove a file; a missing one is not an error."""
    with suppress(FileNotFoundError):
        os.unlink(path)  # noqa: PTH108 - see write_whole


def sync_folder(folder: Path) -> None:
    """Sync a folder, so that its entries survive a power cut, if the system can."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def full(path: Path) -> StoreFullError:
    """Return the error of a full disk."""
    return StoreFullError(
        f"The disk is full: {path} was not written.",
        hint="Free space and repeat; everything stored before is safe and readable.",
    )


def read_only(path: Path) -> StoreReadOnlyError:
    """Return the error of a file or folder that cannot be written."""
    return StoreReadOnlyError(
        f"{path} can be read but not written.",
        hint="Make the file and its folder writable for you, or choose another home.",
    )


def of_the_system(error: OSError, path: Path) -> StoreError:
    """Return our error for one of the operating system."""
    if error.errno in FULL:
        return full(path)
    if error.errno in READ_ONLY:
        return read_only(path)
    return StoreError(
        f"{path} cannot be used: {error.strerror or error}.", hint="Check the path and the disk."
    )


@contextmanager
def system_errors(path: Path) -> Iterator[None]:
    """Translate errors of the operating system about a path.

    Raises:
        StoreError: The system failed.
    """
    try:
        yield
    except OSError as error:
        raise of_the_system(error, path) from error


def _check(path: Path, data: bytes) -> None:
    if path.read_bytes() != data:
        raise OSError(errno.EIO, "the bytes read back differ from those written")


def _private(handle: int) -> None:
    if os.name != "nt":
        os.fchmod(handle, FILE_MODE)


def _write_all(handle: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]
