"""Holds a file exclusively, so that it can be renamed while other processes run."""

from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import addressof, c_int
from pathlib import Path
from time import sleep

import apsw

from unabridged.stores.sqlite import sqlite_errors

_PAUSE = 0.02
"""Seconds between two attempts to lock a file."""


@contextmanager
def alone(path: Path, busy_timeout: float) -> Iterator[None]:
    """Keep others from using a file, sound or not; it may be renamed in the block.

    A process that opens it waits, and then opens the file of that name (``is_moved``). It is locked
    through SQLite's own file layer, which includes this process's connections.

    Raises:
        StoreBusyError: Others have it open.
    """
    if not path.exists():
        yield
        return
    flags = [apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READWRITE, 0]
    try:
        file = apsw.VFSFile("", str(path), flags)
    except apsw.Error as error:
        raise sqlite_errors.translate(error, path) from error
    try:
        _lock(file, path, busy_timeout)
        yield
    finally:
        file.xUnlock(apsw.SQLITE_LOCK_NONE)
        file.xClose()


def _lock(file: apsw.VFSFile, path: Path, busy_timeout: float) -> None:
    waited = 0.0
    while True:
        try:
            file.xLock(apsw.SQLITE_LOCK_SHARED)
            file.xLock(apsw.SQLITE_LOCK_EXCLUSIVE)
        except apsw.BusyError as error:
            file.xUnlock(apsw.SQLITE_LOCK_NONE)
            if waited >= busy_timeout:
                raise sqlite_errors.translate(error, path) from error
            sleep(_PAUSE)
            waited += _PAUSE
        else:
            return


def leave_log(connection: apsw.Connection, *, alone: bool) -> None:
    """Set whether closing a connection leaves the log alone."""
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, int(alone))


def is_moved(connection: apsw.Connection) -> bool:
    """Return whether the file of a connection was renamed or removed.

    Between opening a file and locking it, others may give its name to another one (``alone``). The
    connection has then joined the old file with the new one's log, and closing it would merge that
    log into the old file. So a connection leaves the log alone until this was checked.
    """
    moved = c_int(0)
    connection.file_control("main", apsw.SQLITE_FCNTL_HAS_MOVED, addressof(moved))
    return bool(moved.value)
