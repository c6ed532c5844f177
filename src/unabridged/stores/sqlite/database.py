"""A connection to one file, with its transactions and translated errors."""

import random
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import RLock
from typing import Any, Protocol

import apsw

from unabridged.domain.hash_chain import MacKey
from unabridged.errors import StoreClosedError
from unabridged.ports import Cipher
from unabridged.stores import store_errors
from unabridged.stores.sqlite import forks, sqlite_errors
from unabridged.stores.sqlite.connection import shut
from unabridged.stores.sqlite.exclusive import is_moved, leave_log
from unabridged.stores.sqlite.read_cache import ReadCache
from unabridged.stores.sqlite.sql import statements
from unabridged.stores.sqlite.wipe_free_pages import scrub

FOLDER_END = "-index"
"""The suffix of the folder with a file's index."""
_MOST_IDLE = 8
"""Reader connections that stay open."""
_READER_CACHE = -4000
"""The page cache of a reader in KiB, in SQLite's notation."""
_PURGE_PAUSE = 0.01
"""Minimum seconds between two attempts to empty the log while others write."""


def folder_of(path: Path) -> Path:
    """Return the folder of a file's search index."""
    return path.with_name(path.name + FOLDER_END)


def remove_index(path: Path) -> None:
    """Remove a file's search index; it is rebuilt from the rows."""
    with suppress(FileNotFoundError):
        for part in folder_of(path).iterdir():
            if not part.name.startswith("."):  # a lock
                part.unlink(missing_ok=True)


