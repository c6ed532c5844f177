"""Encrypt a file or decrypt it. A crash leaves the old or the new one, whole."""

import os
import secrets
from pathlib import Path

import apsw

from unabridged.disk import atomic_write
from unabridged.disk.cipher import MAGIC, is_sealed
from unabridged.disk.locks import locked
from unabridged.errors import NotFoundError
from unabridged.stores.sqlite import sqlite_errors
from unabridged.stores.sqlite.connection import ConnectionOptions, is_encrypted, relock
from unabridged.stores.sqlite.database import folder_of
from unabridged.stores.sqlite.open_file import exclusive, prepare, refuse_faulty_sqlite

_DRAFT = ".recoded"
_PIECE = 1 << 20


def convert(path: Path, access: ConnectionOptions, *, encrypted: bool) -> bool:
    """Encrypt or decrypt a file; return whether it changed.

    Its readable index is wiped and rebuilt.

    Raises:
        NotFoundError: There is no such file.
        StoreBusyError: Others have it open.
        StoreKeyError: It is encrypted with another key.
        StoreFullError: The disk has no room for a second copy.
    """
    refuse_faulty_sqlite()
    if not path.exists():
        raise NotFoundError(f"There is no store at {path}.", hint="Check the path.")
    with locked(path.with_name(f".{path.name}.lock"), access.busy_timeout):
        for left in path.parent.glob(f".{path.name}.*{_DRAFT}*"):
            wipe(left)  # a copy that a crash left
        changed = is_encrypted(path) != encrypted
        if changed:
            _replace(path, access, encrypted=encrypted)
        if encrypted:
            _wipe_readable(folder_of(path))
    return changed


def wipe(path: Path) -> None:
    """Overwrite a file with zeros and remove it, as far as the file system allows."""
    try:
        atomic_write.wipe(path)
    except OSError:  # it is removed anyway
        atomic_write.remove(path)


def _replace(path: Path, access: ConnectionOptions, *, encrypted: bool) -> None:
    draft = path.with_name(f".{path.name}.{secrets.token_hex(6)}{_DRAFT}")
    try:
        with exclusive(path, access), path.open("r+b") as old:
            _copy(old.fileno(), draft)
            _recode(draft, access, encrypted=encrypted)
            os.replace(draft, path)  # noqa: PTH105 - next to other system calls
            atomic_write.sync_folder(path.parent)
            # A process that waits for the old file must find nothing to write to.
            atomic_write.zero(old.fileno())
            os.ftruncate(old.fileno(), 0)
    except OSError as error:
        raise sqlite_errors.of_the_system(error, path) from error
    except apsw.Error as error:
        raise sqlite_errors.translate(error, path) from error
    finally:
        if draft.exists():
            wipe(draft)


def _copy(handle: int, draft: Path) -> None:
    target = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
    try:
        at = 0
        while piece := os.pread(handle, _PIECE, at):
            at += len(piece)
            while piece:
                piece = piece[os.write(target, piece) :]
        os.fsync(target)
    finally:
        os.close(target)


def _recode(draft: Path, access: ConnectionOptions, *, encrypted: bool) -> None:
    flags = apsw.SQLITE_OPEN_READWRITE
    connection = access.connect(str(draft), flags, encrypted=not encrypted)
    try:
        prepare(connection, access.busy_timeout)
        connection.pragma("journal_mode", "off")  # a copy: a crash discards it
        relock(connection, access.key if encrypted else b"")
    finally:
        connection.close()
    connection = access.connect(str(draft), flags, encrypted=encrypted)
    try:
        said = connection.pragma("quick_check")
        if said != "ok":
            raise sqlite_errors.damaged(draft, f"it cannot be read again ({said}).")
        connection.pragma("journal_mode", "wal")
    finally:
        connection.close()
    handle = os.open(draft, os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _wipe_readable(folder: Path) -> None:
    if folder.is_dir():
        for part in folder.iterdir():
            with part.open("rb") as file:
                readable = not is_sealed(file.read(len(MAGIC)))
            if readable:
                wipe(part)
