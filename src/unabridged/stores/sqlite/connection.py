"""Connections to a file: the timeout, the key and the encryption."""

from contextlib import suppress
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path

import apsw

from unabridged.disk.cipher import KEY_BYTES, AesGcm
from unabridged.errors import MissingExtraError, StoreError, StoreKeyError
from unabridged.ports import Cipher
from unabridged.stores.integrity_policy import IntegrityPolicy
from unabridged.stores.sqlite.forks import refuse_in_use

BUSY_TIMEOUT = 30.0
"""Seconds to wait for other writers; a transaction takes milliseconds."""
CIPHER = "chacha20"
"""ChaCha20-Poly1305, a nonce and a tag for each page: the default of SQLite3 Multiple Ciphers."""
_PLAIN = b"SQLite format 3\x00"
_FRACTIONS = bytes([64, 32, 32])
"""The bytes from 21 on of every SQLite file, even an encrypted one."""
_HEADER = 24


@dataclass(frozen=True, slots=True)
class ConnectionOptions:
    """How to open a file.

    Attributes:
        busy_timeout: Seconds to wait for other writers.
        key: 32 bytes that open encrypted files; empty for none.
        encrypts: Whether new files are encrypted with it.
    """

    busy_timeout: float = BUSY_TIMEOUT
    key: bytes = field(default=b"", repr=False)
    encrypts: bool = True
    guard: IntegrityPolicy = field(default_factory=IntegrityPolicy)

    def connect(self, path: str, flags: int, *, encrypted: bool) -> apsw.Connection:
        """Return a connection to a file or its URI, without reading the file.

        Raises:
            StoreKeyError: It is encrypted, and there is no key.
            MissingExtraError: This SQLite cannot encrypt.
        """
        if encrypted and not self.key:
            raise StoreKeyError(
                f"{path} is encrypted, and no key is set.",
                hint="Set its key: UNABRIDGED_KEY=file:PATH, or `unabridged config set key file:PATH`.",
            )
        connection = apsw.Connection(path, flags=flags)
        if encrypted:
            try:
                _unlock(connection, self.key)
            except BaseException:
                connection.close()
                raise
        return connection

    def for_copies(self) -> "ConnectionOptions":
        """Return the access to copies of a store: of any age, without an anchor."""
        return replace(self, guard=replace(self.guard, anchor=None, seen=None, strict=False))

    def cipher(self) -> Cipher:
        """The cipher of the files next to an encrypted one."""
        return AesGcm(blake2b(self.key, digest_size=KEY_BYTES, person=b"index segments").digest())


def is_encrypted(path: Path) -> bool:
    """Return whether a file is an encrypted database, by its first bytes.

    Source: https://www.sqlite.org/fileformat2.html#the_database_header and
    https://utelle.github.io/SQLite3MultipleCiphers/docs/configuration/config_uri/: bytes 16 to 23
    are never encrypted, and each page reserves bytes at its end (byte 20) for nonce and tag. The
    file is read through SQLite's file layer: closing it otherwise would drop this process's locks
    on it (https://www.sqlite.org/howtocorrupt.html, 2.2).

    Raises:
        StoreForkedError: Another thread was using it when this process was forked.
    """
    refuse_in_use(path)  # before SQLite, in which that thread may hold a lock for ever
    try:
        flags = [apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READONLY, 0]
        file = apsw.VFSFile("", str(path), flags)
    except apsw.Error:
        return False
    try:
        head = file.xRead(_HEADER, 0)
    except apsw.Error:
        return False
    finally:
        file.xClose()
    return head[:16] != _PLAIN and head[21:24] == _FRACTIONS and head[20:21] not in (b"", b"\x00")


def wrong_key(path: Path) -> StoreKeyError:
    """Return the error of a file that the key does not open."""
    return StoreKeyError(
        f"{path} does not open with this key (or its beginning is damaged).",
        hint="Set its key: UNABRIDGED_KEY=file:PATH, or `unabridged config set key file:PATH`.",
    )


def shut(connection: apsw.Connection) -> None:
    """Close a connection; if the disk fails, the log stays and is read with the file."""
    with suppress(apsw.IOError, apsw.FullError):
        connection.close()


def can_encrypt() -> bool:
    """Return whether the installed SQLite can encrypt."""
    return hasattr(apsw, "mc_version")


def need_encryption() -> None:
    """Check that SQLite can encrypt.

    Two packages contain the module ``apsw``; the one with encryption must be installed last.
    """
    if not can_encrypt():
        last = "install --force-reinstall --no-deps apsw-sqlite3mc"
        raise MissingExtraError("apsw-sqlite3mc", "encryption", last)


def relock(connection: apsw.Connection, key: bytes) -> None:
    """Encrypt an open file with another key, or with none."""
    need_encryption()
    connection.pragma("cipher", CIPHER)
    connection.pragma("rekey", f"raw:{key.hex()}" if key else "")


def _unlock(connection: apsw.Connection, key: bytes) -> None:
    need_encryption()
    connection.pragma("cipher", CIPHER)
    if connection.pragma("key", f"raw:{key.hex()}") != "ok":
        raise StoreError(
            "SQLite3 Multiple Ciphers did not accept the key.",
            hint="Install the newest one with: pip install --upgrade apsw-sqlite3mc",
        )
