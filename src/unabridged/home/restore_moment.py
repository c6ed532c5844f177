"""A space as it was at a moment: a copy of it without what was said or stated after it.

The log only grows, so that an earlier state is the present one without its end. What changes in
place has no history: titles, pins, withdrawn facts and archiving stay as they are in the copy.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from unabridged.domain.backup_results import BackupResult
from unabridged.domain.record import RecordKind
from unabridged.domain.scope import SpaceId
from unabridged.domain.session import Session
from unabridged.errors import BackupError, NotFoundError, StoreDamagedError
from unabridged.forgetting.replay import ForgottenContent, forgotten_in, replay
from unabridged.home.backup_archive import BackupManifest, Moved, described
from unabridged.home.backups import BackupsFolder, open_copy
from unabridged.home.replace_file import work_folder
from unabridged.home.spaces import SpacesFolder
from unabridged.knowledge.statements import PERSON, read as statements_in
from unabridged.log.iterate import everything
from unabridged.ports import Clock, Store
from unabridged.stores.sqlite.connection import ConnectionOptions

Unpacked = AbstractContextManager[tuple[BackupManifest, Path]]
"""A backup that is unpacked into a folder within a block."""


def reaches(
    spaces: SpacesFolder, space: SpaceId, backup: Unpacked | None, forgotten: datetime | None
) -> bool:
    """Return whether a space is whole and still has everything that an earlier backup has.

    Args:
        spaces: The spaces of the home.
        space: The space.
        backup: The newest backup before the moment, or None.
        forgotten: When the whole space was forgotten, if it was.
    """
    try:
        store = spaces.open(space, create=False)
    except (StoreDamagedError, NotFoundError):
        return False
    with closing(store):
        if store.check(index=False):
            return False
        if backup is None:
            return True
        here, gone = _ids_of(store), forgotten_in(store).ids
    try:
        with backup as (manifest, folder):
            if forgotten is not None and forgotten > manifest.at:
                return True
            one, held = manifest.spaces[0], manifest.held(0)
            with closing(open_copy(folder / one.folder, held, spaces.access)) as older:
                return _ids_of(older) <= here | gone
    except BackupError:
        return True  # nothing to compare with; the space itself is whole


@contextmanager
def copied(
    backups: BackupsFolder, spaces: SpacesFolder, space: SpaceId, at: datetime, moved: Moved
) -> Iterator[tuple[BackupManifest, Path]]:
    """Copy a space as it is now, like a backup that is unpacked."""
    with work_folder(spaces.folder) as folder:
        held = backups.copy(spaces, space, folder / "spaces" / "0", moved)
        yield described(folder, [("spaces/0", held)], at=at, home=False, left_out=[]), folder


@contextmanager
def as_of(
    source: Unpacked, moment: datetime, access: ConnectionOptions, clock: Clock
) -> Iterator[tuple[BackupManifest, Path]]:
    """Cut the spaces of an unpacked backup off at a moment.

    Raises:
        BackupError: Nothing was said until then.
    """
    with source as (manifest, folder):
        held = []
        for number, one in enumerate(manifest.spaces):
            before = manifest.held(number)
            with closing(open_copy(folder / one.folder, before, access)) as store:
                cut(store, moment, clock)
                held.append(_counted(before, store))
            if not held[-1].exchanges:
                raise BackupError(
                    f"Nothing was said in {before.space.name} until "
                    f"{moment.astimezone():%Y-%m-%d %H:%M}; nothing was restored.",
                    hint="List what was said when: unabridged sessions",
                )
        yield manifest.with_counts(held), folder


def cut(store: Store, moment: datetime, clock: Clock) -> None:
    """Remove from a copy what was said, or stated by a person, after a moment."""
    later = [exchange.id for exchange in everything(store) if exchange.at > moment]
    stated = statements_in(store.records(RecordKind.FACT)).values()
    facts = [s.id for s in stated if s.by == PERSON and s.text and s.since > moment]
    cards = store.records(RecordKind.REQUIREMENT)
    store.delete(RecordKind.FACT, facts)
    store.delete(RecordKind.REQUIREMENT, [r.id for r in cards if not r.exchanges and r.at > moment])
    replay(store, ForgottenContent(frozenset(later)), clock)
    for session in store.sessions():
        if session.updated > moment:
            _go_back(store, session)


def _go_back(store: Store, session: Session) -> None:
    left = store.exchanges_of(session.id)
    if not left:
        return
    newest = max(left, key=lambda exchange: (exchange.at, exchange.id))
    shown = store.recent(session.id, 1)
    # Where something follows what is shown, the head was moved back by what came later: an edit.
    is_end = shown and all(exchange.parent != shown[0].id for exchange in left)
    head = session.head if is_end else newest.messages[-1].id
    updated = max(message.at for exchange in left for message in exchange.messages)
    store.set_session(replace(session, head=head, updated=updated), session.head)


def _counted(held: BackupResult, store: Store) -> BackupResult:
    totals = store.totals()
    return replace(
        held, sessions=totals.sessions, exchanges=totals.exchanges, messages=totals.messages
    )


def _ids_of(store: Store) -> frozenset[str]:
    return frozenset(exchange.id for exchange in everything(store))
