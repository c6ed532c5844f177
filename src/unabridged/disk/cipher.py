"""AES-256-GCM over whole pieces: the ``ports.Cipher`` of files, backups and exports.

A sealed piece is: the magic (8 bytes), the mark of the key (8 bytes), a random prefix (7 bytes), and
chunks of up to 64 KiB, each with its tag (16 bytes). The nonce of a chunk is the prefix, its number
(4 bytes, big-endian) and 1 for the last one, else 0, so that chunks can be neither moved, nor left
out at the end, nor taken from another piece. Each chunk authenticates the purpose of the piece.

Source: STREAM, Hoang, Reyhanitabar, Rogaway, Vizár 2015, https://eprint.iacr.org/2015/189, as Tink
and age use it; AES-GCM from the package ``cryptography``.
"""

import io
import secrets
from collections.abc import Callable, Iterable
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, BinaryIO, Self

from unabridged.errors import MissingExtraError, StoreDamagedError, StoreKeyError

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

CHUNK = 1 << 16
"""Bytes of a chunk before sealing."""
TAG = 16
"""Bytes that sealing adds to a chunk."""
Recode = Callable[[int, bool, bytes], bytes]
"""Seals or opens one chunk: its number, whether it is the last, its bytes."""
MAGIC = b"UnabrSld"
KEY_BYTES = 32
_MARK, _PREFIX = 8, 7
_HEAD = len(MAGIC) + _MARK + _PREFIX


class SealingStream:
    """A stream that seals its content into another stream, which stays open.

    It is complete when the block ends without an error.
    """

    def __init__(self, stream: BinaryIO, sealed: Recode) -> None:
        self._stream = stream
        self._sealed = sealed
        self._number = 0
        self._held = bytearray()

    def write(self, data: "ReadableBuffer") -> int:
        """Add bytes; write complete chunks."""
        self._held += data
        while len(self._held) > CHUNK:  # the last one waits, since it is sealed as the last
            self._put(bytes(self._held[:CHUNK]), last=False)
            del self._held[:CHUNK]
        return memoryview(data).nbytes

    def writelines(self, lines: Iterable["ReadableBuffer"]) -> None:
        """Add several pieces."""
        for line in lines:
            self.write(line)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Seal the last chunk, unless writing broke off: an incomplete stream does not open."""
        if kind is None:
            self._put(bytes(self._held), last=True)

    def _put(self, chunk: bytes, *, last: bool) -> None:
        self._stream.write(self._sealed(self._number, last, chunk))
        self._number += 1


class UnsealingStream(io.RawIOBase):
    """A stream that opens a sealed one, which stays open; it returns only proved bytes."""

    def __init__(self, stream: BinaryIO, opened: Recode) -> None:
        super().__init__()
        self._stream = stream
        self._opened = opened
        self._number = 0
        self._next = self._read()
        self._held = memoryview(b"")

    def readable(self) -> bool:  # type: ignore[explicit-override]  # typing.override needs Python 3.12
        """Return True."""
        return True

    def readinto(self, target: "WriteableBuffer") -> int:  # type: ignore[explicit-override]  # see above
        """Fill a buffer with opened bytes; return 0 at the end."""
        while not self._held and (self._next or not self._number):
            chunk, self._next = self._next, self._read()
            self._held = memoryview(self._opened(self._number, not self._next, chunk))
            self._number += 1
        view = memoryview(target).cast("B")
        count = min(len(view), len(self._held))
        view[:count] = self._held[:count]
        self._held = self._held[count:]
        return count

    def _read(self) -> bytes:
        chunk = bytearray()
        while len(chunk) < CHUNK + TAG and (piece := self._stream.read(CHUNK + TAG - len(chunk))):
            chunk += piece
        return bytes(chunk)


class AesGcm:
    """Seals and opens with one key of 32 bytes for one use; implements ``ports.Cipher``.

    Raises:
        MissingExtraError: The package ``cryptography`` is not installed.
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
        """Return a stream that seals its content into another one, for a ``with`` block."""
        prefix = secrets.token_bytes(_PREFIX)
        stream.write(b"".join([MAGIC, self._mark, prefix]))

        def sealed(number: int, last: bool, chunk: bytes) -> bytes:  # noqa: FBT001 - as Recode says
            return self._aead.encrypt(_nonce(prefix, number, last), chunk, purpose)

        return SealingStream(stream, sealed)

    def unsealing(self, stream: BinaryIO, purpose: bytes) -> io.BufferedReader:
        """Return the sealed content as a stream; reading raises if it was changed.

        Raises:
            StoreKeyError: It was sealed with another key.
            StoreDamagedError: It is not a sealed piece.
        """
        from cryptography.exceptions import InvalidTag  # noqa: PLC0415 - an extra

        head = stream.read(_HEAD)
        if not is_sealed(head) or len(head) < _HEAD:
            raise _damaged("it is not a sealed piece, or is cut off")
        self._check_mark(head[len(MAGIC) : len(MAGIC) + _MARK])

        def opened(number: int, last: bool, chunk: bytes) -> bytes:  # noqa: FBT001 - as Recode says
            try:
                return self._aead.decrypt(_nonce(head[-_PREFIX:], number, last), chunk, purpose)
            except (InvalidTag, ValueError) as error:
                raise _damaged(f"its part {number + 1} was changed") from error

        return io.BufferedReader(UnsealingStream(stream, opened), CHUNK)

    def _check_mark(self, mark: bytes) -> None:
        if mark != self._mark:
            raise StoreKeyError(
                f"It was encrypted with the key of mark {mark.hex()}, not {self._mark.hex()}.",
                hint="Set its key: UNABRIDGED_KEY=file:PATH, or `unabridged config set key file:PATH`.",
            )


def is_sealed(data: bytes) -> bool:
    """Return whether bytes begin like a sealed piece."""
    return data[: len(MAGIC)] == MAGIC


def _nonce(prefix: bytes, number: int, last: bool) -> bytes:  # noqa: FBT001 - two callers, both here
    return prefix + number.to_bytes(4, "big") + bytes([last])


def _damaged(why: str) -> StoreDamagedError:
    return StoreDamagedError(
        f"An encrypted file is damaged: {why}.", hint="Restore it from a backup."
    )
