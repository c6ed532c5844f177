"""The backups of a home: made, listed, proved, thinned out.

A backup gets its name when it was unpacked again, opened, and every row of it checked. One is made
at a time; what an interrupted one left behind is removed by the next.
"""

import re
import secrets
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from unabridged.disk.atomic_write import UNFINISHED, draft_of, of_the_system, remove
from unabridged.disk.folders import private_folder
from unabridged.disk.large_files import give_name
from unabridged.disk.locks import locked
from unabridged.domain.backup_results import Backup, BackupResult
from unabridged.domain.scope import SpaceId
from unabridged.errors import (
    BackupError,
    NotFoundError,
    StoreDamagedError,
    StoreError,
    StoreKeyError,
)
from unabridged.home import backup_archive
from unabridged.home.backup_archive import BackupManifest, Moved
from unabridged.ports import Store, SupportsCheck
from unabridged.stores.sqlite import SqliteStore
from unabridged.stores.sqlite.connection import ConnectionOptions
from unabridged.stores.sqlite.store import COPY

SUFFIX = ".zip"
HOME = "home"
"""What the names of backups of a whole home begin with."""
LOCK = ".lock"
PATIENCE = 3600.0
"""Seconds to wait for another backup."""
_NAMED = re.compile(r"(?P<name>.+)-(?P<at>\d{8}T\d{6}Z)(?:-\d+)?\.zip")
SQLITE = "sqlite"


@dataclass(frozen=True, slots=True)
class BackupOptions:
    """A space that is to be backed up.

    Attributes:
        space: The space.
        name: How its file is called, without an ending.
        open: Opens it; it is closed again.
        store: What keeps it.
    """

    space: SpaceId
    name: str
    open: Callable[[], SqliteStore]
    store: str = SQLITE


@dataclass
class _Work:
    """What is gathered for one backup."""

    folder: Path
    spaces: list[tuple[str, BackupResult]] = field(default_factory=list)
    left_out: list[tuple[str, str]] = field(default_factory=list)


def open_copy(folder: Path, held: BackupResult, access: ConnectionOptions) -> Store:
    """Open a space that was unpacked.

    Raises:
        BackupError: This version knows no such store.
        StoreError: It cannot be opened.
    """
    if held.store != SQLITE:
        raise BackupError(
            f"The backup holds a store of {held.store!r}.",
            hint="Install a newer version of unabridged.",
        )
    return SqliteStore(folder / COPY, held.space, create=False, access=access.for_copies())


