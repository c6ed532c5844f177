"""How far migrations have come: a small file each, in the home's ``config/migrations``.

Nothing in them is of a conversation: names of files and spaces, figures, and where things lie.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import msgspec

from unabridged.disk.atomic_write import of_the_system, write_whole
from unabridged.disk.folders import private_folder
from unabridged.domain.scope import SpaceId
from unabridged.errors import MigrationError

BEGUN, VERIFIED, DONE = "begun", "verified", "done"
GOING_BACK, GONE_BACK = "going back", "gone back"
_ID = re.compile(r"\d{8}-\d{6}(-\d+)?")


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Raise an error of the tree for one of the operating system.

    Raises:
        StoreError: As the system said.
    """
    try:
        yield
    except OSError as error:
        named = error.filename
        raise of_the_system(error, Path(named) if isinstance(named, str) else path) from error


class State(msgspec.Struct, frozen=True, kw_only=True):
    """One migration.

    Attributes:
        id: Its id: when it was begun.
        folder: The old folder.
        phase: ``begun``, ``verified``, ``done``, ``going back`` or ``gone back``.
        at: When it came to this phase, ISO 8601.
        spaces: The names of the spaces that were made: user, agent, model.
        conversations: Conversations that were taken over.
        exchanges: Exchanges that were taken over.
        requirements: Requirements that were taken over.
        digest: The digest of what was taken over, as ``taking`` makes it.
        missed: How many records could not be taken over; what they are is told once, not kept.
        since: Where lies what was said since, after going back.
        absent: Spaces that were not there any more when it went back: renamed, or forgotten.
        changed: Where lies what the old folder was before it was put back; empty where it was as
            it had been.
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
    """What was taken over, by ids: all else was said since.

    Attributes:
        exchanges: The ids of exchanges.
        records: The ids of records.
    """

    exchanges: frozenset[str]
    records: frozenset[str]


@dataclass(frozen=True, slots=True)
class MigrationJournal:
    """Where the files of migrations lie in a home.

    Attributes:
        home: The home.
    """

    home: Path

    @property
    def folder(self) -> Path:
        """The folder of states."""
        return self.home / "config" / "migrations"

    @property
    def lock(self) -> Path:
        """What is locked while one migrates."""
        return self.folder / ".lock"

    @property
    def moves(self) -> Path:
        """What says which files are to change places; from when it is there, that is decided."""
        return self.folder / "moves.json"

    def kept(self, migration: str) -> Path:
        """The folder of what a migration keeps: the old folder's bytes, and what was said since."""
        return self.home / "backups" / "migrations" / migration

    def archive(self, migration: str) -> Path:
        """The old folder's bytes."""
        return self.kept(migration) / "old.zip"

    def staging(self, migration: str) -> Path:
        """Where new spaces lie before they are switched to."""
        return self.kept(migration) / "staging"

    def aside(self, migration: str) -> Path:
        """Where the spaces of a migration that was taken back lie."""
        return self.kept(migration) / "spaces"

    def note(self, migration: str, known: MigratedFolder) -> None:
        """Write down what was taken over, durable when it returns."""
        write_whole(self._ids(migration), msgspec.json.encode(known))

    def known(self, migration: str) -> MigratedFolder:
        """What was taken over.

        Raises:
            MigrationError: It cannot be read.
        """
        try:
            return msgspec.json.decode(self._ids(migration).read_bytes(), type=MigratedFolder)
        except (OSError, ValueError, msgspec.MsgspecError) as error:
            raise MigrationError(
                f"{self._ids(migration)} cannot be read: {error}.",
                hint=f"The old folder's bytes lie in {self.archive(migration)}.",
            ) from error

    def _ids(self, migration: str) -> Path:
        return self.folder / f"{migration}.ids"

    def save(self, state: State) -> State:
        """Write a state down, durable when it returns."""
        private_folder(self.folder)
        write_whole(self._path(state.id), msgspec.json.format(msgspec.json.encode(_plain(state))))
        return state

    def load(self, migration: str) -> State:
        """Read a state.

        Raises:
            MigrationError: There is none of that id, or it cannot be read.
        """
        if not _ID.fullmatch(migration) or not self._path(migration).exists():
            raise MigrationError(
                f"There is no migration {migration!r}.", hint="List them: unabridged migrate --list"
            )
        try:
            return _state(self._path(migration).read_bytes())
        except (OSError, ValueError, msgspec.MsgspecError) as error:
            raise MigrationError(
                f"{self._path(migration)} cannot be read: {error}.",
                hint=f"The old folder's bytes lie in {self.archive(migration)}.",
            ) from error

    def all(self) -> Iterator[State]:
        """Every migration, the oldest first."""
        names = [p.stem for p in self.folder.glob("*.json") if _ID.fullmatch(p.stem)]
        yield from map(self.load, sorted(names, key=_order))

    def new_id(self, at: datetime) -> str:
        """Give an id that no migration has."""
        plain = f"{at:%Y%m%d-%H%M%S}"
        number, name = 1, plain
        while self._path(name).exists() or self.kept(name).exists():
            number += 1
            name = f"{plain}-{number}"
        return name

    def _path(self, migration: str) -> Path:
        return self.folder / f"{migration}.json"


def _order(name: str) -> tuple[int, ...]:
    return tuple(map(int, name.split("-")))


def _plain(state: State) -> object:
    return _escaped(msgspec.to_builtins(state))


def _escaped(value: object) -> object:
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    if isinstance(value, dict):
        return {key: _escaped(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_escaped(each) for each in value]
    return value


def _state(data: bytes) -> State:
    return msgspec.json.decode(data, type=State)
