"""AES-256-GCM over whole pieces: what ``ports.Cipher`` is for files, backups and exports.

A sealed piece is: the magic (8 bytes), the mark of the key (8 bytes), a random prefix (7 bytes), and
chunks of up to 64 KiB, each with its tag (16 bytes). The nonce of a chunk is the prefix, its number
(4 bytes, big-endian) and 1 for the last one, else 0, so that chunks can be neither moved, nor left
out at the end, nor taken from another piece. What the piece is for is authenticated with each chunk.

Source: STREAM, Hoang, Reyhanitabar, Rogaway, Vizár 2015, https://eprint.iacr.org/2015/189, as Tink
and age use it; AES-GCM from the package ``cryptography``.
"""

import io
import secrets
from functools import cached_property
from hashlib import blake2b
from importlib.util import find_spec
from typing import TYPE_CHECKING, BinaryIO

from unabridged.disk.encrypted_stream import CHUNK, SealingStream, UnsealingStream
from unabridged.errors import MissingExtraError, StoreDamagedError, StoreKeyError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

MAGIC = b"UnabrSld"
KEY_BYTES = 32
_MARK, _PREFIX = 8, 7
_HEAD = len(MAGIC) + _MARK + _PREFIX


class AesGcm:
    """Seals and opens with one key; implements ``ports.Cipher``.

    Args:
        key: 32 bytes, for this use only.

    Raises:
        MissingExtraError: The package that does it is not installed.
    """

    def __init__(self, key: bytes) -> None:
        if len(key) != KEY_BYTES:
            raise ValueError(f"a key has {KEY_BYTES} bytes, not {len(key)}")
        self._key = key
        self._mark = blake2b(key, digest_size=_MARK, person=b"unabridged mark").digest()
        self._aead  # noqa: B018 - a missing package is said before anything is written

    @cached_property
    def _aead(self) -> "AESGCM":
        try:
            from cryptography.hazmat.primitives.ciphers.aead import (  # noqa: PLC0415 - an extra
                AESGCM,
            )
        except ImportError as error:
            raise MissingExtraError("cryptography", "encryption") from error
        return AESGCM(self._key)

    @property
    def identity(self) -> str:
        return f"aes-256-gcm:{self._mark.hex()}"

    def encrypt(self, data: bytes, purpose: bytes) -> bytes:
        sealed = io.BytesIO()
        with self.sealing(sealed, purpose) as stream:
            stream.write(data)
        return sealed.getvalue()

    def decrypt(self, data: bytes, purpose: bytes) -> bytes:
        return self.unsealing(io.BytesIO(data), purpose).read()

    def sealing(self, stream: BinaryIO, purpose: bytes) -> SealingStream:
        """Give a stream whose content is sealed into another one, for a ``with`` block."""
        prefix = secrets.token_bytes(_PREFIX)
        stream.write(b"".join([MAGIC, self._mark, prefix]))

        def sealed(number: int, last: bool, chunk: bytes) -> bytes:  # noqa: FBT001 - as Recode says
            return self._aead.encrypt(_nonce(prefix, number, last), chunk, purpose)

        return SealingStream(stream, sealed)

    def unsealing(self, stream: BinaryIO, purpose: bytes) -> io.BufferedReader:
        """Give what was sealed as a stream; reading raises where it is not what was sealed.

        Raises:
            StoreKeyError: It was sealed with another key.
            StoreDamagedError: It is no sealed piece.
        """
        from cryptography.exceptions import InvalidTag  # noqa: PLC0415 - an extra

        head = stream.read(_HEAD)
        if not is_sealed(head) or len(head) < _HEAD:
            raise _damaged("it is no sealed piece, or cut off")
        self._check_mark(head[len(MAGIC) : len(MAGIC) + _MARK])

        def opened(number: int, last: bool, chunk: bytes) -> bytes:  # noqa: FBT001 - as Recode says
            try:
                return self._aead.decrypt(_nonce(head[-_PREFIX:], number, last), chunk, purpose)
            except (InvalidTag, ValueError) as error:
                raise _damaged(f"its part {number + 1} is not what was sealed") from error

        return io.BufferedReader(UnsealingStream(stream, opened), CHUNK)

    def _check_mark(self, mark: bytes) -> None:
        if mark != self._mark:
            raise StoreKeyError(
                f"It was encrypted with the key of the mark {mark.hex()}, not {self._mark.hex()}.",
                hint="Name its key: UNABRIDGED_KEY=file:PATH, or `unabridged config set key file:PATH`.",
            )


def can_seal() -> bool:
    """Whether the package that seals is installed."""
    return find_spec("cryptography") is not None


def is_sealed(data: bytes) -> bool:
    """Tell whether bytes begin like a sealed piece."""
    return data[: len(MAGIC)] == MAGIC


def _nonce(prefix: bytes, number: int, last: bool) -> bytes:  # noqa: FBT001 - two callers, both here
    return prefix + number.to_bytes(4, "big") + bytes([last])


def _damaged(why: str) -> StoreDamagedError:
    return StoreDamagedError(
        f"What was encrypted is damaged: {why}.", hint="Restore it from a backup."
    )
