"""The key box in a backup: without the secrets in it nothing that is encrypted opens elsewhere."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from unabridged import config
from unabridged.disk.locks import locked
from unabridged.domain.hash_chain import MacKey
from unabridged.domain.settings import Settings
from unabridged.errors import BackupError, StoreDamagedError, StoreKeyError
from unabridged.home import backup_archive, keyring_file
from unabridged.home.key_source import BOX, LOCK_SECONDS, box_places, person_key, secrets_of
from unabridged.home.keyring_file import HomeSecrets
from unabridged.stores.sqlite.connection import ConnectionOptions

MEMBER = f"config/{BOX}"
"""Where it lies in a backup."""


def box_of(settings: Settings) -> list[tuple[str, Path]]:
    """Give the key box of a home for its backups: its name in them, and its path; wrapped, so safe."""
    return [(MEMBER, place) for place in box_places(settings) if place.is_file()][:1]


def access_in(settings: Settings, access: ConnectionOptions, path: Path) -> ConnectionOptions:
    """How a backup's files are reached: by the secrets of its own box, where the person's key opens it.

    Raises:
        BackupError: The backup cannot be read.
    """
    held = _secrets_in(settings, path, strict=False)
    if held is None:
        return access
    mac_key = MacKey(held.digests.for_("chain"), held.digests.mark)
    guard = replace(access.guard, mac_key=mac_key)
    return replace(access, key=held.files.for_("sqlite"), guard=guard)


def take_box(settings: Settings, path: Path) -> None:
    """Give an empty home the key box of the backup that it is to hold.

    Raises:
        BackupError: The home holds something, and has other secrets than the backup.
        StoreKeyError: The home is empty, and another key opens the box of the backup.
    """
    if person_key(settings) is None:
        return
    empty = next(_held(settings), None) is None
    theirs = _secrets_in(settings, path, strict=empty)
    if theirs is None or (not empty and theirs == secrets_of(settings)):
        return
    with locked(config.folder(settings.home, "config") / ".keybox.lock", LOCK_SECONDS):
        found = next(_held(settings), None)
        if found is not None:
            raise BackupError(
                f"{path} was made in a home with secrets of its own, and {found} is kept under others.",
                hint="Restore it into an empty home (--home FOLDER, the same key), "
                "then: unabridged copy sqlite: sqlite: --from-home FOLDER",
            )
        keyring_file.put_box(box_places(settings), backup_archive.member_of(path, MEMBER) or b"")


def _secrets_in(settings: Settings, path: Path, *, strict: bool) -> HomeSecrets | None:
    key = person_key(settings)
    data = backup_archive.member_of(path, MEMBER) if key else None
    if key is None or data is None:
        return None
    try:
        return keyring_file.open_copy(data, key, path)
    except StoreDamagedError as error:
        raise backup_archive.unreadable(path, str(error)) from error
    except StoreKeyError:
        if strict:
            raise
        return None  # the key was changed since: the secrets of the home may be the same


def _held(settings: Settings) -> Iterator[Path]:
    for path in (Path(settings.home) / "spaces").rglob("*"):
        if path.is_file() and path.name != BOX and not path.name.startswith("."):
            yield path
