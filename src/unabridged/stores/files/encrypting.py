"""Encrypted files: each sealed whole, and each line of a companion by itself."""

import base64
import binascii
from dataclasses import dataclass
from pathlib import Path

from unabridged.disk.cipher import is_sealed
from unabridged.errors import StoreDamagedError, StoreKeyError
from unabridged.ports import Cipher

_FILE, _LINE = b"files store, file", b"files store, line"
_BEGIN, _END = b'{"sealed":"', b'"}'


@dataclass(frozen=True, slots=True)
class Encryption:
    """How files are encrypted.

    Attributes:
        cipher: What opens those that are.
        encrypts: Whether what is written is encrypted.
    """

    cipher: Cipher
    encrypts: bool


def file_out(data: bytes, encryption: Encryption | None) -> bytes:
    """Give the bytes of a file as they are to lie on the disk."""
    return encryption.cipher.seal(data, _FILE) if encryption and encryption.encrypts else data


def file_in(path: Path, data: bytes, encryption: Encryption | None) -> bytes:
    """Give what ``file_out`` was given; a file that is not sealed is given as it is.

    Raises:
        StoreKeyError: It is sealed, and the key is missing or another one.
        StoreDamagedError: It is not what was sealed.
    """
    if not is_sealed(data):
        return data
    if encryption is None:
        raise no_key(path)
    return encryption.cipher.unseal(data, _FILE)


def line_out(line: bytes, encryption: Encryption | None) -> bytes:
    """Give a line of a companion as it is to lie on the disk."""
    if not (encryption and encryption.encrypts):
        return line
    return _BEGIN + base64.b64encode(encryption.cipher.seal(line, _LINE)) + _END


def line_in(path: Path, line: bytes, encryption: Encryption | None) -> bytes:
    """Give what ``line_out`` was given; a line that is not sealed is given as it is.

    Raises:
        StoreKeyError: It is sealed, and the key is missing or another one.
        StoreDamagedError: It is not what was sealed.
    """
    if not line.startswith(_BEGIN):
        return line
    if encryption is None:
        raise no_key(path)
    try:
        sealed = base64.b64decode(line[len(_BEGIN) : -len(_END)], validate=True)
    except binascii.Error as error:
        raise StoreDamagedError(
            f"{path}: a line is not what was written.", hint="Restore it from a backup."
        ) from error
    return encryption.cipher.unseal(sealed, _LINE)


def is_sealed_line(line: bytes) -> bool:
    """Tell whether a line of a companion is sealed."""
    return line.startswith(_BEGIN)


def no_key(path: Path) -> StoreKeyError:
    """Say that a file is encrypted, and no key is named."""
    return StoreKeyError(
        f"{path} is encrypted, and no key is named.",
        hint="Name its key: UNABRIDGED_KEY=file:PATH, or `unabridged config set key file:PATH`.",
    )
