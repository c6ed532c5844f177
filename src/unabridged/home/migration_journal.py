"""The state of migrations: a small file each, in the home's ``config/migrations``.

They contain nothing of a conversation: only names of files and spaces, figures and paths.

Files move together: ``moves.json`` lists the old and the new path of each. Once it exists the move
is decided, and the next process finishes it; every step can be repeated. If a new path is taken in
the meantime, all files move back.
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
from unabridged.disk.folders import check_home, check_paths, private_folder
from unabridged.disk.large_files import give_name
from unabridged.disk.locks import locked
from unabridged.domain.scope import SpaceId
from unabridged.errors import MigrationError, StoreBusyError
from unabridged.stores.last_seen import LastSeen

BEGUN, VERIFIED, DONE = "begun", "verified", "done"
GOING_BACK, GONE_BACK = "going back", "gone back"
MOVING_SECONDS = 30.0
"""Seconds to wait for another process that moves files."""
_ID = re.compile(r"\d{8}-\d{6}(-\d+)?")


class State(msgspec.Struct, frozen=True, kw_only=True):
    """One migration.

    Attributes:
        id: When it began: ``20260301-090001``.
        folder: The old folder.
        phase: ``begun``, ``verified``, ``done``, ``going back`` or ``gone back``.
        at: When it reached this phase, ISO 8601.
        spaces: The names of the new spaces: user, agent, model.
        conversations: How many were imported; likewise ``exchanges`` and ``requirements``.
        digest: The digest of what was imported; see ``import_memory.Taken``.
        missed: How many records could not be imported; they are reported once, not stored.
        since: After going back, the files with later messages.
        absent: Spaces renamed or forgotten before it went back.
        changed: The copy of the old folder before it was restored; empty if it was unchanged.
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
    """The ids of what was imported; everything else is newer."""

    exchanges: frozenset[str]
    records: frozenset[str]


class Moves(msgspec.Struct, frozen=True, kw_only=True):
    """A planned move of files.

    Attributes:
        id: The migration.
        phase: Its phase after the move.
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
        """Lock migrations against other processes; wait some seconds for the lock.

        Raises:
            StoreBusyError: Another process is migrating.
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
        """The file of the planned moves."""
        return self.folder / "moves.json"

    def kept(self, migration: str) -> Path:
        """The folder for the old folder's bytes and for later messages."""
        return self.home / "backups" / "migrations" / migration

    def archive(self, migration: str) -> Path:
        """Return the archive of the old folder's bytes."""
        return self.kept(migration) / "old.zip"

    def staging(self, migration: str) -> Path:
        """Return the folder of new spaces before the switch."""
        return self.kept(migration) / "staging"

    def aside(self, migration: str) -> Path:
        """Return the folder for spaces of a migration that was undone."""
        return self.kept(migration) / "spaces"

    def note(self, migration: str, known: MigratedFolder) -> None:
        """Write the ids of what was imported durably."""
        write_whole(self._ids(migration), msgspec.json.encode(known))

    def known(self, migration: str) -> MigratedFolder:
        """Return the ids of what was imported."""
        try:
            return msgspec.json.decode(self._ids(migration).read_bytes(), type=MigratedFolder)
        except (OSError, ValueError, RecursionError) as error:
            raise MigrationError(
                f"{self._ids(migration)} cannot be read: {error}.",
                hint=f"The old folder's bytes are in {self.archive(migration)}.",
            ) from error

    def _ids(self, migration: str) -> Path:
        return self.folder / f"{migration}.ids"

    def save(self, state: State) -> State:
        """Write a state durably."""
        private_folder(self.folder)
        data = msgspec.json.encode(_escaped(msgspec.to_builtins(state)))
        write_whole(self._path(state.id), msgspec.json.format(data))
        return state

    def load(self, migration: str) -> State:
        """Return a state."""
        if not _ID.fullmatch(migration) or not self._path(migration).exists():
            raise MigrationError(
                f"There is no migration {migration!r}.", hint="List them: unabridged migrate --list"
            )
        try:
            return msgspec.json.decode(self._path(migration).read_bytes(), type=State)
        except (OSError, ValueError, RecursionError) as error:
            raise MigrationError(
                f"{self._path(migration)} cannot be read: {error}.",
                hint=f"The old folder's bytes are in {self.archive(migration)}.",
            ) from error

    def all(self) -> Iterator[State]:
        """Return every migration, the oldest first."""
        names = [p.stem for p in self.folder.glob("*.json") if _ID.fullmatch(p.stem)]
        yield from map(self.load, sorted(names, key=_order))

    def new_id(self, at: datetime) -> str:
        """Return an unused id."""
        plain = f"{at:%Y%m%d-%H%M%S}"
        number, name = 1, plain
        while self._path(name).exists() or self.kept(name).exists():
            number += 1
            name = f"{plain}-{number}"
        return name

    def decide(self, moves: Moves) -> None:
        """Write a planned move; the caller has the lock.

        Raises:
            MigrationError: A path is taken.
        """
        for _, name in moves.pairs:
            if os.path.lexists(self.home / name):
                raise _taken(name)
        write_whole(self.moves, msgspec.json.encode(moves))

    def finish(self) -> None:
        """Finish the planned move; the caller has the lock.

        Raises:
            MigrationError: A path was taken in the meantime; every file is back in its place.
            StoreError: A file cannot be moved; another attempt continues.
        """
        try:
            moves = msgspec.json.decode(self.moves.read_bytes(), type=Moves)
            check_paths(name for pair in moves.pairs for name in pair)
        except FileNotFoundError:
            return
        except (OSError, ValueError, RecursionError) as error:
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
        for name in (name for pair in moves.pairs for name in pair):
            LastSeen(self.home).drop(self.home / name)
        remove(self.moves)
        with suppress(OSError):
            sync_folder(self.folder)

    def move(self, pairs: Sequence[tuple[str, str]]) -> None:
        """Move files, except for those already moved."""
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
    """Finish the planned move of an interrupted migration, if any.

    Raises:
        SettingError: The home belongs to another user.
        StoreBusyError: Another process is doing it.
        StoreError: A file cannot be moved.
    """
    journal = MigrationJournal(home)
    if os.path.exists(journal.moves):  # noqa: PTH110 - a home that cannot be looked at has none
        check_home(home)
        # If a path was taken nothing was switched, and `migrate` reports it.
        with journal.alone(MOVING_SECONDS), suppress(MigrationError):
            journal.finish()


def _taken(name: str) -> MigrationError:
    return MigrationError(
        f"{name} exists already.",
        hint="Migrate with another --user or --agent; nothing was switched.",
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
