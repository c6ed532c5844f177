"""The key box: the secrets of a home, wrapped by the person's key.

What is encrypted and what digests are keyed with are random secrets of the home, not the person's key. The
box holds them once for each key that opens it (its slots), so that changing the key writes one small
file anew and touches nothing that was encrypted; digests made before stay comparable. Whoever had
the old key *and* the old box knows the secrets still: see `docs/encryption.md`.

A slot is: a random nonce (16 bytes), each secret xored with keyed BLAKE2b(nonce, name) under a key
drawn from the person's key, and a keyed BLAKE2b over all of it (encrypt, then authenticate; the pad
is as long as the secret and used once).

The box lies twice in the home, since nothing that is encrypted can be read without it.
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
    """What a box holds.

    Attributes:
        digests: What chains, tombstones and receipts are keyed with.
        files: What files are encrypted with.
    """

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
    """Open a box.

    Args:
        places: Where it lies; the first that opens counts, and one that is missing or damaged beside
            it is written anew.
        key: The person's key.

    Returns:
        What it holds, or None where there is none at any place.

    Raises:
        StoreKeyError: Another key opens it.
        StoreDamagedError: Every copy is damaged.
    """
    said: StoreError | None = None
    for place in places:
        try:
            box = _read(place)
            if box is None:
                continue
            return _opened(box, key, place)
        except (StoreKeyError, StoreDamagedError) as error:
            said = said if isinstance(said, StoreKeyError) else error
    if said is not None:
        raise said
    return None


def open_copy(data: bytes, key: EncryptionKey, path: Path) -> HomeSecrets:
    """Open a box that lies elsewhere, as in a backup.

    Args:
        data: The box.
        key: The person's key.
        path: What it was found in.

    Raises:
        StoreKeyError: Another key opens it.
        StoreDamagedError: It is damaged.
    """
    return _opened(_decoded(data, path), key, path)


def put_box(places: Sequence[Path], data: bytes) -> None:
    """Write a box that was brought along, as it is; the caller looked into it.

    Raises:
        StoreError: It cannot be written.
    """
    for place in places:
        private_folder(place.parent)
        write_whole(place, data)


def make_box(places: Sequence[Path], key: EncryptionKey) -> HomeSecrets:
    """Make a box with fresh secrets; the caller made sure that there is none.

    Raises:
        StoreError: It cannot be written.
    """
    made = HomeSecrets(
        EncryptionKey(secrets.token_bytes(KEY_BYTES)), EncryptionKey(secrets.token_bytes(KEY_BYTES))
    )
    _write(places, _Box(FORMAT, [_slot(made, key)]))
    return made


def repair_box(places: Sequence[Path], key: EncryptionKey) -> bool:
    """Write a box to those of its places where it is missing, damaged or another one.

    Returns:
        Whether something was written.
    """
    whole = next((box for place in places if (box := _sound(place, key))), None)
    if whole is None:
        return False
    wrong = [place for place in places if not _sound(place, key)]
    _write(wrong, whole)
    return bool(wrong)


def add_slot(places: Sequence[Path], key: EncryptionKey, new: EncryptionKey) -> None:
    """Let another key open a box, too.

    Raises:
        StoreKeyError: The first key does not open it.
        StoreError: There is no box, or it cannot be written.
    """
    held = _must(places, key)
    box = next(box for place in places if (box := _sound(place, key)))
    slots = [slot for slot in box.slots if slot.mark != new.mark]
    _write(places, _Box(FORMAT, [*slots, _slot(held, new)]))


def keep_slot(places: Sequence[Path], key: EncryptionKey) -> None:
    """Let only this key open a box from now on.

    Raises:
        StoreKeyError: It does not open it.
        StoreError: There is no box, or it cannot be written.
    """
    _write(places, _Box(FORMAT, [_slot(_must(places, key), key)]))


def _must(places: Sequence[Path], key: EncryptionKey) -> HomeSecrets:
    held = open_box(places, key)
    if held is None:
        raise StoreKeyError(
            f"There is no key box at {places[0]}.",
            hint="Put it back: it is in the backups of the home, zip files, as config/keybox.json.",
        )
    return held


def _sound(place: Path, key: EncryptionKey) -> _Box | None:
    try:
        box = _read(place)
        if box is not None:
            _opened(box, key, place)
    except (StoreKeyError, StoreDamagedError):
        return None
    return box


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
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise _damaged(place, str(error)) from error
    if box.format != FORMAT:
        raise _damaged(place, f"its format is {box.format}, this version knows {FORMAT}")
    return box


def _opened(box: _Box, key: EncryptionKey, place: Path) -> HomeSecrets:
    for slot in box.slots:
        if slot.mark != key.mark:
            continue
        if not compare_digest(slot.seal, _seal(key, slot.nonce, slot.wrapped)):
            raise _damaged(place, "a slot is not what was written")
        held = {name: _masked(key, slot.nonce, name, slot.wrapped[name]) for name in _NAMES}
        return HomeSecrets(EncryptionKey(held["digests"]), EncryptionKey(held["files"]))
    marks = ", ".join(slot.mark for slot in box.slots)
    raise StoreKeyError(
        f"The secrets of this home are kept under the key with the mark {marks}; the one that is "
        f"named has {key.mark}.",
        hint="Name the right key: UNABRIDGED_KEY or the setting key (`unabridged key show-mark`).",
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


def _write(places: Sequence[Path], box: _Box) -> None:
    put_box(places, msgspec.json.format(msgspec.json.encode(box), indent=2) + b"\n")


def _damaged(place: Path, why: str) -> StoreDamagedError:
    return StoreDamagedError(
        f"The key box {place} cannot be read: {why}.",
        hint="Its copy is tried; else restore it from a backup of the home.",
    )
