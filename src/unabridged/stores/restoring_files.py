"""Giving back what a backup holds into files that people can read."""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from types import MappingProxyType

from unabridged.disk.durable import of_the_system
from unabridged.disk.folders import private_folder
from unabridged.disk.locks import locked
from unabridged.domain.safekeeping import Restored
from unabridged.domain.scope import Space
from unabridged.errors import BackupError, NotFoundError, StoreError
from unabridged.ports import Store
from unabridged.stores.backups import BackupsFolder, open_copy
from unabridged.stores.copying import compare, copy
from unabridged.stores.files import together
from unabridged.stores.files.folder import FilesFolder, files_of
from unabridged.stores.files.rescuing import PATIENCE, put
from unabridged.stores.packing import Moved
from unabridged.stores.restoring import (
    SETTINGS,
    Place,
    give_settings,
    refuse,
    refuse_forgotten,
    wanted,
)


def restore_files(
    backups: BackupsFolder,
    spaces: FilesFolder,
    path: Path,
    moved: Moved,
    *,
    renamed: Space | None = None,
    replace: bool = False,
    settings: Path | None = None,
    left: Mapping[str, datetime] | None = MappingProxyType({}),
) -> list[Restored]:
    """Give back every space of a backup; see ``restoring.restore``.

    Raises:
        BackupError: It does not prove right, a space is there already, or it would bring back what
            was forgotten.
        StoreError: It cannot be written; what was there is as it was.
    """
    try:
        private_folder(spaces.folder)
        with backups.unpacked(path, moved) as (manifest, folder):
            places = []
            for held, space, unpacked in wanted(manifest, folder, renamed):
                copied = open_copy(unpacked, held, backups.access)
                try:
                    there = space == held.space and _is_same(spaces, space, copied)
                finally:
                    copied.close()
                places.append(Place(held, space, spaces.path_of(space), unpacked, there))
            refuse(places, replace=replace)
            for place in places if left is not None else ():
                refuse_forgotten(spaces, backups.access, place, manifest.at, left or {})
            done = [_restored(backups, spaces, one, moved) for one in places]
            if settings is not None and manifest.home:
                give_settings(folder / SETTINGS, settings)
    except OSError as error:
        raise of_the_system(error, spaces.folder) from error
    return done


def _is_same(spaces: FilesFolder, space: Space, copied: Store) -> bool:
    """Whether a space is there as the backup has it."""
    try:
        store = spaces.open(space, create=False)
    except (StoreError, NotFoundError):
        return False
    try:
        return compare(store, copied).equal and compare(copied, store).equal
    finally:
        store.close()


def _restored(backups: BackupsFolder, spaces: FilesFolder, place: Place, moved: Moved) -> Restored:
    if place.there:
        return Restored(place.space, place.held.exchanges, there=True)
    at = spaces.place_of(place.space)
    private_folder(at.folder)
    copied = open_copy(place.folder, place.held, backups.access)
    try:
        with locked(at.lock, PATIENCE):
            together.finish(at.intent)
            if files_of(at) and not place.path.exists():
                raise BackupError(
                    f"There is a space {place.space.name!r} by now.", hint="Repeat the restore."
                )
            aside = put(
                spaces, place.space, at, lambda store: _fill(copied, store, moved), "replaced"
            )
    finally:
        copied.close()
    return Restored(place.space, place.held.exchanges, str(aside) if aside else None)


def _fill(copied: Store, store: Store, moved: Moved) -> None:
    copy(copied, store, moved=moved)
    if not compare(copied, store).equal:
        raise BackupError(
            "What was written is not what the backup holds.", hint="Look at the disk."
        )
