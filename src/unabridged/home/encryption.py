"""Encrypting the files of a home, and changing the key that its secrets are kept under."""

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
"""What exports are sealed for."""
IMPORTS = "imports"
"""The folder of a home where what could not be imported is kept."""
_NO_KEY = "Make one with `unabridged key new FILE`, and set `key` to file:FILE."


@dataclass(frozen=True, slots=True)
class Converted:
    """A file that was looked at, and whether it was converted."""

    path: Path
    changed: bool


def encrypt_home(settings: Settings, *, encrypted: bool) -> Iterator[Converted]:
    """Make every space of a home encrypted or readable, one after the other.

    Stopped, it leaves each file whole, and a second call goes on.

    Raises:
        SettingError: The settings name no key, or want readable files in an encrypted home.
        StoreError: One of them cannot be converted; those before it are.
    """
    wanted = replace(settings, encrypt=encrypted)
    need_key(wanted)
    access = access_of(wanted)
    for path in sorted(config.folder(settings.home, "spaces").glob(f"*{SUFFIX}")):
        yield Converted(path, convert(path, access, encrypted=encrypted))


def need_key(settings: Settings) -> EncryptionKey:
    """Return the key that the settings name, if it opens the secrets of the home.

    Raises:
        SettingError: They name none, or want readable files in an encrypted home.
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
        raise SettingError("The settings name no key.", hint=_NO_KEY)
    return key


def left_readable(settings: Settings) -> list[Path]:
    """Files that ``encrypt_home`` leaves as they are and that anybody can read who can read the disk.

    They were set aside, could not be imported, or are readable JSON files that were written before.
    Backups and exports are not looked into.
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
    """Let another key open the secrets of a home, in addition to the one of the settings.

    Args:
        settings: Every choice.
        place: The other key, in the form of the setting ``key``.

    Returns:
        The mark of the other key.

    Raises:
        SettingError: One of the keys is not there.
        StoreKeyError: The one of the settings does not open the secrets.
    """
    key, new = _key_of(settings), _key_of(replace(settings, key=place))
    secrets_of(settings)
    add_slot(box_places(settings), key, new)
    return new.mark


def retire_keys(settings: Settings) -> str:
    """Let only the key of the settings open the secrets of a home; return its mark.

    Raises:
        StoreKeyError: It does not open the secrets.
    """
    key = _key_of(settings)
    keep_slot(box_places(settings), key)
    return key.mark


def export_cipher(settings: Settings) -> AesGcm:
    """Return what exports are encrypted with: the person's key itself, so that any home opens them."""
    return AesGcm(_key_of(settings).for_("exports"))


def sealer(settings: Settings) -> Callable[[bytes], bytes]:
    """Return what encrypts bytes in the form of an export."""
    cipher = export_cipher(settings)

    def seal(data: bytes) -> bytes:
        held = io.BytesIO()
        with cipher.sealing(held, EXPORT) as inner:
            inner.write(data)
        return held.getvalue()

    return seal


def unsealing(settings: Settings) -> Callable[[BinaryIO], IO[bytes]] | None:
    """Return what opens encrypted exports; None if the settings name no key."""
    if not settings.key:
        return None
    return lambda stream: export_cipher(settings).unsealing(stream, EXPORT)
