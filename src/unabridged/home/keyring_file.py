"""The key box: the secrets of a home, wrapped by the user's key.

Encryption and keyed digests use random secrets of the home, not the user's key. The box contains
them once for each key that opens it (its slots). So changing the key writes one small file,
encrypted files stay as they are, and older digests stay comparable. Whoever had the old key *and*
the old box still has the secrets: see `docs/encryption.md`.

A slot is: a random nonce (16 bytes), each secret xored with keyed BLAKE2b(nonce, name) under a key
derived from the user's key, and a keyed BLAKE2b over all of it (encrypt, then authenticate; the pad
is as long as the secret and used once).

The home has two copies of the box, since no encrypted file can be read without it.
"""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from hmac import compare_digest
from pathlib import Path

import msgspec

from unabridged.disk.atomic_write import write_whole
from unabridged.disk.folders import private_folder
from unabridged.domain.encryption_key import KEY_BYTES, EncryptionKey
from unabridged.errors import StoreDamagedError, StoreError, StoreKeyError

FORMAT = 1
_NONCE = 16
_NAMES = ("digests", "files")


@dataclass(frozen=True, slots=True)
class HomeSecrets:
    """The secrets of a box: the keys of digests (chains, tombstones, receipts), and of files."""

    digests: EncryptionKey
    files: EncryptionKey


class _Slot(msgspec.Struct, frozen=True):
    mark: str
    nonce: bytes
    wrapped: dict[str, bytes]
    seal: bytes


class _Box(msgspec.Struct, frozen=True):
    format: int
    slots: list[_Slot]


def open_box(places: Sequence[Path], key: EncryptionKey) -> HomeSecrets | None:
    """Return the secrets of the first box that opens; None if there is no box.

    Raises:
        StoreKeyError: Another key opens it.
        StoreDamagedError: Every copy is damaged.
    """
    found = _open(places, key)
    return found[1] if found else None


def _open(places: Sequence[Path], key: EncryptionKey) -> tuple[_Box, HomeSecrets] | None:
    said: StoreError | None = None
    for place in places:
        try:
            box = _read(place)
            if box is not None:
                return box, _opened(box, key, place)
        except (StoreKeyError, StoreDamagedError) as error:
            said = said if isinstance(said, StoreKeyError) else error
    if said is not None:
        raise said
    return None


def open_copy(data: bytes, key: EncryptionKey, path: Path) -> HomeSecrets:
    """Open a box from another file, such as a backup.

    Raises:
        StoreKeyError: Another key opens it.
        StoreDamagedError: It is damaged.
    """
    return _opened(_decoded(data, path), key, path)


def put_box(places: Sequence[Path], data: bytes) -> None:
    """Write the bytes of a box to each place; the caller has checked them."""
    for place in places:
        private_folder(place.parent)
        write_whole(place, data)


def make_box(places: Sequence[Path], key: EncryptionKey) -> HomeSecrets:
    """Create a box with new secrets; the caller has checked that there is none."""
    made = HomeSecrets(
        EncryptionKey(secrets.token_bytes(KEY_BYTES)), EncryptionKey(secrets.token_bytes(KEY_BYTES))
    )
    _write(places, [_slot(made, key)])
    return made


def add_slot(places: Sequence[Path], key: EncryptionKey, new: EncryptionKey) -> None:
    """Add a key to a box."""
    box, held = _must(places, key)
    slots = [slot for slot in box.slots if slot.mark != new.mark]
    _write(places, [*slots, _slot(held, new)])


def keep_slot(places: Sequence[Path], key: EncryptionKey) -> None:
    """Remove all other keys from a box."""
    _, held = _must(places, key)
    _write(places, [_slot(held, key)])


def _must(places: Sequence[Path], key: EncryptionKey) -> tuple[_Box, HomeSecrets]:
    found = _open(places, key)
    if found is None:
        raise StoreKeyError(
            f"There is no key box at {places[0]}.",
            hint="Restore it from a backup of the home, a zip file with config/keybox.json.",
        )
    return found


def _read(place: Path) -> _Box | None:
    try:
        data = place.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _damaged(place, str(error.strerror)) from error
    return _decoded(data, place)


def _decoded(data: bytes, place: Path) -> _Box:
    try:
        box = msgspec.json.decode(data, type=_Box)
    except (ValueError, RecursionError) as error:
        raise _damaged(place, str(error)) from error
    if box.format != FORMAT:
        raise _damaged(place, f"its format is {box.format}; this version supports {FORMAT}")
    return box


def _opened(box: _Box, key: EncryptionKey, place: Path) -> HomeSecrets:
    for slot in box.slots:
        if slot.mark != key.mark:
            continue
        if not compare_digest(slot.seal, _seal(key, slot.nonce, slot.wrapped)):
            raise _damaged(place, "a slot was changed")
        held = {name: _masked(key, slot.nonce, name, slot.wrapped[name]) for name in _NAMES}
        return HomeSecrets(EncryptionKey(held["digests"]), EncryptionKey(held["files"]))
    marks = ", ".join(slot.mark for slot in box.slots)
    raise StoreKeyError(
        f"The secrets of this home need the key with the mark {marks}; the configured "
        f"key has {key.mark}.",
        hint="Set the right key: UNABRIDGED_KEY or the setting key (`unabridged key show-mark`).",
    )


def _slot(held: HomeSecrets, key: EncryptionKey) -> _Slot:
    nonce = secrets.token_bytes(_NONCE)
    plain = {"digests": held.digests.secret, "files": held.files.secret}
    wrapped = {name: _masked(key, nonce, name, secret) for name, secret in plain.items()}
    return _Slot(key.mark, nonce, wrapped, _seal(key, nonce, wrapped))


def _masked(key: EncryptionKey, nonce: bytes, name: str, data: bytes) -> bytes:
    pad = blake2b(nonce + name.encode(), key=key.for_("box"), digest_size=KEY_BYTES).digest()
    return bytes(a ^ b for a, b in zip(data, pad, strict=True))


def _seal(key: EncryptionKey, nonce: bytes, wrapped: Mapping[str, bytes]) -> bytes:
    said = b"".join(name.encode() + wrapped.get(name, b"") for name in _NAMES)
    return blake2b(nonce + said, key=key.for_("box seal"), digest_size=KEY_BYTES).digest()


def _write(places: Sequence[Path], slots: list[_Slot]) -> None:
    data = msgspec.json.encode(_Box(FORMAT, slots))
    put_box(places, msgspec.json.format(data, indent=2) + b"\n")


def _damaged(place: Path, why: str) -> StoreDamagedError:
    return StoreDamagedError(
        f"The key box {place} cannot be read: {why}.",
        hint="If its copy fails too, restore it from a backup of the home.",
    )
