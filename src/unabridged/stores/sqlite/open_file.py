"""Open a file with checks, and create a new one whole."""

import os
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import apsw

from unabridged.disk.atomic_write import sync_folder
from unabridged.disk.folders import private_folder
from unabridged.disk.large_files import give_name
from unabridged.errors import NotFoundError, StoreError, StoreFormatError, StoreReadOnlyError
from unabridged.stores.sqlite import sqlite_errors
from unabridged.stores.sqlite.connection import ConnectionOptions, is_encrypted, shut, wrong_key
from unabridged.stores.sqlite.database import SqliteConnection
from unabridged.stores.sqlite.exclusive import is_moved, leave_log
from unabridged.stores.sqlite.sql import schema, statements

FORMAT = 1
"""The file format; others are refused."""
APPLICATION_ID = 0x556E6162
"""``Unab``: marks our files in their header."""
_PRAGMAS = """
PRAGMA synchronous = FULL;
PRAGMA secure_delete = ON;
PRAGMA temp_store = MEMORY;
PRAGMA cell_size_check = ON;
PRAGMA trusted_schema = OFF;
PRAGMA cache_size = -16000;
"""
_SAFE_BRANCHES = ((3, 50, 7), (3, 44, 6))
"""Releases of older branches with the fix of the WAL-reset bug."""
_REPAIRED = (3, 51, 3)
_FIRST_WITH_WAL = (3, 7, 0)


def has_wal_reset_fault(version: str) -> bool:
    """Return whether a version of SQLite can corrupt a shared WAL.

    Source: https://www.sqlite.org/wal.html#walresetbug: 3.7.0 to 3.51.2, fixed in 3.51.3 and, for
    older branches, in 3.50.7 and 3.44.6.
    """
    number = tuple(int(part) for part in version.split("."))[:3]
    if number >= _REPAIRED or number < _FIRST_WITH_WAL:
        return False
    return not any(number[:2] == safe[:2] and number >= safe for safe in _SAFE_BRANCHES)


def refuse_faulty_sqlite() -> None:
    """Refuse an SQLite that can corrupt a file."""
    version = apsw.sqlite_lib_version()
    if has_wal_reset_fault(version):
        raise StoreError(
            f"SQLite {version} can corrupt a file that several programs share.",
            hint="Install a newer one with: pip install --upgrade apsw",
        )


def open_database(path: Path, access: ConnectionOptions) -> SqliteConnection:
    """Open a file that exists.

    Raises:
        NotFoundError: There is no such file.
        StoreDamagedError: It is not a database, or damaged.
        StoreKeyError: It is encrypted, and the key is missing or wrong.
        StoreFormatError: It has a newer format, or is not a store.
        StoreForkedError: Another thread was using it when this process was forked.
    """
    refuse_faulty_sqlite()
    while True:
        if not path.exists():
            raise NotFoundError(
                f"There is no store at {path}.", hint="Create it, or check the path."
            )
        before = path.stat().st_ino
        try:
            return _open(path, access)
        except StoreError:
            # Another program may have replaced it with an encrypted copy in the meantime.
            if path.exists() and path.stat().st_ino == before:
                raise


def _open(path: Path, access: ConnectionOptions) -> SqliteConnection:
    if path.stat().st_size == 0:
        raise sqlite_errors.damaged(path, "the file is empty.")
    encrypted = is_encrypted(path)
    try:
        connection = connect(path, access, encrypted=encrypted)
    except apsw.NotADBError as error:
        raise (wrong_key(path) if encrypted else sqlite_errors.translate(error, path)) from error
    except apsw.Error as error:
        raise sqlite_errors.translate(error, path) from error
    try:
        _refuse_stranger(connection, path)
    except BaseException as error:
        shut(connection)
        if isinstance(error, apsw.Error):
            raise sqlite_errors.translate(error, path) from error
        raise
    cipher = access.cipher() if encrypted else None
    return SqliteConnection(
        connection,
        path,
        cipher,
        access.busy_timeout,
        lambda: connect(path, access, encrypted=encrypted),
    )


def connect(path: Path, access: ConnectionOptions, *, encrypted: bool) -> apsw.Connection:
    """Connect to the file that now has the name; read-only if it cannot be written.

    Raises:
        StoreReadOnlyError: It cannot be read in its folder.
        apsw.Error: Any other error of SQLite.
    """
    connection = access.connect(str(path), apsw.SQLITE_OPEN_READWRITE, encrypted=encrypted)
    try:
        leave_log(connection, alone=True)
        prepare(connection, access.busy_timeout)
        if is_moved(connection):
            shut(connection)
            return connect(path, access, encrypted=encrypted)
        leave_log(connection, alone=False)
    except (apsw.CantOpenError, apsw.ReadOnlyError):
        # A read-only folder cannot hold the -shm file that WAL needs. Without a log next to it, the
        # file is complete and can be read as it is.
        shut(connection)
        log = path.with_name(path.name + "-wal")
        if log.exists() and log.stat().st_size:
            raise waiting_log(path) from None
        uri = f"file:{quote(str(path.absolute()))}?immutable=1"
        flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        connection = access.connect(uri, flags, encrypted=encrypted)
        prepare(connection, access.busy_timeout)
    except BaseException:
        shut(connection)
        raise
    return connection


