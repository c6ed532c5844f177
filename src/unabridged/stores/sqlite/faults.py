"""What SQLite reports, in the words of the error tree. The only place that knows both."""

import errno
from collections.abc import Callable
from pathlib import Path
from types import UnionType

import apsw

from unabridged.errors import (
    StoreBusyError,
    StoreDamagedError,
    StoreError,
    StoreFullError,
    StoreReadOnlyError,
    StoreTamperedError,
)
from unabridged.stores import refusals

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_READ_ONLY = frozenset({errno.EROFS, errno.EACCES, errno.EPERM})
UNTOUCHED = (
    "The file was left untouched. `unabridged salvage USER/AGENT` sets it aside and goes on with all "
    "that is whole in it; `unabridged backup list` shows what could be restored. Other spaces are not "
    "affected."
)


def damaged(path: Path, what: str) -> StoreDamagedError:
    """Say what is damaged, and that the file was left alone."""
    return StoreDamagedError(f"{path}: {what}", hint=UNTOUCHED)


def tampered(path: Path, what: str) -> StoreTamperedError:
    """Say what does not fit the chain, and that the file was left alone."""
    return StoreTamperedError(
        f"{path}: {what}",
        hint="Somebody changed the file past the program, or a disk did. `unabridged verify` says all "
        "that is wrong with it; the file was left untouched.",
    )


def read_only(path: Path) -> StoreReadOnlyError:
    """Writing was asked of a file or folder that cannot be written."""
    return StoreReadOnlyError(
        f"{path} can be read but not written.",
        hint="Give yourself the right to write the file and its folder, or choose another home.",
    )


def full(path: Path) -> StoreFullError:
    """The disk has no room left."""
    return StoreFullError(
        f"There is no room left on the disk to write {path}.",
        hint="Free some room and repeat; what was stored before is safe and can be read.",
    )


def translate(error: apsw.Error, path: Path, system_errno: int = 0) -> StoreError:
    """Give the error of the tree that a fault of SQLite stands for.

    Args:
        error: What apsw raised.
        path: The file.
        system_errno: What the operating system said last, as apsw keeps it; 0 for nothing.
    """
    if isinstance(error, apsw.IOError | apsw.CantOpenError):
        return _of_the_disk(error, path, system_errno)
    for kinds, meaning in _MEANINGS:
        if isinstance(error, kinds):
            return meaning(error, path)
    return StoreError(
        f"{path}: {error}",
        hint="Nothing was written. Run a check of the store if it happens again.",
    )


def _busy(_: apsw.Error, path: Path) -> StoreError:
    return StoreBusyError(
        f"Others keep {path} locked.", hint="Repeat in a moment; nothing was written."
    )


# Every statement is constant: an SQLError means that the schema is not as it was made.
_MEANINGS: tuple[tuple[type[apsw.Error] | UnionType, Callable[[apsw.Error, Path], StoreError]], ...]
_MEANINGS = (
    (apsw.BusyError | apsw.LockedError, _busy),
    (apsw.FullError, lambda _, path: full(path)),
    (apsw.ReadOnlyError, lambda _, path: read_only(path)),
    (
        apsw.NotADBError,
        lambda _, path: damaged(path, "this is no database, or its beginning is damaged."),
    ),
    (apsw.CorruptError, lambda error, path: damaged(path, f"the database is damaged ({error}).")),
    (apsw.SQLError, lambda error, path: damaged(path, f"it is not laid out as it was ({error}).")),
    (apsw.ConnectionClosedError, lambda _error, _path: refusals.closed()),
)


def of_the_system(error: OSError, path: Path) -> StoreError:
    """Give the error of the tree for one of the operating system."""
    if error.errno in _FULL:
        return full(path)
    if error.errno in _READ_ONLY:
        return read_only(path)
    return StoreError(
        f"{path} cannot be used: {error.strerror or error}.", hint="Check the path and the disk."
    )


def _of_the_disk(error: apsw.Error, path: Path, system_errno: int) -> StoreError:
    if system_errno in _FULL:
        return full(path)
    if system_errno in _READ_ONLY:
        return read_only(path)
    said = errno.errorcode.get(system_errno, "no reason given")
    return StoreError(
        f"The disk failed while {path} was used ({error}; {said}).",
        hint="Look at the disk and its folder; nothing was half written.",
    )
