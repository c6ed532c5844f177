"""The backups of a home: create, list, verify, prune.

A backup gets its name after it was unpacked and opened and every row checked. Only one is made at a
time; the next one removes the remains of an interrupted one.
"""

import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from unabridged.disk.atomic_write import (
    UNFINISHED,
    draft_of,
    of_the_system,
    remove,
    system_errors,
    wipe,
    write_soon,
)
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
from unabridged.home.replace_file import work_folder
from unabridged.home.spaces import SpacesFolder
from unabridged.stores.sqlite import SqliteStore
from unabridged.stores.sqlite.connection import ConnectionOptions
from unabridged.stores.sqlite.store import COPY

SUFFIX = ".zip"
HOME = "home"
"""The prefix of backups of a whole home."""
LOCK = ".lock"
PATIENCE = 3600.0
"""Seconds to wait for another backup."""
NEWEST = Path("config", "newest-backup")
"""Next to the folder, not in it: the name of the backup that was made last."""
OLD = ".old"
"""The ending of a hidden file: a backup that another one replaces."""
_NAMED = re.compile(r"(?P<name>.+)-(?P<at>\d{8}T\d{6}Z)(?:-\d+)?\.zip")
SQLITE = "sqlite"


def settle(old: Path) -> None:
    """Finish replacing a backup: wipe the old file, or put it back if there is no new one."""
    place = old.with_name(old.name.removeprefix(".").removesuffix(OLD))
    wipe(old) if place.exists() else old.rename(place)


def open_copy(folder: Path, held: BackupResult, access: ConnectionOptions) -> SqliteStore:
    """Open an unpacked space."""
    if held.store != SQLITE:
        raise BackupError(
            f"The backup contains a store of an unknown kind: {held.store!r}.",
            hint="Install a newer version of unabridged.",
        )
    return SqliteStore(folder / COPY, held.space, create=False, access=access.for_copies())


