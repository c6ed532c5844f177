"""Roll back: export newer messages, restore the old folder, set the new spaces aside.

In this order, so that at any moment the old or the new works. Each step can be repeated.
"""

from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from itertools import chain
from pathlib import Path

import msgspec

from unabridged.disk.large_files import writing
from unabridged.domain.record import Record, RecordKind
from unabridged.domain.scope import SpaceId
from unabridged.errors import MigrationError, NotFoundError
from unabridged.home.migration_journal import DONE, GOING_BACK, GONE_BACK, Moves, State
from unabridged.home.spaces import SUFFIX, SpacesFolder
from unabridged.migration import old_folder_archive
from unabridged.migration.migrate import PATIENCE, Ground
from unabridged.ports import Store
from unabridged.recording.sessions import conversations, with_originals
from unabridged.sharing.copy_sessions import leaving
from unabridged.stores.space_digest import PAGE
from unabridged.stores.sqlite.exclusive import alone
from unabridged.transfer.export import slug
from unabridged.transfer.native_jsonl import write_jsonl


def roll_back(ground: Ground, wanted: str | None = None) -> State:
    """Go back to the old folder; continue an interrupted rollback.

    Args:
        ground: The home.
        wanted: The migration's id, or None for the last.

    Raises:
        MigrationError: There is no such migration, or it cannot be rolled back.
        StoreError: Something cannot be written; finished steps stay, so repeat.
    """
    shelf = ground.shelf
    with shelf.alone(PATIENCE):
        shelf.finish()
        state = _chosen(ground, wanted)
        if state.phase == GONE_BACK:
            return state
        kept = old_folder_archive.verify(shelf.archive(state.id))  # before anything is touched
        state = shelf.save(_at(ground, state, GOING_BACK))
        live = ground.spaces_at(shelf.home)
        if not state.absent:
            gone = tuple(space.name for space in state.named if not _there(ground, state, space))
            state = shelf.save(msgspec.structs.replace(state, absent=gone))
        state = shelf.save(msgspec.structs.replace(state, since=_exported(ground, state, live)))
        state = _restore(ground, state, kept)
        _take_out(ground, state, live)
        aside = ground.spaces_at(shelf.aside(state.id))
        since = _exported(ground, state, aside)  # export the latest messages too
        return shelf.save(_at(ground, msgspec.structs.replace(state, since=since), GONE_BACK))


def _chosen(ground: Ground, wanted: str | None) -> State:
    if wanted is not None:
        state = ground.shelf.load(wanted)
    else:
        states = [one for one in ground.shelf.all() if one.phase in {DONE, GOING_BACK}]
        if not states:
            raise MigrationError(
                "There is no migration to roll back.", hint="List them: unabridged migrate --list"
            )
        state = states[-1]
    if state.phase not in {DONE, GOING_BACK, GONE_BACK}:
        raise MigrationError(
            f"Migration {state.id} did not finish: the old folder is in use.",
            hint="Nothing needs to be rolled back.",
        )
    return state


def _at(ground: Ground, state: State, phase: str) -> State:
    return msgspec.structs.replace(state, phase=phase, at=ground.clock.now().isoformat())


def _there(ground: Ground, state: State, space: SpaceId) -> bool:
    places = (ground.home, ground.shelf.aside(state.id))
    return any(ground.spaces_at(place).parts_of(space) for place in places)


def _exported(ground: Ground, state: State, spaces: SpacesFolder) -> tuple[str, ...]:
    shelf = ground.shelf
    before = shelf.known(state.id)
    written = list(state.since)
    for space in state.named:
        try:
            store = spaces.open(space, create=False)
        except NotFoundError:
            continue  # it was set aside, or forgotten
        with closing(store):
            sessions = _since(store, before.exchanges)
            told = [one for one in _told(store) if one.id not in before.records]
            if not sessions and not told:
                continue
            name = slug((space.user, space.agent, space.model))
            path = shelf.kept(state.id) / f"said-since-{name}.jsonl{ground.sealed}"
            with writing(path) as stream, ground.sealing(stream) as into:
                chosen = (one for one in conversations(store) if one.session.id in sessions)
                drawn = (r for s in sorted(sessions) for r in leaving(store, session=s))
                whole = (with_originals(store, one) for one in chosen)
                write_jsonl(whole, into, records=chain(drawn, told), space=space)
            if str(path) not in written:
                written.append(str(path))
    return tuple(written)


def _since(store: Store, before: frozenset[str]) -> set[str]:
    found: set[str] = set()
    after: str | None = None
    while page := store.scan(after, PAGE):
        found |= {exchange.session for exchange in page if exchange.id not in before}
        after = page[-1].id
    return found


def _told(store: Store) -> Iterator[Record]:
    kinds = (RecordKind.FACT, RecordKind.REQUIREMENT)
    return (r for kind in kinds for r in store.records(kind) if not r.exchanges)


def _restore(ground: Ground, state: State, kept: old_folder_archive.OldFolderManifest) -> State:
    # Restore the old folder; archive its present content first if it differs.
    folder, shelf = Path(state.folder), ground.shelf
    changed, news = old_folder_archive.differing(kept, folder)
    if not changed and not news:
        return state
    if folder.is_dir() and not state.changed:
        path = shelf.kept(state.id) / "changed.zip"
        path.unlink(missing_ok=True)
        old_folder_archive.make(_as_it_is(ground, folder, kept), path)
        state = shelf.save(msgspec.structs.replace(state, changed=str(path)))
    old_folder_archive.put_back(shelf.archive(state.id), kept, folder)
    return state


def _as_it_is(
    ground: Ground, folder: Path, kept: old_folder_archive.OldFolderManifest
) -> old_folder_archive.ArchiveSelection:
    at = ground.clock.now().isoformat()
    if kept.whole:
        return old_folder_archive.ArchiveSelection(folder, at, None, tuple(kept.spaces))
    names = (folder / entry.name for entry in kept.entries)
    there = tuple(path for path in names if path.exists())
    return old_folder_archive.ArchiveSelection(folder, at, there, tuple(kept.spaces))


def _take_out(ground: Ground, state: State, live: SpacesFolder) -> None:
    shelf = ground.shelf
    aside = shelf.aside(state.id)
    for space in state.named:  # opening and closing empties its log
        with suppress(NotFoundError):
            live.open(space, create=False).close()
    with ExitStack() as stack:
        parts = [path for space in state.named for path in live.parts_of(space)]
        for path in parts:
            if path.name.endswith(SUFFIX):
                stack.enter_context(alone(path, PATIENCE))
        pairs = [
            (shelf.below(path), shelf.below(aside / shelf.below(path)))
            for path in dict.fromkeys(parts)
        ]
        if pairs:
            shelf.decide(Moves(id=state.id, phase=GOING_BACK, pairs=tuple(pairs)))
            shelf.finish()