class BackupsFolder:
    """The backups of one home.

    Args:
        folder: Where they lie; made with the first one.
        version: Ours; it is written into them.
        access: How files of SQLite are reached.
    """

    def __init__(
        self,
        folder: Path,
        version: str,
        access: ConnectionOptions | None = None,
    ) -> None:
        self.folder = folder
        self._version = version
        self.access = access or ConnectionOptions()

    def make(
        self,
        wanted: Sequence[BackupOptions],
        at: datetime,
        moved: Moved,
        *,
        home: bool = False,
        files: Sequence[tuple[str, Path]] = (),
        output: Path | None = None,
        damaged: Sequence[tuple[str, str]] = (),
    ) -> Backup:
        """Back spaces up into one file.

        Args:
            wanted: The spaces.
            at: The time.
            moved: Told how far it has come.
            home: Whether it is of a whole home: damaged spaces are then left out, and said.
            files: Further files: the name in the backup, and the path.
            output: The file; None for one in the folder, named by space and time.
            damaged: Files that cannot even tell their space, and why; they are left out.

        Raises:
            BackupError: The file is there already, or the backup does not prove right.
            StoreError: A space cannot be read, or there is no room; nothing is left behind.
        """
        if output is not None and output.exists():
            raise BackupError(f"{output} is there already.", hint="Name another file.")
        place = output or self.folder
        try:
            private_folder(self.folder)
            with self._alone(), self._work_folder() as folder:
                work = _Work(folder, left_out=list(damaged))
                for number, one in enumerate(wanted):
                    self._take(work, one, f"spaces/{number}", moved, leave_out=home)
                for name, path in files:
                    target = folder / name
                    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                    shutil.copyfile(path, target)
                place = output or self._free(HOME if home else wanted[0].name, at)
                return self._finish(work, place, at, moved, home=home)
        except OSError as error:
            raise of_the_system(error, place) from error

    def _take(
        self, work: _Work, wanted: BackupOptions, name: str, moved: Moved, *, leave_out: bool
    ) -> None:
        folder = work.folder / name
        folder.mkdir(mode=0o700, parents=True)
        stage = f"copy {wanted.space.name}"
        try:
            store = wanted.open()
            try:
                store.backup(str(folder), lambda share: moved(stage, round(1000 * share), 1000))
            finally:
                store.close()
            empty = BackupResult(wanted.space, wanted.store, 0, 0, 0)
            copied = open_copy(folder, empty, self.access)
            try:
                totals = copied.totals()
            finally:
                copied.close()
        except StoreDamagedError as error:
            if not leave_out:
                raise
            shutil.rmtree(folder)
            work.left_out.append((wanted.space.name, str(error)))
            return
        held = BackupResult(
            wanted.space, wanted.store, totals.sessions, totals.exchanges, totals.messages
        )
        work.spaces.append((name, held))

    def _finish(
        self, work: _Work, place: Path, at: datetime, moved: Moved, *, home: bool
    ) -> Backup:
        said = backup_archive.described(
            work.folder,
            work.spaces,
            at=at,
            version=self._version,
            home=home,
            left_out=work.left_out,
        )
        draft = draft_of(place)
        try:
            backup_archive.pack(work.folder, said, draft, moved)
            shutil.rmtree(work.folder)
            self._prove(draft, moved)
            give_name(draft, place)
        except FileExistsError:
            raise BackupError(f"{place} is there already.", hint="Name another file.") from None
        finally:
            remove(draft)
        return said.backup(place)

    def verify(self, path: Path, moved: Moved) -> Backup:
        """Unpack a backup, open it, and check every row.

        Raises:
            BackupError: It does not prove right.
        """
        try:
            private_folder(self.folder)
            with self._alone():
                return self._prove(path, moved).backup(path)
        except OSError as error:
            raise of_the_system(error, path) from error

    def _prove(self, path: Path, moved: Moved) -> BackupManifest:
        with self.unpacked(path, moved) as (manifest, _):
            return manifest

    @contextmanager
    def unpacked(
        self, path: Path, moved: Moved, beside: Path | None = None
    ) -> Iterator[tuple[BackupManifest, Path]]:
        """Unpack a backup and prove it; what is still in the folder afterwards is removed.

        Args:
            path: The backup.
            moved: Told how far it has come.
            beside: Unpack in this folder; None for that of the backups.

        Raises:
            BackupError: It does not prove right.
            OSError: It cannot be unpacked.
        """
        with self._work_folder(beside) as folder:
            manifest = backup_archive.unpack(path, folder, moved)
            for number, one in enumerate(manifest.spaces):
                moved("check", number, len(manifest.spaces))
                self._check(folder / one.folder, manifest.held(number), path)
            yield manifest, folder

    def _check(self, folder: Path, held: BackupResult, path: Path) -> None:
        try:
            store = open_copy(folder, held, self.access)
            try:
                said = _damage(store)
                totals = store.totals()
            finally:
                store.close()
        except StoreKeyError as error:
            raise BackupError(
                f"The backup {path} is encrypted, and its key is not the one that is named.",
                hint="Name the key that it was made with: UNABRIDGED_KEY=file:PATH.",
            ) from error
        except (StoreError, NotFoundError) as error:
            raise backup_archive.unreadable(path, str(error)) from error
        found = (totals.sessions, totals.exchanges, totals.messages)
        if said or found != (held.sessions, held.exchanges, held.messages):
            why = said[0] if said else "it holds another number of exchanges than it says"
            raise backup_archive.unreadable(path, why)

    def all(self) -> list[Backup]:
        """Every backup of the folder, the newest first; one that cannot be read says so."""
        found = [self._look(path) for path in sorted(self.folder.glob(f"*{SUFFIX}"))]
        oldest = datetime.min.replace(tzinfo=UTC)
        return sorted(found, key=lambda one: (one.at or oldest, one.path), reverse=True)

    def _look(self, path: Path) -> Backup:
        try:
            return backup_archive.manifest_of(path).backup(path)
        except BackupError as error:
            return Backup(str(path), None, path.stat().st_size, trouble=str(error))

    def find(self, named: str) -> Path:
        """Give the path of a backup: a file, or the name of one in the folder.

        Raises:
            BackupError: There is none.
        """
        for path in (Path(named), self.folder / named, self.folder / f"{named}{SUFFIX}"):
            if path.is_file():
                return path
        raise BackupError(f"There is no backup {named}.", hint=backup_archive.HINT)

    def thin(self, name: str, keep: int) -> list[Path]:
        """Remove all but the newest backups of one name; gives those removed.

        Args:
            name: How the space's file is called, or ``home``.
            keep: How many stay; at least one.
        """
        found = []
        for path in self.folder.glob(f"*{SUFFIX}"):
            named = _NAMED.fullmatch(path.name)
            if named and named["name"] == name:
                found.append((named["at"], len(path.name), path.name, path))
        gone = [path for *_, path in sorted(found)[: -max(1, keep)]]
        for path in gone:
            remove(path)
        return gone

    def _free(self, name: str, at: datetime) -> Path:
        stem = f"{name}-{at.astimezone(UTC):%Y%m%dT%H%M%SZ}"
        path, number = self.folder / f"{stem}{SUFFIX}", 1
        while path.exists():
            number += 1
            path = self.folder / f"{stem}-{number}{SUFFIX}"
        return path

    @contextmanager
    def _alone(self) -> Iterator[None]:
        with locked(self.folder / LOCK, PATIENCE):
            for path in self.folder.glob(f".*{UNFINISHED}"):
                shutil.rmtree(path) if path.is_dir() else remove(path)
            yield

    @contextmanager
    def _work_folder(self, beside: Path | None = None) -> Iterator[Path]:
        folder = (beside or self.folder) / f".{secrets.token_hex(8)}{UNFINISHED}"
        folder.mkdir(mode=0o700)
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def _damage(store: Store) -> list[str]:
    if isinstance(store, SqliteStore):
        return store.check(index=False)
    return store.check() if isinstance(store, SupportsCheck) else []