class BackupsFolder:
    """The backups of one home.

    Args:
        folder: Their folder; created with the first one.
        access: The access to their files.
    """

    def __init__(self, folder: Path, access: ConnectionOptions | None = None) -> None:
        self.folder = folder
        self.access = access or ConnectionOptions()

    def make(
        self,
        spaces: SpacesFolder,
        wanted: Sequence[SpaceId],
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
            spaces: The spaces of the home.
            wanted: The spaces to back up.
            at: The time.
            moved: Called with the progress.
            home: Whether to back up a whole home: damaged spaces are then left out and listed.
            files: Further files: name in the backup to path.
            output: The file; None for one in the folder, named by space and time.
            damaged: Files whose space is unreadable, with the reason; they are left out.

        Raises:
            BackupError: The file exists, or the backup fails its check.
            StoreError: A space cannot be read, or the disk is full; no file is left.
        """
        if output is not None and output.exists():
            raise BackupError(f"{output} exists already.", hint="Name another file.")
        place = output or self.folder
        try:
            private_folder(self.folder)
            with self.alone(), work_folder(self.folder) as folder:
                held: list[tuple[str, BackupResult]] = []
                left_out = list(damaged)
                for number, space in enumerate(wanted):
                    name = f"spaces/{number}"
                    try:
                        held.append((name, self.copy(spaces, space, folder / name, moved)))
                    except StoreDamagedError as error:
                        if not home:
                            raise
                        shutil.rmtree(folder / name)
                        left_out.append((space.name, str(error)))
                for name, path in files:
                    target = folder / name
                    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                    shutil.copyfile(path, target)
                place = output or self._free(HOME if home else spaces.path_of(wanted[0]).stem, at)
                said = backup_archive.described(folder, held, at=at, home=home, left_out=left_out)
                done = self._finish(folder, said, place, moved)
        except OSError as error:
            raise of_the_system(error, place) from error
        if output is None:
            self._remember(place.name)
        return done

    def copy(
        self, spaces: SpacesFolder, space: SpaceId, folder: Path, moved: Moved
    ) -> BackupResult:
        """Copy a space into a new folder while others may write; return its figures."""
        folder.mkdir(mode=0o700, parents=True)
        stage = f"copy {space.name}"
        with closing(spaces.open(space, create=False)) as store:
            store.backup(str(folder), lambda share: moved(stage, round(1000 * share), 1000))
        empty = BackupResult(space, SQLITE, 0, 0, 0)
        with closing(open_copy(folder, empty, self.access)) as copied:
            totals = copied.totals()
        return BackupResult(space, SQLITE, totals.sessions, totals.exchanges, totals.messages)

    def _finish(self, folder: Path, said: BackupManifest, place: Path, moved: Moved) -> Backup:
        draft = draft_of(place)
        try:
            backup_archive.pack(folder, said, draft, moved)
            shutil.rmtree(folder)
            self.prove(draft, moved)
            give_name(draft, place)
        except FileExistsError:
            raise BackupError(f"{place} exists already.", hint="Name another file.") from None
        finally:
            remove(draft)
        return said.backup(place)

    def verify(self, path: Path, moved: Moved) -> Backup:
        """Unpack a backup, open it, and check every row."""
        with system_errors(path):
            private_folder(self.folder)
            with self.alone():
                return self.prove(path, moved).backup(path)

    def prove(self, path: Path, moved: Moved) -> BackupManifest:
        """Unpack a backup and check every row; return its manifest."""
        with self.unpacked(path, moved) as (manifest, _):
            return manifest

    @contextmanager
    def unpacked(
        self, path: Path, moved: Moved, beside: Path | None = None
    ) -> Iterator[tuple[BackupManifest, Path]]:
        """Unpack a backup and check it; the folder is removed after the block.

        Args:
            path: The backup.
            moved: Called with the progress.
            beside: The folder to unpack in; None for that of the backups.
        """
        with work_folder(beside or self.folder) as folder:
            manifest = backup_archive.unpack(path, folder, moved)
            for number, one in enumerate(manifest.spaces):
                moved("check", number, len(manifest.spaces))
                self._check(folder / one.folder, manifest.held(number), path)
            yield manifest, folder

    def _check(self, folder: Path, held: BackupResult, path: Path) -> None:
        try:
            with closing(open_copy(folder, held, self.access)) as store:
                said = store.check(index=False)
                totals = store.totals()
        except StoreKeyError as error:
            raise BackupError(
                f"The backup {path} is encrypted with another key.",
                hint="Set the key that it was made with: UNABRIDGED_KEY=file:PATH",
            ) from error
        except (StoreError, NotFoundError) as error:
            raise backup_archive.unreadable(path, str(error)) from error
        found = (totals.sessions, totals.exchanges, totals.messages)
        if said or found != (held.sessions, held.exchanges, held.messages):
            why = said[0] if said else "its number of exchanges differs from its manifest"
            raise backup_archive.unreadable(path, why)

    def all(self) -> list[Backup]:
        """Return every backup of the folder, the newest first, with errors of unreadable ones."""
        found = [self._look(path) for path in sorted(self.folder.glob(f"*{SUFFIX}"))]
        oldest = datetime.min.replace(tzinfo=UTC)
        return sorted(found, key=lambda one: (one.at or oldest, one.path), reverse=True)

    def _look(self, path: Path) -> Backup:
        try:
            return backup_archive.manifest_of(path).backup(path)
        except BackupError as error:
            return Backup(str(path), None, path.stat().st_size, trouble=str(error))

    def lost(self) -> str:
        """Return the name of the backup that was made last, if it is gone; else nothing.

        Pruning never removes it: somebody did, or the folder was put back to an older day.
        """
        try:
            name = self._note.read_bytes().decode("utf-8", "replace")
        except OSError:
            return ""
        return name if _NAMED.fullmatch(name) and not (self.folder / name).exists() else ""

    @property
    def _note(self) -> Path:
        return self.folder.parent / NEWEST

    def _remember(self, name: str) -> None:
        with suppress(OSError):  # the backup is made
            private_folder(self._note.parent)
            write_soon(self._note, name.encode())

    def find(self, named: str) -> Path:
        """Return the path of a backup, given as a file or by its name in the folder."""
        for path in (Path(named), self.folder / named, self.folder / f"{named}{SUFFIX}"):
            if path.is_file():
                return path
        raise BackupError(f"There is no backup {named}.", hint=backup_archive.HINT)

    def thin(self, name: str, keep: int) -> list[Path]:
        """Remove all but the newest backups (at least one) of one name; return those removed.

        Args:
            name: The name of the space's file without its ending, or ``home``.
            keep: How many to keep.
        """
        gone = self.beyond(keep, name=name)
        for path in gone:
            remove(path)
        return gone

    def beyond(
        self, keep: int = 1, *, before: datetime | None = None, name: str | None = None
    ) -> list[Path]:
        """Return the backups beyond the newest of each name (at least one), oldest first.

        Args:
            keep: How many of each name are not returned.
            before: Return only those made before this time.
            name: Return only those of this name.
        """
        found: dict[str, list[tuple[str, int, str, Path]]] = {}
        for path in self.folder.glob(f"*{SUFFIX}"):
            named = _NAMED.fullmatch(path.name)
            if named and name in (None, named["name"]):
                row = (named["at"], len(path.name), path.name, path)
                found.setdefault(named["name"], []).append(row)
        old = (row for rows in found.values() for row in sorted(rows)[: -max(1, keep)])
        ends = _stamp(before) if before else "9"
        return [path for at, _, _, path in sorted(old) if at < ends]

    def around(self, name: str, at: datetime) -> tuple[Path | None, Path | None]:
        """Return the newest backup of one name until a time, and the oldest one after it."""
        found = []
        for path in self.folder.glob(f"*{SUFFIX}"):
            named = _NAMED.fullmatch(path.name)
            if named and named["name"] == name:
                found.append((named["at"], len(path.name), path.name, path))
        before = [one for one in found if one[0] <= _stamp(at)]
        after = [one for one in found if one[0] > _stamp(at)]
        return (
            max(before)[-1] if before else None,
            min(after)[-1] if after else None,
        )

    def _free(self, name: str, at: datetime) -> Path:
        stem = f"{name}-{_stamp(at)}"
        path, number = self.folder / f"{stem}{SUFFIX}", 1
        while path.exists():
            number += 1
            path = self.folder / f"{stem}-{number}{SUFFIX}"
        return path

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Lock the folder within the block, and finish or remove what was interrupted before."""
        with locked(self.folder / LOCK, PATIENCE):
            for path in self.folder.glob(f".*{UNFINISHED}"):
                shutil.rmtree(path) if path.is_dir() else remove(path)
            for path in self.folder.glob(f".*{OLD}"):
                settle(path)
            yield


def _stamp(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y%m%dT%H%M%SZ}"
