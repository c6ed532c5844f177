"""Giving back what a backup holds: unpacked and proved beside its place, then put there whole."""

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import MappingProxyType

from unabridged.disk.atomic_write import system_errors, write_whole
from unabridged.disk.folders import private_folder
from unabridged.disk.large_files import give_name
from unabridged.disk.locks import locked
from unabridged.domain.backup_results import BackupResult, RestoreResult
from unabridged.domain.record import RecordKind
from unabridged.domain.scope import SpaceId
from unabridged.errors import BackupError, NotFoundError, StoreError
from unabridged.forgetting.receipts import from_data
from unabridged.home import replace_file
from unabridged.home.backup_archive import BackupManifest, Moved
from unabridged.home.backups import BackupsFolder, open_copy
from unabridged.home.spaces import SpacesFolder
from unabridged.stores.copy_space import compare
from unabridged.stores.sqlite import SqliteStore
from unabridged.stores.sqlite.chain_setup import name_space, renew_generation
from unabridged.stores.sqlite.convert import convert
from unabridged.stores.sqlite.open_file import exclusive
from unabridged.stores.sqlite.rows import space_data
from unabridged.stores.sqlite.store import COPY

SETTINGS = "config"
"""The folder of a backup, and of a home, that holds the settings."""


@dataclass(frozen=True, slots=True)
class RestoreTarget:
    """Where a space of a backup goes."""

    held: BackupResult
    space: SpaceId
    path: Path
    folder: Path
    there: bool


def restore(
    backups: BackupsFolder,
    spaces: SpacesFolder,
    path: Path,
    moved: Moved,
    *,
    renamed: SpaceId | None = None,
    replace: bool = False,
    settings: Path | None = None,
    left: Mapping[str, datetime] | None = MappingProxyType({}),
) -> list[RestoreResult]:
    """Give back every space of a backup. A crash leaves each as it was or as it is in the backup.

    Args:
        backups: The folder of backups.
        spaces: The folder of spaces.
        path: The backup.
        moved: Called with the progress.
        renamed: The space that shall hold it; for a backup of one space.
        replace: Whether spaces that are there are set aside; else nothing is done.
        settings: The folder that gets the settings of a home, where it has none.
        left: Spaces that were forgotten whole, by name, and when; None lets all come back that was
            forgotten since, which else is refused.

    Raises:
        BackupError: It does not prove right, a space is there already, or it would bring back what
            was forgotten.
        StoreBusyError: Others have a space open that is to be replaced; it is as it was.
    """
    with system_errors(spaces.folder):
        private_folder(spaces.folder)
        with locked(spaces.folder / replace_file.LOCK, spaces.busy_timeout):
            replace_file.sweep(spaces.folder)
            with backups.unpacked(path, moved, spaces.folder) as (manifest, folder):
                places = _places(spaces, manifest, folder, renamed)
                _refuse_taken(places, replace=replace)
                if left is not None:
                    for place in places:
                        _refuse_forgotten(spaces, place, manifest.at, left)
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
            f"The backup holds {len(manifest.spaces)} spaces; only one can get another name.",
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
            f"There is a space {', '.join(map(repr, taken))} already; nothing was restored.",
            hint="--as USER/AGENT restores next to it; --replace sets the present one aside first.",
        )


def _refuse_forgotten(
    spaces: SpacesFolder, place: RestoreTarget, at: datetime, left: Mapping[str, datetime]
) -> None:
    if place.there:
        return
    name = place.held.space.name
    since = left.get(name)
    said = f"the whole space {name!r}" if since and since > at else _returning(spaces, place)
    if said:
        raise BackupError(
            f"The backup would bring back what was forgotten since: {said}; nothing was restored.",
            hint="--with-forgotten restores it all the same; `unabridged receipts` shows what it was.",
        )


def _returning(spaces: SpacesFolder, place: RestoreTarget) -> str:
    try:
        store = spaces.open(place.held.space, create=False)
    except (StoreError, NotFoundError):
        return ""  # there is none, or it cannot tell
    with closing(store):
        receipts = [from_data(record.body) for record in store.records(RecordKind.RECEIPT)]
        lifted = {receipt.id for receipt in receipts if receipt.lifted}
        gone = {name for receipt in receipts if not receipt.lifted for name in receipt.ids}
        for record in store.records(RecordKind.TOMBSTONE):
            gone.update(() if record.id in lifted else record.body["exchanges"])
        # What is there again by a share that came after the receipt was not forgotten for good.
        gone -= {
            *store.get(gone),
            *(r.id for r in store.records(RecordKind.FACT, ids=sorted(gone))),
        }
    with closing(open_copy(place.folder, place.held, spaces.access)) as copied:
        exchanges = copied.get(gone)
        facts = list(copied.records(RecordKind.FACT, ids=sorted(gone - set(exchanges))))
    counted = ((len(exchanges), "exchange"), (len(facts), "fact"))
    return " and ".join(f"{n} {what}{'s' * (n > 1)}" for n, what in counted if n)


def _restored(spaces: SpacesFolder, place: RestoreTarget, *, replace: bool) -> RestoreResult:
    exchanges = place.held.exchanges
    if place.there:
        return RestoreResult(place.space, exchanges, there=True)
    draft = place.folder / COPY
    with exclusive(draft, spaces.access) as connection:
        mac_key = spaces.access.guard.mac_key
        name_space(connection, draft, space_data(place.space), mac_key)
        renew_generation(connection)
    if spaces.access.key and spaces.access.encrypts:
        convert(draft, spaces.access, encrypted=True)  # it was made before the home was encrypted
    if replace:
        aside = replace_file.replace(draft, place.path, ".restored", spaces.busy_timeout)
        SqliteStore.moor_at(place.path, spaces.access)
        return RestoreResult(place.space, exchanges, str(aside) if aside else None)
    try:
        give_name(draft, place.path)
    except FileExistsError:
        _refuse_taken([place], replace=False)
    SqliteStore.moor_at(place.path, spaces.access)
    return RestoreResult(place.space, exchanges)


def _give_settings(source: Path, target: Path) -> None:
    for path in sorted(source.glob("*")):
        if not (target / path.name).exists():
            private_folder(target)
            write_whole(target / path.name, path.read_bytes())
