"""What SQLite reports, in the words of the error tree. The only place that knows both."""

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
    "The file was left untouched. `unabridged recover USER/AGENT` sets it aside and goes on with all "
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
        hint="Another program or a disk fault changed the file. `unabridged verify` lists all "
        "that is wrong with it; the file was left untouched.",
    )


def translate(error: apsw.Error, path: Path, system_errno: int = 0) -> StoreError:
    """Return the error of the tree for a fault of SQLite and what the system said last (0: nothing)."""
    if isinstance(error, apsw.IOError | apsw.CantOpenError):
        return _of_the_disk(error, path, system_errno)
    for kinds, meaning in _MEANINGS:
        if isinstance(error, kinds):
            return meaning(error, path)
    return StoreError(
        f"{path}: {error}",
        hint="Nothing was written. Run a check of the store if it happens again.",
    )


def gone(path: Path) -> StoreError:
    """The file that is open has this name no more."""
    return StoreError(
        f"{path} was removed or moved away while it was open.",
        hint="Nothing was written. Put it back, or start the program that has it open again.",
    )


def _busy(_: apsw.Error, path: Path) -> StoreError:
    return StoreBusyError(
        f"Others keep {path} locked.",
        hint="Repeat in a moment; nothing was written. Where a whole file is changed, programs that "
        "have it open (`unabridged serve`, say) are ended first.",
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
        hint="Look at the disk and its folder; nothing was half written.",
    )