def waiting_log(path: Path) -> StoreReadOnlyError:
    """Return the error for a file whose log cannot be merged."""
    return StoreReadOnlyError(
        f"{path} cannot be read: its log must be merged first, and the folder is read-only.",
        hint="Open it once with write access to the folder, or copy all its files elsewhere.",
    )


def prepare(connection: apsw.Connection, busy_timeout: float) -> None:
    """Set the pragmas of a connection and read the file for the first time."""
    connection.set_busy_timeout(max(1, round(busy_timeout * 1000)))
    connection.execute(_PRAGMAS)
    connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchall()


def _refuse_stranger(connection: apsw.Connection, path: Path) -> None:
    identity = connection.pragma("application_id")
    version = connection.pragma("user_version")
    if identity != APPLICATION_ID:
        raise StoreFormatError(
            f"{path} is a database, but not a store of Unabridged.", hint="Check the path."
        )
    if version != FORMAT:
        raise StoreFormatError(
            f"{path} has format {version}; this version reads format {FORMAT}.",
            hint="Use the version that wrote it. The file was not changed.",
        )
    if not connection.readonly("main") and connection.pragma("journal_mode") != "wal":
        connection.pragma("journal_mode", "wal")


@contextmanager
def exclusive(path: Path, access: ConnectionOptions) -> Iterator[apsw.Connection]:
    """Lock a file in one transaction, with its log merged, so that it can be replaced.

    Raises:
        StoreBusyError: Others have it open.
    """
    refuse_faulty_sqlite()
    encrypted = is_encrypted(path)
    try:
        connection = access.connect(str(path), apsw.SQLITE_OPEN_READWRITE, encrypted=encrypted)
    except apsw.Error as error:
        raise sqlite_errors.translate(error, path) from error
    try:
        prepare(connection, access.busy_timeout)
        connection.pragma("journal_mode", "delete")
        connection.execute("BEGIN EXCLUSIVE")
        with connection:
            yield connection
        connection.execute("COMMIT")
    except apsw.Error as error:
        raise sqlite_errors.translate(error, path, connection.system_errno) from error
    finally:
        shut(connection)


def create_file(
    path: Path, access: ConnectionOptions, first: Iterable[tuple[str, tuple[Any, ...]]]
) -> None:
    """Create a file under a temporary name, then rename it if the name is free.

    A crash leaves no file or a complete one; two simultaneous calls make one. The arguments are the
    first statements by name, with their bindings.

    Raises:
        StoreDamagedError: There is a log without its file.
        StoreReadOnlyError: The folder cannot be written.
        StoreFullError: The disk is full.
    """
    refuse_faulty_sqlite()
    # In this order: others may have created it since the check.
    if path.with_name(path.name + "-wal").exists() and not path.exists():
        raise sqlite_errors.damaged(path, "the store is missing, but its log exists.")
    draft = path.with_name(f".{path.name}.{secrets.token_hex(6)}.new")
    try:
        private_folder(path.parent)
        os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        try:
            _fill(draft, access, first)
            with suppress(FileExistsError):
                give_name(draft, path)
        finally:
            draft.unlink(missing_ok=True)
        sync_folder(path.parent)
    except OSError as error:
        raise sqlite_errors.of_the_system(error, path) from error
    except apsw.Error as error:
        raise sqlite_errors.translate(error, path) from error


def _fill(
    draft: Path, access: ConnectionOptions, first: Iterable[tuple[str, tuple[Any, ...]]]
) -> None:
    flags = apsw.SQLITE_OPEN_READWRITE
    connection = access.connect(str(draft), flags, encrypted=access.encrypts and bool(access.key))
    try:
        connection.execute(_PRAGMAS)
        connection.pragma("application_id", APPLICATION_ID)
        with connection:
            connection.execute(schema())
            connection.pragma("user_version", FORMAT)
            for name, bindings in first:
                connection.execute(statements()[name], bindings)
        connection.pragma("journal_mode", "wal")
    except apsw.Error as error:
        raise sqlite_errors.translate(error, draft, connection.system_errno) from error
    finally:
        shut(connection)