class Watcher(Protocol):
    """Inspects every statement before it runs: the chain writer, which is above this module."""

    def begin(self) -> None:
        """Begin a write transaction."""

    def sees(self, name: str, bindings: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return the bindings to use."""
        ...

    def finish(self) -> Callable[[], None] | None:
        """End a write transaction; return a function to call after it."""
        ...

    def close(self) -> None:
        """Note how far the file is: it is being closed."""


class SqliteConnection:
    """One open file. It may be used from any thread of the process that opened it.

    One connection writes, under a lock. Each read has its own connection, so that readers wait
    neither for each other nor for the writer.

    Attributes:
        mac_key: The key that proves rows; None if it is missing.
        known: Exchanges read and proved before.

    Args:
        connection: The connection, with its pragmas set.
        path: The file.
        cipher: Encrypts the files next to it, if its pages are encrypted.
        busy_timeout: Seconds to wait for others if SQLite itself does not.
        reconnect: Returns another connection for a reader; None if there is only one.
    """

    def __init__(
        self,
        connection: apsw.Connection,
        path: Path,
        cipher: Cipher | None = None,
        busy_timeout: float = 0.0,
        reconnect: Callable[[], apsw.Connection] | None = None,
    ) -> None:
        self.path = path
        # A file system without shared memory locks the file for one connection.
        alone = connection.pragma("locking_mode") == "exclusive"
        self._reconnect = None if alone else reconnect
        self._idle: deque[apsw.Connection] = deque()
        self._readers: list[apsw.Connection] = []
        self._reading = threading.local()
        self._busy_timeout = busy_timeout
        self.cipher = cipher
        self.lock = RLock()
        self.watcher: Watcher | None = None
        self.mac_key: MacKey | None = None
        self.known = ReadCache()
        self.writable = not connection.readonly("main")
        self._connection: apsw.Connection | None = connection
        self._sql = statements()
        self._identity = forks.identity_of(path)
        self.is_forked = False
        forks.note(self)

    def run(self, name: str, bindings: tuple[Any, ...] = ()) -> apsw.Cursor:
        """Run a named statement."""
        reader: apsw.Connection | None = getattr(self._reading, "connection", None)
        if reader is not None:
            return reader.execute(self._sql[name], bindings)
        writer = self._writer
        if self.watcher is not None:
            bindings = self.watcher.sees(name, bindings)
        return writer.execute(self._sql[name], bindings)

    @property
    def _writer(self) -> apsw.Connection:
        if self._connection is None:
            raise self._closed()
        return self._connection

    def _closed(self) -> StoreClosedError:
        return store_errors.forked() if self.is_forked else store_errors.closed()

    def rows(self, name: str, bindings: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        """Return all rows of a named statement."""
        return self.run(name, bindings).fetchall()

    def one(self, name: str, bindings: tuple[Any, ...] = ()) -> tuple[Any, ...] | None:
        """Return the first row of a named statement, or None."""
        for row in self.run(name, bindings):
            return tuple(row)
        return None

    @contextmanager
    def read(self) -> Iterator[None]:
        """Open one consistent view of the file for the block."""
        reader = self._take_reader()
        if reader is None:
            with self._transaction("BEGIN"):
                yield
            return
        self._reading.connection = reader
        try:
            with self.translated():
                reader.execute("BEGIN")
                try:
                    yield
                finally:
                    if reader.in_transaction:
                        reader.execute("COMMIT")
        finally:
            self._reading.connection = None
            self._give_back(reader)

    def _take_reader(self) -> apsw.Connection | None:
        if self._connection is None:
            raise self._closed()
        if self._reconnect is None:
            return None
        with suppress(IndexError):
            return self._idle.pop()
        if forks.identity_of(self.path) != self._identity:
            return None  # the name may belong to another file by now
        with self.translated():
            made = self._reconnect()
            made.pragma("cache_size", _READER_CACHE)
            self._readers.append(made)
            return made

    def _give_back(self, reader: apsw.Connection) -> None:
        if self.is_forked:
            return
        if self._connection is None or len(self._idle) >= _MOST_IDLE:
            self._readers.remove(reader)
            shut(reader)
        else:
            self._idle.append(reader)

    @contextmanager
    def write(self) -> Iterator[None]:
        """Run the block as one transaction, durable when it ends.

        Raises:
            StoreError: The file was removed or moved, so that nobody would find what is written.
        """
        if not self.writable and self._connection is not None:
            raise sqlite_errors.read_only(self.path)
        done = None
        with self._transaction("BEGIN IMMEDIATE"):
            if is_moved(self._writer):
                leave_log(self._writer, alone=True)  # the name may belong to another file by now
                raise sqlite_errors.gone(self.path)
            if self.watcher is not None:
                self.watcher.begin()
            yield
            if self.watcher is not None:
                done = self.watcher.finish()
        if done is not None:
            done()

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[None]:
        with self.lock, self.translated():
            self._writer.execute(begin)
            try:
                yield
                self._writer.execute("COMMIT")
            except BaseException:
                if self._connection is not None and self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    @contextmanager
    def translated(self) -> Iterator[None]:
        """Translate errors of SQLite within the block."""
        try:
            yield
        except apsw.Error as error:
            at_fault = getattr(self._reading, "connection", None) or self._connection
            said = at_fault.system_errno if at_fault is not None else 0
            raise sqlite_errors.translate(error, self.path, said) from error
        except UnicodeDecodeError as error:
            raise sqlite_errors.damaged(self.path, "a text in it is not valid text.") from error

    def purge(self) -> bool:
        """Empty the log into the file and wipe its gaps, so that no removed data is left.

        Readers hold the log back, and writers fill it again between the two steps; this waits for
        both. Return False if the wait was too long.
        """
        with self.lock:
            if self.cipher is not None:
                with self.translated():
                    self._writer.execute("VACUUM")
            deadline = time.monotonic() + self._busy_timeout
            while not (self._empty_log() and self._wipe_gaps()):
                if time.monotonic() >= deadline:
                    return False
                time.sleep(_PURGE_PAUSE * (1 + random.random()))  # noqa: S311 - two processes get out of step
            # Pages that are cached still have what was wiped, and would be written again as they are.
            with self.translated():
                self._writer.execute("PRAGMA shrink_memory")
            return True

    def _empty_log(self) -> bool:
        with self.translated():
            row = self._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            return row is None or row[0] == 0

    def _wipe_gaps(self) -> bool:
        with self.write():
            log = self.path.with_name(self.path.name + "-wal")
            if log.exists() and log.stat().st_size:
                return False
            if self.cipher is None:
                scrub(self.path, self._writer.pragma("page_size"))
            return True

    def size(self) -> int:
        """Return the bytes of the file, its log and its index."""
        parts = [self.path, self.path.with_name(self.path.name + "-wal")]
        with suppress(FileNotFoundError):
            parts += folder_of(self.path).iterdir()
        total = 0
        for part in parts:
            with suppress(FileNotFoundError):  # others may remove a file of the index at any time
                total += part.stat().st_size
        return total

    def abandon(self) -> None:
        """Give up every connection: this is a child process, and its parent may continue."""
        held = [*self._readers, *([self._connection] if self._connection else [])]
        free = self.lock.acquire(blocking=False)
        idle = free and len(self._idle) == len(self._readers)
        idle = idle and not any(one.in_transaction for one in held)
        self._connection, self.is_forked, self.lock = None, True, RLock()
        self._idle.clear()
        self._readers.clear()
        forks.leave(held, self._identity, idle=idle)

    def close(self) -> None:
        """Close the connection; the last one merges the log into the file.

        If the disk fails, nothing is lost: the log stays and is read with the file.
        """
        with self.lock:
            connection, self._connection = self._connection, None
            if connection is not None and self.watcher is not None:
                self.watcher.close()
            while self._idle:
                reader = self._idle.pop()
                self._readers.remove(reader)
                shut(reader)
            if connection is not None:
                shut(connection)
        self.known.clear()
