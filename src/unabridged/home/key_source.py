"""The key that digests and encryption use: read from where the settings say, or made new."""

import base64
import binascii
import importlib
import os
import secrets
import stat
from pathlib import Path
from typing import Any

from unabridged import config
from unabridged.disk.atomic_write import FILE_MODE, of_the_system, remove, sync_folder, write_new
from unabridged.disk.locks import locked
from unabridged.domain.encryption_key import KEY_BYTES, EncryptionKey
from unabridged.domain.settings import Settings
from unabridged.errors import InputError, MissingExtraError, SettingError, StoreKeyError
from unabridged.home.keyring_file import HomeSecrets, make_box, open_box
from unabridged.stores.sqlite.connection import is_encrypted

KEYRING = "keyring"
SERVICE, ENTRY = "unabridged", "key"
"""The names of the key in the system's keyring."""
_NO_WAITING: int = getattr(os, "O_NONBLOCK", 0)
"""A pipe in place of the file must not make us wait."""
BOX = "keybox.json"
"""The file that holds the home's secrets, wrapped by the person's key."""
LOCK_SECONDS = 30.0
"""Seconds to wait for another program that makes the box."""
_MOST = 4096
"""Bytes that are read of a key's file; a key has 65."""
_FORM = "A key is 64 hexadecimal digits; `unabridged key new FILE` makes one."


def key_of(settings: Settings) -> EncryptionKey | None:
    """Return the secret that digests are keyed with, or None; see ``secrets_of``."""
    held = secrets_of(settings)
    return held.digests if held else None


def secrets_of(settings: Settings) -> HomeSecrets | None:
    """Return the secrets of a home, made when first needed; None if the settings name no key.

    Raises:
        StoreKeyError: The key that they name does not open the box; or there is none, though
            files of the home are encrypted.
    """
    key = person_key(settings)
    if key is None:
        return None
    places = box_places(settings)
    held = open_box(places, key)
    if held is None:
        files = Path(settings.home).glob("spaces/*.db")
        encrypted = next((path for path in files if is_encrypted(path)), None)
        if encrypted is not None:
            raise StoreKeyError(
                f"{encrypted} is encrypted, but the key box {places[0]} is missing.",
                hint="Put it back: it is in the backups of the home, zip files, as config/keybox.json.",
            )
        with locked(config.folder(settings.home, "config") / ".keybox.lock", LOCK_SECONDS):
            held = open_box(places, key) or make_box(places, key)
    return held


def box_places(settings: Settings) -> tuple[Path, Path]:
    """Return the paths of a home's key box and of its copy."""
    home = Path(settings.home)
    return home / "config" / BOX, home / "spaces" / BOX


def person_key(settings: Settings) -> EncryptionKey | None:
    """Read the key that the settings name: ``file:PATH``, ``env:NAME``, ``keyring``, or none.

    Raises:
        SettingError: It is not there, is no key, or others than its owner may read its file.
        MissingExtraError: The package ``keyring`` is not installed.
    """
    place = settings.key
    if not place:
        return None
    kind, _, name = place.partition(":")
    if kind == "file":
        return _parsed(_from_file(Path(name).expanduser()), place)
    if kind == "env":
        return _parsed(_from_environment(name), place)
    return _parsed(_from_keyring(), place)


def new_key(place: str) -> EncryptionKey:
    """Make a random key and store it.

    Args:
        place: The path of a file that is not there yet, or ``keyring``.

    Raises:
        InputError: There is a key at the place already; it was left as it is.
        MissingExtraError: The package ``keyring`` is not installed.
    """
    key = EncryptionKey(secrets.token_bytes(KEY_BYTES))
    if place == KEYRING:
        _into_keyring(key)
    else:
        _into_file(key, Path(place.removeprefix("file:")).expanduser())
    return key


def _from_file(path: Path) -> str:
    try:
        handle = os.open(path, os.O_RDONLY | _NO_WAITING)
        try:
            _refuse_shared(os.fstat(handle), path)
            return os.read(handle, _MOST).decode("ascii")
        finally:
            os.close(handle)
    except FileNotFoundError:
        raise SettingError(
            f"There is no key at {path}.",
            hint=f"Correct the setting `key`, or create one with: unabridged key new {path}",
        ) from None
    except UnicodeDecodeError:
        raise SettingError(f"{path} holds no key.", hint=_FORM) from None
    except OSError as error:
        raise SettingError(
            f"The key {path} cannot be read: {error.strerror or error}.",
            hint="Give yourself the right to read it.",
        ) from error


def _refuse_shared(said: os.stat_result, path: Path) -> None:
    if os.name == "nt":
        return
    if not stat.S_ISREG(said.st_mode) or said.st_uid not in (os.geteuid(), 0):
        raise SettingError(
            f"The key {path} is no file of your own.", hint="Name a file that belongs to you."
        )
    if stat.S_IMODE(said.st_mode) & 0o077:
        raise SettingError(
            f"The key {path} can be read by others (mode {stat.S_IMODE(said.st_mode):04o}).",
            hint=f"Keep it to yourself: chmod {FILE_MODE:o} {path}",
        )


def _from_environment(name: str) -> str:
    found = config.variable(name)
    if not found:
        raise SettingError(
            f"The key is to come from ${name}, which is not set.", hint=f"Set it. {_FORM}"
        )
    return found


def _keyring() -> Any:
    try:
        return importlib.import_module("keyring")
    except ImportError:
        raise MissingExtraError("keyring", "keyring") from None


def _from_keyring() -> str:
    keyring = _keyring()
    try:
        found = keyring.get_password(SERVICE, ENTRY)
    except keyring.errors.KeyringError as error:
        raise _no_keyring(error) from error
    if not found:
        raise SettingError(
            "The system's keyring holds no key of Unabridged.",
            hint="Make one with: unabridged key new keyring",
        )
    return str(found)


def _into_keyring(key: EncryptionKey) -> None:
    keyring = _keyring()
    try:
        if keyring.get_password(SERVICE, ENTRY):
            raise InputError(
                "The system's keyring holds a key already; it was left as it is.",
                hint="Set `key` to keyring to use it.",
            )
        keyring.set_password(SERVICE, ENTRY, key.secret.hex())
    except keyring.errors.KeyringError as error:
        raise _no_keyring(error) from error


def _no_keyring(error: Exception) -> SettingError:
    return SettingError(
        f"The system's keyring cannot be used: {error}",
        hint="Unlock it, or keep the key in a file: unabridged key new FILE",
    )


def _into_file(key: EncryptionKey, path: Path) -> None:
    try:
        write_new(path, key.secret.hex().encode() + b"\n")
        sync_folder(path.absolute().parent)
    except FileExistsError:
        raise InputError(
            f"{path} is there already; it was left as it is.", hint="Name another file."
        ) from None
    except OSError as error:
        remove(path)
        raise of_the_system(error, path) from error


def _parsed(text: str, place: str) -> EncryptionKey:
    text = text.strip()
    try:
        secret = bytes.fromhex(text)
    except ValueError:
        try:
            secret = base64.b64decode(text, validate=True)
        except (binascii.Error, ValueError):
            secret = b""
    if len(secret) != KEY_BYTES:
        raise SettingError(f"{place} does not hold a key.", hint=_FORM)
    return EncryptionKey(secret)
