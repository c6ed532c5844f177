"""Writing a file whole or not at all, durable when it is done."""

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from unabridged.errors import StoreError, StoreFullError, StoreReadOnlyError

FILE_MODE = 0o600
UNFINISHED = ".part"
"""What a file's name ends with while it is written; such files may be removed at any time."""
_PIECE = 1 << 20
FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
READ_ONLY = frozenset({errno.EROFS, errno.EACCES, errno.EPERM})
_BINARY: int = getattr(os, "O_BINARY", 0)


def write_whole(path: Path, data: bytes) -> None:
    """Write a file: a temporary one beside it, read back, made durable, put in its place.

    Until it returns the old content is there; a crash leaves the old or the new one, whole.

    Raises:
        StoreFullError: There is no room; the old file is as it was.
        StoreReadOnlyError: The folder cannot be written.
        StoreError: The disk failed; the old file is as it was.
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


def write_first(path: Path, data: bytes) -> bool:
    """Write a file whole, unless there is one of that name; return whether it was written.

    It is durable when this returns; of two that write at once one does.

    Raises:
        OSError: As the system says; no file of that name was made.
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
    """Overwrite a file with zeros, make that durable, and remove it; return the bytes overwritten.

    What the disk itself keeps elsewhere (blocks that an SSD or a journal wrote, snapshots) is out of
    reach. One that is not there is passed over.

    Raises:
        OSError: As the system says; it may be there still, overwritten or not.
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
    """Overwrite a file that was just opened with zeros, durable; return its bytes."""
    size = os.fstat(handle).st_size
    zeros = bytes(min(size, _PIECE))
    for start in range(0, size, _PIECE):
        _write_all(handle, zeros[: min(_PIECE, size - start)])
    os.fsync(handle)
    return size


def draft_of(path: Path) -> Path:
    """Give a name beside a file under which its next content can be written."""
    return path.with_name(f".{path.name}.{secrets.token_hex(6)}{UNFINISHED}")


def write_new(path: Path, data: bytes) -> None:
    """Write a file that is not there yet, for its owner only, durable but for its name.

    Raises:
        OSError: As the system says; a part of it may be there.
    """
    handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | _BINARY, FILE_MODE)
    try:
        _private(handle)
        _write_all(handle, data)
        os.fsync(handle)
    finally:
        os.close(handle)


def remove(path: Path) -> None:
    """Remove a file; one that is not there or cannot be removed is left."""
    with suppress(OSError):
        os.unlink(path)  # noqa: PTH108 - see write_whole


def put_in_place(draft: Path, path: Path) -> None:
    """Let a durable file take another's place; the folder is still to be synced."""
    os.replace(draft, path)  # noqa: PTH105 - see write_whole


def delete(path: Path) -> None:
    """Remove a file that must not stay; one that is gone already is no fault."""
    with suppress(FileNotFoundError):
        os.unlink(path)  # noqa: PTH108 - see write_whole


def sync_folder(folder: Path) -> None:
    """Make the folder's entries survive a power cut, if the system can."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def full(path: Path) -> StoreFullError:
    """The disk has no room left."""
    return StoreFullError(
        f"There is no room left on the disk to write {path}.",
        hint="Free some room and repeat; what was stored before is safe and can be read.",
    )


def read_only(path: Path) -> StoreReadOnlyError:
    """Writing was asked of a file or folder that cannot be written."""
    return StoreReadOnlyError(
        f"{path} can be read but not written.",
        hint="Give yourself the right to write the file and its folder, or choose another home.",
    )


def of_the_system(error: OSError, path: Path) -> StoreError:
    """Give the error of the tree for one of the operating system."""
    if error.errno in FULL:
        return full(path)
    if error.errno in READ_ONLY:
        return read_only(path)
    return StoreError(
        f"{path} cannot be used: {error.strerror or error}.", hint="Check the path and the disk."
    )


@contextmanager
def system_errors(path: Path) -> Iterator[None]:
    """Raise a typed error about a path for one of the operating system.

    Raises:
        StoreError: As the system said.
    """
    try:
        yield
    except OSError as error:
        raise of_the_system(error, path) from error


def _check(path: Path, data: bytes) -> None:
    if path.read_bytes() != data:
        raise OSError(errno.EIO, "what was read back is not what was written")


def _private(handle: int) -> None:
    if os.name != "nt":
        os.fchmod(handle, FILE_MODE)


def _write_all(handle: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]
