"""Encrypt the files of a home, and change the key of its secrets."""

import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, BinaryIO

from unabridged import config
from unabridged.disk.cipher import AesGcm, is_sealed
from unabridged.domain.encryption_key import EncryptionKey
from unabridged.domain.settings import Settings
from unabridged.errors import SettingError
from unabridged.home.followed_spaces import json_folder_of
from unabridged.home.key_source import box_places, person_key, secrets_of
from unabridged.home.keyring_file import add_slot, keep_slot
from unabridged.home.open_spaces import access_of
from unabridged.home.spaces import SUFFIX
from unabridged.projections.json_files.file_paths import FOLDERS
from unabridged.stores.sqlite.connection import is_encrypted, need_encryption
from unabridged.stores.sqlite.convert import convert

EXPORT = b"export"
"""The purpose of the cipher of exports."""
IMPORTS = "imports"
"""The folder of a home for files that could not be imported."""
_NO_KEY = "Make one: unabridged key new FILE. Then set `key` to file:FILE."


@dataclass(frozen=True, slots=True)
class Converted:
    """A file, and whether it was converted."""

    path: Path
    changed: bool


def encrypt_home(settings: Settings, *, encrypted: bool) -> Iterator[Converted]:
    """Encrypt or decrypt every space of a home, one after the other.

    If interrupted, each file is whole, and a second call continues.

    Raises:
        SettingError: The settings have no key, or ask for readable files in an encrypted home.
        StoreError: A space cannot be converted; those before it are.
    """
    wanted = replace(settings, encrypt=encrypted)
    need_key(wanted)
    access = access_of(wanted)
    for path in sorted(config.folder(settings.home, "spaces").glob(f"*{SUFFIX}")):
        yield Converted(path, convert(path, access, encrypted=encrypted))


def need_key(settings: Settings) -> EncryptionKey:
    """Return the key that the settings name, if it opens the secrets of the home.

    Raises:
        SettingError: They have none, or ask for readable files in an encrypted home.
        StoreKeyError: It does not open them.
    """
    json_folder_of(settings)
    key = _key_of(settings)
    need_encryption()
    access_of(settings)
    return key


def _key_of(settings: Settings) -> EncryptionKey:
    key = person_key(settings)
    if key is None:
        raise SettingError("No key is set.", hint=_NO_KEY)
    return key


def left_readable(settings: Settings) -> list[Path]:
    """Return the readable files that ``encrypt_home`` does not encrypt.

    They were set aside, could not be imported, or are JSON files written before. Backups and
    exports are not checked.
    """
    home = Path(settings.home)
    aside = [path for path in home.glob(f"spaces/*{SUFFIX}.*-*") if path.name[-1].isdigit()]
    found = [path for path in aside if path.is_file() and not is_encrypted(path)]
    for name in (*FOLDERS.values(), IMPORTS):
        found += [path for path in (home / name).rglob("[!.]*") if _is_readable(path)]
    return sorted(found)


def _is_readable(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        line = file.readline(1 << 20)
    return bool(line) and not is_sealed(line)


def admit_key(settings: Settings, place: str) -> str:
    """Add a second key to the secrets of a home.

    Args:
        settings: All settings.
        place: The other key, in the form of the setting ``key``.

    Returns:
        The mark of the other key.

    Raises:
        SettingError: One of the keys is missing.
        StoreKeyError: The key of the settings does not open the secrets.
    """
    key, new = _key_of(settings), _key_of(replace(settings, key=place))
    secrets_of(settings)
    add_slot(box_places(settings), key, new)
    return new.mark


def retire_keys(settings: Settings) -> str:
    """Remove all other keys from the secrets of a home; return the mark of the rest.

    Raises:
        StoreKeyError: It does not open the secrets.
    """
    key = _key_of(settings)
    keep_slot(box_places(settings), key)
    return key.mark


def export_cipher(settings: Settings) -> AesGcm:
    """Return the key of exports: the user's key itself, so that any home opens them."""
    return AesGcm(_key_of(settings).for_("exports"))


def sealer(settings: Settings) -> Callable[[bytes], bytes]:
    """Return a function that encrypts bytes in the format of an export."""
    cipher = export_cipher(settings)

    def seal(data: bytes) -> bytes:
        held = io.BytesIO()
        with cipher.sealing(held, EXPORT) as inner:
            inner.write(data)
        return held.getvalue()

    return seal


def unsealing(settings: Settings) -> Callable[[BinaryIO], IO[bytes]] | None:
    """Return a function that opens encrypted exports; None if no key is set."""
    if not settings.key:
        return None
    return lambda stream: export_cipher(settings).unsealing(stream, EXPORT)
