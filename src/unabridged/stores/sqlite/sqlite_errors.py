"""Translates errors of SQLite into those of the error tree."""

import errno
from collections.abc import Callable
from pathlib import Path
from types import UnionType

import apsw

from unabridged.disk.atomic_write import FULL, READ_ONLY, full, of_the_system, read_only
from unabridged.errors import (
    StoreBusyError,
    StoreDamagedError,
    StoreError,
    StoreTamperedError,
)
from unabridged.stores import store_errors

__all__ = ["UNTOUCHED", "damaged", "full", "of_the_system", "read_only", "translate"]

UNTOUCHED = (
    "The file was left untouched. `unabridged recover USER/AGENT` sets it aside and continues with "
    "its intact data; `unabridged backup list` shows the backups. Other spaces are not "
    "affected."
)


def damaged(path: Path, what: str) -> StoreDamagedError:
    """Return the error for a damaged file, which was left untouched."""
    return StoreDamagedError(f"{path}: {what}", hint=UNTOUCHED)


def tampered(path: Path, what: str) -> StoreTamperedError:
    """Return the error for a file that its chain does not match."""
    return StoreTamperedError(
        f"{path}: {what}",
        hint="Another program or a disk error changed the file. `unabridged verify` lists all "
        "differences; the file was left untouched.",
    )


def translate(error: apsw.Error, path: Path, system_errno: int = 0) -> StoreError:
    """Return the error for a fault of SQLite and the system's last error (0 for none)."""
    if isinstance(error, apsw.IOError | apsw.CantOpenError):
        return _of_the_disk(error, path, system_errno)
    for kinds, meaning in _MEANINGS:
        if isinstance(error, kinds):
            return meaning(error, path)
    return StoreError(
        f"{path}: {error}",
        hint="Nothing was written. If it happens again, run: unabridged doctor",
    )


def gone(path: Path) -> StoreError:
    """Return the error for an open file that was moved or removed."""
    return StoreError(
        f"{path} was removed or moved away while it was open.",
        hint="Nothing was written. Put it back, or restart the program that has it open.",
    )


def _busy(_: apsw.Error, path: Path) -> StoreError:
    return StoreBusyError(
        f"Other programs keep {path} locked.",
        hint="Try again in a moment; nothing was written. To change a whole file, first end programs that "
        "have it open, such as `unabridged serve`.",
    )


# Every statement is constant: an SQLError means that the schema was changed.
_MEANINGS: tuple[tuple[type[apsw.Error] | UnionType, Callable[[apsw.Error, Path], StoreError]], ...]
_MEANINGS = (
    (apsw.BusyError | apsw.LockedError, _busy),
    (apsw.FullError, lambda _, path: full(path)),
    (apsw.ReadOnlyError, lambda _, path: read_only(path)),
    (
        apsw.NotADBError,
        lambda _, path: damaged(path, "this is not a database, or its beginning is damaged."),
    ),
    (apsw.CorruptError, lambda error, path: damaged(path, f"the database is damaged ({error}).")),
    (apsw.SQLError, lambda error, path: damaged(path, f"its schema was changed ({error}).")),
    (apsw.ConnectionClosedError, lambda _error, _path: store_errors.closed()),
)


def _of_the_disk(error: apsw.Error, path: Path, system_errno: int) -> StoreError:
    if system_errno in FULL:
        return full(path)
    if system_errno in READ_ONLY:
        return read_only(path)
    said = errno.errorcode.get(system_errno, "no reason given")
    return StoreError(
        f"The disk failed while {path} was used ({error}; {said}).",
        hint="Check the disk and its folder; nothing was half written.",
    )
