"""Restore a backup: unpack and check it next to its place, then move it there."""

import dataclasses
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from unabridged.disk.atomic_write import system_errors, write_whole
from unabridged.disk.folders import private_folder
from unabridged.disk.large_files import give_name
from unabridged.disk.locks import locked
from unabridged.domain.backup_results import BackupResult, RestoreResult
from unabridged.domain.scope import SpaceId
from unabridged.errors import BackupError, NotFoundError, StoreError
from unabridged.forgetting.replay import forgotten_in, replay as replay_forgetting
from unabridged.home import replace_file
from unabridged.home.backup_archive import BackupManifest, Moved
from unabridged.home.backups import open_copy
from unabridged.home.restore_moment import Unpacked
from unabridged.home.spaces import SpacesFolder
from unabridged.ports import Clock
from unabridged.stores.copy_space import compare
from unabridged.stores.sqlite import SqliteStore
from unabridged.stores.sqlite.chain_setup import name_space, renew_generation
from unabridged.stores.sqlite.convert import convert
from unabridged.stores.sqlite.open_file import exclusive
from unabridged.stores.sqlite.rows import space_data
from unabridged.stores.sqlite.store import COPY

SETTINGS = "config"
"""The folder of settings in a backup and in a home."""


@dataclass(frozen=True, slots=True)
class RestoreTarget:
    """The target of a space of a backup."""

    held: BackupResult
    space: SpaceId
    path: Path
    folder: Path
    there: bool
    forgotten: bool = False


@dataclass(frozen=True, slots=True)
class ForgottenSince:
    """What a restored backup is relieved of.

    Attributes:
        clock: The clock.
        left: Name to time of spaces that were forgotten whole.
    """

    clock: Clock
    left: Mapping[str, datetime] = field(default_factory=dict)


def restore(
    source: Unpacked,
    spaces: SpacesFolder,
    moved: Moved,
    *,
    renamed: SpaceId | None = None,
    replace: bool = False,
    settings: Path | None = None,
    since: ForgottenSince | None = None,
) -> list[RestoreResult]:
    """Restore every space of what is unpacked; a crash leaves each old or restored.

    Args:
        source: Unpacks a backup, or what else is restored, in the folder of spaces.
        spaces: The folder of spaces.
        moved: Called with the progress.
        renamed: The target space, for a backup of one space.
        replace: Whether to set existing spaces aside; else nothing is done.
        settings: The folder that gets the settings of a home, if it has none.
        since: What was forgotten since: it is left out, and a space that was forgotten whole is
            refused. None restores it too.

    Raises:
        BackupError: It fails its check, a space exists, or it was forgotten whole.
        StoreBusyError: Others have a space open that would be replaced; it is unchanged.
    """
    with system_errors(spaces.folder):
        private_folder(spaces.folder)
        with locked(spaces.folder / replace_file.LOCK, spaces.busy_timeout):
            replace_file.sweep(spaces.folder)
            with source as (manifest, folder):
                places = _places(spaces, manifest, folder, renamed)
                _refuse_taken(places, replace=replace)
                if since is not None:
                    _refuse_forgotten(places, manifest.at, since.left)
                    places = [_without_forgotten(spaces, place, since.clock) for place in places]
                done = [_restored(spaces, one, replace=replace) for one in places]
                if settings is not None and manifest.home:
                    _give_settings(folder / SETTINGS, settings)
    for number, one in enumerate(done):
        moved("index", number, len(done))
        if not one.there:
            with closing(spaces.open(one.space, create=False)) as store:
                store.rebuild()
    return done


def _places(
    spaces: SpacesFolder, manifest: BackupManifest, folder: Path, renamed: SpaceId | None
) -> list[RestoreTarget]:
    if renamed is not None and len(manifest.spaces) != 1:
        raise BackupError(
            f"The backup contains {len(manifest.spaces)} spaces; only a single one can get another name.",
            hint="Restore it without --as, into an empty home.",
        )
    places = []
    for number, one in enumerate(manifest.spaces):
        held, unpacked = manifest.held(number), folder / one.folder
        space = renamed or held.space
        at = spaces.path_of(space)
        there = space == held.space and _is_same(spaces, at, unpacked, held)
        places.append(RestoreTarget(held, space, at, unpacked, there))
    return places


