"""Copy a file as it is at one moment, while others write.

The copy is made through one read transaction (https://www.sqlite.org/backup.html and
https://www.sqlite.org/isolation.html): it sees the file as it was at the start, however much others
write. A copy without a transaction restarts with every write. Until it ends the log cannot be moved
into the file, so the log grows with every write.
"""

import os
from collections.abc import Callable
from pathlib import Path

import apsw

from unabridged.stores.sqlite import sqlite_errors
from unabridged.stores.sqlite.connection import ConnectionOptions, is_encrypted
from unabridged.stores.sqlite.open_file import connect

STEP = 1024
"""Pages copied between two reports."""


def copy(
    path: Path, target: Path, access: ConnectionOptions, moved: Callable[[float], None]
) -> None:
    """Copy a file and its log, without the index, which is rebuilt from the rows.

    ``moved`` is called with the share done. The copy is encrypted if the file is. A failure may
    leave a part of the target.

    Raises:
        StoreDamagedError: The file is damaged.
        StoreFullError: The disk is full.
    """
    try:
        os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        encrypted = is_encrypted(path)
        source = connect(path, access, encrypted=encrypted)
    except OSError as error:
        raise sqlite_errors.of_the_system(error, target) from error
    except apsw.Error as error:
        raise sqlite_errors.translate(error, path) from error
    try:
        flags = apsw.SQLITE_OPEN_READWRITE
        copied = access.connect(str(target), flags, encrypted=encrypted)
        try:
            _copy_pages(source, copied, moved)
            _in_one_file(copied)
        finally:
            copied.close()
    except apsw.Error as error:
        at = target if isinstance(error, apsw.FullError | apsw.IOError) else path
        raise sqlite_errors.translate(error, at, source.system_errno) from error
    finally:
        source.close()


def _copy_pages(
    source: apsw.Connection, copied: apsw.Connection, moved: Callable[[float], None]
) -> None:
    source.execute("BEGIN")
    source.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchall()  # fixes the moment
    with copied.backup("main", source, "main") as backup:
        while not backup.done:
            backup.step(STEP)
            moved(1 - backup.remaining / max(1, backup.page_count))
    source.execute("ROLLBACK")


def _in_one_file(connection: apsw.Connection) -> None:
    connection.execute("PRAGMA synchronous = OFF;")
    connection.pragma("journal_mode", "delete")
