"""Holding a file alone, so that it can be renamed while other processes are about."""

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
    """Keep a file, sound or not, from being used by others; it may be renamed in the meantime.

    Who opens it in the meantime waits, and then takes what has its name (``is_moved``). It is locked
    through SQLite's own file layer, which knows of this process's connections too.

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
    """Say whether closing a connection shall leave the log alone."""
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, int(alone))


def is_moved(connection: apsw.Connection) -> bool:
    """Tell whether the file of a connection has another name, or none, by now.

    Between opening a file and locking it, others may give its name to another one (``alone``): the
    connection has then joined the old file with the new one's log, and closing it would move that
    log into the old file. So a connection leaves the log alone until this was asked.
    """
    moved = c_int(0)
    connection.file_control("main", apsw.SQLITE_FCNTL_HAS_MOVED, addressof(moved))
    return bool(moved.value)
