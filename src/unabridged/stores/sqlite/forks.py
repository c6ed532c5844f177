"""What a child process does with the connections that were open when its parent forked.

SQLite notes the locks of a process in its memory. A child inherits the notes but not the locks: a
file that it opens again would be unlocked, and the parent could remove the log in which the child
writes (https://www.sqlite.org/howtocorrupt.html, 2.6). So the child closes what it inherited,
without a checkpoint, and then may open the file again. A connection that another thread was using
cannot be closed; it is left alone for good, and its file is refused.
"""

import ctypes
import os
from contextlib import suppress
from pathlib import Path
from typing import Protocol
from weakref import WeakSet

import apsw

from unabridged.errors import StoreForkedError
from unabridged.stores.sqlite import read_cache
from unabridged.stores.sqlite.exclusive import leave_log

FileIdentity = tuple[int, int]
"""The device and the number of a file."""


class Inherited(Protocol):
    """A database that may be open when the process forks."""

    def abandon(self) -> None:
        """Give up every connection: this is a child process."""


_OPEN: WeakSet[Inherited] = WeakSet()
_IN_USE: set[FileIdentity] = set()
"""Files that another thread of the parent was using when it forked."""


def identity_of(path: Path) -> FileIdentity | None:
    """Return the identity of the file that now has a name, or None."""
    with suppress(OSError):
        found = path.stat()
        return found.st_dev, found.st_ino
    return None


def note(database: Inherited) -> None:
    """Have a database abandoned by each child that this process forks."""
    _OPEN.add(database)


def leave(connections: list[apsw.Connection], file: FileIdentity | None, *, idle: bool) -> None:
    """Close inherited connections without touching the file, or keep them for good."""
    for one in connections:
        if idle:
            with suppress(apsw.Error):
                leave_log(one, alone=True)
                one.close()
                continue
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(one))  # closing it could wait for ever
        if file is not None:
            _IN_USE.add(file)


def refuse_in_use(path: Path) -> None:
    """Refuse a file that another thread of the parent was using when it forked.

    Raises:
        StoreForkedError: It was.
    """
    if _IN_USE and identity_of(path) in _IN_USE:
        raise StoreForkedError(
            f"{path} was in use by another thread when this process was forked.",
            hint="Fork before the memory is opened, or start the process with multiprocessing's "
            "'spawn'. Nothing was changed.",
        )


def _in_child() -> None:
    read_cache.start_over()
    for one in list(_OPEN):
        one.abandon()
    _OPEN.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
