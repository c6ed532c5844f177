"""How far migrations have come: a small file each, in the home's ``config/migrations``.

Nothing in them is of a conversation: names of files and spaces, figures, and paths.

Files change places together: ``moves.json`` names each file's place and its new one. From the moment
it is there the matter is decided, and whoever comes next finishes it; every step can be repeated. If
a new place is taken meanwhile, all go back.
"""

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import msgspec

from unabridged.disk.atomic_write import (
    of_the_system,
    remove,
    sync_folder,
    system_errors,
    write_whole,
)
from unabridged.disk.folders import check_home, private_folder
from unabridged.disk.large_files import give_name
from unabridged.disk.locks import locked
from unabridged.domain.scope import SpaceId
from unabridged.errors import MigrationError, StoreBusyError

BEGUN, VERIFIED, DONE = "begun", "verified", "done"
GOING_BACK, GONE_BACK = "going back", "gone back"
MOVING_SECONDS = 30.0
"""Seconds to wait for another process that moves files."""
_ID = re.compile(r"\d{8}-\d{6}(-\d+)?")


class State(msgspec.Struct, frozen=True, kw_only=True):
    """One migration.

    Attributes:
        id: When it was begun: ``20260301-090001``.
        folder: The old folder.
        phase: ``begun``, ``verified``, ``done``, ``going back`` or ``gone back``.
        at: When it came to this phase, ISO 8601.
        spaces: The names of the spaces that were made: user, agent, model.
        conversations: How many were imported; as are ``exchanges`` and ``requirements``.
        digest: The digest of what was imported; see ``import_memory.Taken``.
        missed: How many records could not be imported; what they are is reported once, not kept.
        since: After going back, the files that hold what was said since.
        absent: Spaces that were renamed or forgotten before it went back.
        changed: The copy of the old folder before it was put back; empty if it had not changed.
    """

    id: str
    folder: str
    phase: str
    at: str
    spaces: tuple[tuple[str, str, str], ...] = ()
    conversations: int = 0
    exchanges: int = 0
    requirements: int = 0
    digest: str = ""
    missed: int = 0
    since: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    changed: str = ""

    @property
    def named(self) -> tuple[SpaceId, ...]:
        """The spaces."""
        return tuple(SpaceId(*names) for names in self.spaces)


class MigratedFolder(msgspec.Struct, frozen=True):
    """The ids of what was imported: all else was said since."""

    exchanges: frozenset[str]
    records: frozenset[str]