def _is_same(spaces: SpacesFolder, path: Path, unpacked: Path, held: BackupResult) -> bool:
    if not path.exists():
        return False
    try:
        store = SqliteStore(path, held.space, create=False, access=spaces.access)
    except (StoreError, NotFoundError):
        return False
    with closing(store), closing(open_copy(unpacked, held, spaces.access)) as copied:
        try:
            mine, theirs = store.totals(), copied.totals()
            if (mine.sessions, mine.messages) != (theirs.sessions, theirs.messages):
                return False
            if store.sessions() != copied.sessions() or store.check(index=False):
                return False
            return compare(store, copied).equal and compare(copied, store).equal
        except StoreError:
            return False


def _refuse_taken(places: list[RestoreTarget], *, replace: bool) -> None:
    taken = [one.space.name for one in places if one.path.exists() and not one.there]
    if taken and not replace:
        raise BackupError(
            f"The space {', '.join(map(repr, taken))} exists already; nothing was restored.",
            hint="Add --as USER/AGENT for another name, or --replace to set the present one aside.",
        )


def _refuse_forgotten(
    places: list[RestoreTarget], at: datetime, left: Mapping[str, datetime]
) -> None:
    names = [place.held.space.name for place in places if not place.there]
    gone = [name for name in names if name in left and left[name] > at]
    if gone:
        raise BackupError(
            f"The whole space {', '.join(map(repr, gone))} was forgotten since; nothing was restored.",
            hint="List it: unabridged receipts. Add --with-forgotten to restore it anyway.",
        )


def _without_forgotten(spaces: SpacesFolder, place: RestoreTarget, clock: Clock) -> RestoreTarget:
    if place.there:
        return place
    try:
        store = spaces.open(place.held.space, create=False)
    except (StoreError, NotFoundError):
        return place  # there is none, or it is unreadable
    with closing(store):
        gone = forgotten_in(store)
    with closing(open_copy(place.folder, place.held, spaces.access)) as copied:
        receipt = replay_forgetting(copied, gone, clock)
        exchanges = copied.totals().exchanges
    return dataclasses.replace(
        place,
        held=dataclasses.replace(place.held, exchanges=exchanges),
        forgotten=receipt is not None,
    )


def _restored(spaces: SpacesFolder, place: RestoreTarget, *, replace: bool) -> RestoreResult:
    exchanges = place.held.exchanges
    if place.there:
        return RestoreResult(place.space, exchanges, there=True)
    draft = place.folder / COPY
    with exclusive(draft, spaces.access) as connection:
        mac_key = spaces.access.guard.mac_key
        name_space(connection, draft, space_data(place.space), mac_key)
        generation = renew_generation(connection)
    if spaces.access.guard.seen is not None:
        spaces.access.guard.seen.expect(place.path, generation)
    if spaces.access.key and spaces.access.encrypts:
        convert(draft, spaces.access, encrypted=True)  # it was made before the home was encrypted
    if replace:
        aside = replace_file.replace(draft, place.path, ".restored", spaces.busy_timeout)
        SqliteStore.moor_at(place.path, spaces.access)
        moved_to = str(aside) if aside else None
        return RestoreResult(place.space, exchanges, moved_to, forgotten=place.forgotten)
    try:
        give_name(draft, place.path)
    except FileExistsError:
        _refuse_taken([place], replace=False)
    SqliteStore.moor_at(place.path, spaces.access)
    return RestoreResult(place.space, exchanges, forgotten=place.forgotten)


def _give_settings(source: Path, target: Path) -> None:
    for path in sorted(source.glob("*")):
        if not (target / path.name).exists():
            private_folder(target)
            write_whole(target / path.name, path.read_bytes())
