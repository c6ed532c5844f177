"""Import an old folder: back up, import, verify, switch. Each step can be repeated.

If anything fails before the switch, the old folder still works and nothing new exists. The switch
is one write (``MigrationJournal.decide``). The old folder is never written to.
"""

import shutil
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import msgspec

from unabridged.disk.atomic_write import system_errors
from unabridged.disk.folders import private_folder
from unabridged.errors import BackupError, MigrationError
from unabridged.home.migration_journal import (
    BEGUN,
    DONE,
    GOING_BACK,
    VERIFIED,
    MigratedFolder,
    MigrationJournal,
    Moves,
    State,
)
from unabridged.home.spaces import SpacesFolder
from unabridged.migration import old_folder_archive
from unabridged.migration.import_memory import Moved, Taken, prove, survey, take
from unabridged.migration.sources import ChosenFiles, FoundMemory, find
from unabridged.ports import Clock

PATIENCE = 10.0
"""Seconds to wait for another migration."""

SpacesAt = Callable[[Path], SpacesFolder]
"""Returns the spaces below a folder with the layout of a home."""


@dataclass(frozen=True, slots=True)
class Ground:
    """The target home of a migration.

    Attributes:
        home: The home.
        spaces_at: Returns the spaces below a folder.
        clock: The time.
        sealing: Encrypts written files with the user's key, if the home is encrypted.
        sealed: Suffix of sealed files; empty if the home is readable.
    """

    home: Path
    spaces_at: SpacesAt
    clock: Clock
    sealing: Callable[[BinaryIO], AbstractContextManager[BinaryIO]] = nullcontext
    sealed: str = ""

    @property
    def shelf(self) -> MigrationJournal:
        """The files of migrations."""
        return MigrationJournal(self.home)


@dataclass(frozen=True, slots=True)
class MigrationPlan:
    """The result of a migration, or its plan; ``state`` is None for a plan."""

    folder: Path
    found: FoundMemory
    taken: Taken
    state: State | None = None


def plan(ground: Ground, folder: Path, chosen: ChosenFiles, moved: Moved) -> MigrationPlan:
    """Return the plan of a migration, without writing; it fails where the migration would.

    Raises:
        MigrationError: It cannot be migrated.
    """
    folder = _checked(ground, folder)
    _refuse_again(ground, folder)
    found = find(folder)
    taken = survey(found, chosen, moved)
    _refuse_empty(folder, taken)
    _refuse_taken(ground, taken)
    return MigrationPlan(folder, found, taken)


def migrate(ground: Ground, folder: Path, chosen: ChosenFiles, moved: Moved) -> MigrationPlan:
    """Import a folder; an interrupted migration is continued.

    Raises:
        MigrationError: It cannot be migrated; the old folder still works.
        StoreError: Something cannot be written; likewise.
    """
    folder, shelf = _checked(ground, folder), ground.shelf
    with shelf.alone(PATIENCE):
        pending = shelf.moves.exists()
        shelf.finish()
        found = find(folder)
        if pending and (state := _done(shelf, folder)) is not None:
            return MigrationPlan(folder, found, survey(found, chosen), state)
        state = _begun(ground, folder)
        try:
            _backed_up(ground, state, found, chosen)
            taken = _taken(ground, state, found, chosen, moved)
            done = _switched(ground, state, taken)
        except BaseException:
            if not shelf.moves.exists():
                _clear(shelf.staging(state.id))
            raise
        return MigrationPlan(folder, found, taken, done)


def _checked(ground: Ground, folder: Path) -> Path:
    folder, home = folder.expanduser().absolute(), ground.home.absolute()
    if folder.is_relative_to(home) or home.is_relative_to(folder):
        raise MigrationError(
            f"{folder} and the home {home} are inside each other.",
            hint="Use the old program's folder itself, or another home with --home.",
        )
    return folder


def _done(shelf: MigrationJournal, folder: Path) -> State | None:
    return next((s for s in shelf.all() if s.folder == str(folder) and s.phase == DONE), None)