class Moves(msgspec.Struct, frozen=True, kw_only=True):
    """Files that are to change places.

    Attributes:
        id: The migration.
        phase: Its phase when they have.
        pairs: The present and the new path of each, below the home.
    """

    id: str
    phase: str
    pairs: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class MigrationJournal:
    """The files of migrations in a home."""

    home: Path

    @property
    def folder(self) -> Path:
        """The folder of states."""
        return self.home / "config" / "migrations"

    @contextmanager
    def alone(self, seconds: float) -> Iterator[None]:
        """Let no other process migrate meanwhile; wait for it for some seconds.

        Raises:
            StoreBusyError: Another process migrates.
        """
        try:
            private_folder(self.folder)
            with locked(self.folder / ".lock", seconds):
                yield
        except OSError as error:
            named = error.filename
            path = Path(named) if isinstance(named, str) else self.folder
            raise of_the_system(error, path) from error

    def below(self, path: Path) -> str:
        """Return the path of a file below the home, with slashes."""
        return path.relative_to(self.home).as_posix()

    @property
    def moves(self) -> Path:
        """The file of decided moves."""
        return self.folder / "moves.json"

    def kept(self, migration: str) -> Path:
        """Where the old folder's bytes are kept, and what was said since."""
        return self.home / "backups" / "migrations" / migration

    def archive(self, migration: str) -> Path:
        """The old folder's bytes."""
        return self.kept(migration) / "old.zip"

    def staging(self, migration: str) -> Path:
        """Where new spaces are before they are switched to."""
        return self.kept(migration) / "staging"

    def aside(self, migration: str) -> Path:
        """Where the spaces of a migration that was taken back are."""
        return self.kept(migration) / "spaces"

    def note(self, migration: str, known: MigratedFolder) -> None:
        """Write the ids of what was imported, durable when it returns."""
        write_whole(self._ids(migration), msgspec.json.encode(known))

    def known(self, migration: str) -> MigratedFolder:
        """Return the ids of what was imported."""
        try:
            return msgspec.json.decode(self._ids(migration).read_bytes(), type=MigratedFolder)
        except (OSError, ValueError, msgspec.MsgspecError) as error:
            raise MigrationError(
                f"{self._ids(migration)} cannot be read: {error}.",
                hint=f"The old folder's bytes are in {self.archive(migration)}.",
            ) from error

    def _ids(self, migration: str) -> Path:
        return self.folder / f"{migration}.ids"

    def save(self, state: State) -> State:
        """Write a state down, durable when it returns."""
        private_folder(self.folder)
        data = msgspec.json.encode(_escaped(msgspec.to_builtins(state)))
        write_whole(self._path(state.id), msgspec.json.format(data))
        return state

    def load(self, migration: str) -> State:
        """Read a state."""
        if not _ID.fullmatch(migration) or not self._path(migration).exists():
            raise MigrationError(
                f"There is no migration {migration!r}.", hint="List them: unabridged migrate --list"
            )
        try:
            return msgspec.json.decode(self._path(migration).read_bytes(), type=State)
        except (OSError, ValueError, msgspec.MsgspecError) as error:
            raise MigrationError(
                f"{self._path(migration)} cannot be read: {error}.",
                hint=f"The old folder's bytes are in {self.archive(migration)}.",
            ) from error

    def all(self) -> Iterator[State]:
        """Every migration, the oldest first."""
        names = [p.stem for p in self.folder.glob("*.json") if _ID.fullmatch(p.stem)]
        yield from map(self.load, sorted(names, key=_order))

    def new_id(self, at: datetime) -> str:
        """Return an id that no migration has."""
        plain = f"{at:%Y%m%d-%H%M%S}"
        number, name = 1, plain
        while self._path(name).exists() or self.kept(name).exists():
            number += 1
            name = f"{plain}-{number}"
        return name

    def decide(self, moves: Moves) -> None:
        """Write down which files change places; the lock is held.

        Raises:
            MigrationError: A place is taken.
        """
        for _, name in moves.pairs:
            if os.path.lexists(self.home / name):
                raise _taken(name)
        write_whole(self.moves, msgspec.json.encode(moves))

    def finish(self) -> None:
        """Do what was decided, as far as it is not done; the lock is held.

        Raises:
            MigrationError: A place was taken meanwhile; everything is where it was.
            StoreError: A file cannot be moved; another attempt goes on.
        """
        try:
            moves = msgspec.json.decode(self.moves.read_bytes(), type=Moves)
        except FileNotFoundError:
            return
        except (OSError, msgspec.MsgspecError) as error:
            raise StoreBusyError(
                f"{self.moves} cannot be read: {error}.", hint="Check the disk, then repeat."
            ) from error
        with system_errors(self.moves):
            try:
                self.move(moves.pairs)
            except FileExistsError as error:
                with suppress(FileExistsError):
                    self.move([(new, old) for old, new in moves.pairs if self._is_moved(old, new)])
                remove(self.moves)
                raise _taken(str(error.args[0] if error.args else error)) from error
        self.save(msgspec.structs.replace(self.load(moves.id), phase=moves.phase))
        remove(self.moves)
        with suppress(OSError):
            sync_folder(self.folder)

    def move(self, pairs: Sequence[tuple[str, str]]) -> None:
        """Move files; those that were moved before are passed over."""
        for old, new in pairs:
            source, target = self.home / old, self.home / new
            if not source.exists():
                continue
            private_folder(target.parent)
            if target.exists() and target.samefile(source):
                source.unlink()  # it had both names when it was interrupted
            else:
                give_name(source, target)
            sync_folder(source.parent)
            if source.parent.parent != self.home:
                with suppress(OSError):
                    source.parent.rmdir()

    def _is_moved(self, old: str, new: str) -> bool:
        return (self.home / new).exists() and not (self.home / old).exists()

    def _path(self, migration: str) -> Path:
        return self.folder / f"{migration}.json"


def finish_moves(home: Path) -> None:
    """Finish what an interrupted migration had decided; one look if there is nothing.

    Raises:
        SettingError: The home is not the user's own.
        StoreBusyError: Another process is doing it.
        StoreError: A file cannot be moved.
    """
    journal = MigrationJournal(home)
    if os.path.exists(journal.moves):  # noqa: PTH110 - a home that cannot be looked at has none
        check_home(home)
        # If a place was taken nothing was switched, and whoever migrates is told.
        with journal.alone(MOVING_SECONDS), suppress(MigrationError):
            journal.finish()


def _taken(name: str) -> MigrationError:
    return MigrationError(
        f"{name} is there already.",
        hint="Give the migrated memory another --user or --agent; nothing was switched.",
    )


def _order(name: str) -> tuple[int, ...]:
    return tuple(map(int, name.split("-")))


def _escaped(value: object) -> object:
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    if isinstance(value, dict):
        return {key: _escaped(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_escaped(each) for each in value]
    return value