def _begun(ground: Ground, folder: Path) -> State:
    _refuse_again(ground, folder)
    for state in ground.shelf.all():
        if state.folder == str(folder) and state.phase in {BEGUN, VERIFIED}:
            return state
    now = ground.clock.now()
    state = State(
        id=ground.shelf.new_id(now),
        folder=str(folder),
        phase=BEGUN,
        at=now.isoformat(),
    )
    return ground.shelf.save(state)


def _refuse_again(ground: Ground, folder: Path) -> None:
    for state in ground.shelf.all():
        if state.folder == str(folder) and state.phase in {DONE, GOING_BACK}:
            raise MigrationError(
                f"{folder} was migrated before ({state.id}, {state.phase}).",
                hint="Import newer conversations with `unabridged import`; "
                f"go back with `unabridged migrate --rollback {state.id}`.",
            )


def _refuse_empty(folder: Path, taken: Taken) -> None:
    if not taken.spaces:
        raise MigrationError(
            f"{folder} contains no conversation that can be imported.",
            hint="Check a file: unabridged import --dry-run FILE",
        )


def _refuse_taken(ground: Ground, taken: Taken) -> None:
    live = ground.spaces_at(ground.shelf.home)
    for space in taken.spaces:
        if live.parts_of(space):
            raise MigrationError(
                f"The space {space.name!r} exists already.",
                hint="Migrate with another --user or --agent, or import the files "
                "into it with `unabridged import`.",
            )


def _backed_up(ground: Ground, state: State, found: FoundMemory, chosen: ChosenFiles) -> None:
    zipped, folder = ground.shelf.archive(state.id), Path(state.folder)
    if zipped.exists():
        with suppress(BackupError):
            if not any(old_folder_archive.differing(old_folder_archive.verify(zipped), folder)):
                return
        zipped.unlink()
    private_folder(zipped.parent)
    spaces = sorted(space.name for space in survey(found, chosen).spaces)
    only = tuple(source.path for source in found.sources) if found.scattered else None
    old_folder_archive.make(
        old_folder_archive.ArchiveSelection(folder, state.at, only, tuple(spaces)), zipped
    )


def _taken(
    ground: Ground, state: State, found: FoundMemory, chosen: ChosenFiles, moved: Moved
) -> Taken:
    staging = ground.shelf.staging(state.id)
    _clear(staging)
    private_folder(staging)
    spaces = ground.spaces_at(staging)
    taken = take(found, chosen, spaces, ground.clock, moved)
    _refuse_empty(Path(state.folder), taken)
    prove(taken, spaces)
    kept = old_folder_archive.verify(ground.shelf.archive(state.id))
    if any(old_folder_archive.differing(kept, Path(state.folder))):
        raise MigrationError(
            f"{state.folder} was changed during the migration.",
            hint="Close its program, then repeat.",
        )
    return taken


def _switched(ground: Ground, state: State, taken: Taken) -> State:
    shelf = ground.shelf
    _refuse_taken(ground, taken)
    identities = frozenset(name for held in taken.spaces.values() for name in held)
    shelf.note(state.id, MigratedFolder(identities, frozenset(taken.records)))
    verified = msgspec.structs.replace(
        state,
        phase=VERIFIED,
        at=ground.clock.now().isoformat(),
        spaces=tuple((s.user, s.agent, s.model) for s in sorted(taken.spaces)),
        conversations=taken.conversations,
        exchanges=taken.exchanges,
        requirements=taken.requirements,
        digest=taken.digest,
        missed=len(taken.missed),
    )
    shelf.save(verified)
    staging = shelf.staging(state.id)
    pairs = [(shelf.below(path), path.relative_to(staging).as_posix()) for path in _files(staging)]
    shelf.decide(Moves(id=state.id, phase=DONE, pairs=tuple(pairs)))
    shelf.finish()
    _clear(staging)
    return shelf.load(state.id)


def _files(folder: Path) -> list[Path]:
    found = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return [p for p in found if not p.name.endswith((".lock", "-shm", ".part"))]


def _clear(folder: Path) -> None:
    with system_errors(folder), suppress(FileNotFoundError):
        shutil.rmtree(folder)
