"""Read back the backups of a home on a schedule: all, those that are due, or a share of them.

A hidden file in ``backups`` notes when each backup was last read whole, and what was wrong. It names
backups by a digest, so that no name is left once a backup is gone. A backup is read whole when it is
made, so that a new one counts from then.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from pathlib import Path
from typing import Annotated

import msgspec

from unabridged import config
from unabridged.disk.atomic_write import write_whole
from unabridged.domain.backup_results import BackupRead
from unabridged.domain.settings import Settings
from unabridged.errors import BackupError
from unabridged.home.backup import Safekeeping
from unabridged.home.backup_archive import Moved
from unabridged.home.backups import SUFFIX
from unabridged.ports import Clock

NOTES = ".read.json"
SHARE = 4
"""The part of all bytes, one in so many, that one run of the schedule reads; but one backup at least."""
EARLY = 0.75
"""The part of the period after which the schedule reads a backup, so that the last is in time."""


_PATH = "{path}"
"""In an error that is noted: the path of the backup."""


_Time = Annotated[datetime, msgspec.Meta(tz=True)]


class _Note(msgspec.Struct):
    at: _Time
    trouble: str = ""


class _Notes(msgspec.Struct):
    format: int = 1
    begun: _Time | None = None
    """When a reading of all began that is not finished."""
    read: dict[str, _Note] = msgspec.field(default_factory=dict)


class BackupReader:
    """Reads back the backups of a home, and notes it.

    Args:
        settings: All settings; ``backup_verify_every`` is the period.
        clock: The clock.
    """

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self._folder = Path(settings.home) / "backups"
        self._settings = settings
        self._clock = clock
        self._safe = Safekeeping(settings, clock)
        days = settings.backup_verify_every
        self._period = timedelta(days=days) if days is not None else None

    def states(self) -> list[BackupRead]:
        """Return when each backup was last read whole, the longest ago first; reads no backup."""
        return self._states(self._notes())

    def read_all(self, moved: Moved) -> Iterator[BackupRead]:
        """Read back every backup, and yield each result.

        A run that was interrupted is continued: what it read is yielded at once.
        """
        notes = self._notes()
        begun = notes.begun or self._clock.now()
        self._change(lambda held: setattr(held, "begun", begun))
        for one in sorted(self._states(notes), key=lambda state: state.path):
            is_read = _mark(Path(one.path)) in notes.read and one.read >= begun
            yield replace(one, earlier=True) if is_read else self._read(one, moved)
        self._change(lambda held: setattr(held, "begun", None))

    def read_due(self, moved: Moved) -> Iterator[BackupRead]:
        """Read back every backup that was not read within the period."""
        for one in self.states():
            if one.due:
                yield self._read(one, moved)

    def read_share(self, moved: Moved) -> Iterator[BackupRead]:
        """Read back a share of the backups: those that will be due next, in time for each."""
        if self._period is None:
            return
        found = self.states()
        room = sum(one.bytes for one in found) / SHARE
        for one in found:
            if self._clock.now() - one.read < self._period * EARLY:
                return
            yield self._read(one, moved)
            room -= one.bytes
            if room <= 0:
                return

    def _read(self, one: BackupRead, moved: Moved) -> BackupRead:
        trouble = ""
        try:
            self._safe.verify(one.path, moved)
        except BackupError as error:
            trouble = str(error)
        path, now = Path(one.path), self._clock.now()
        if not path.exists():  # it was pruned meanwhile
            return replace(one, trouble="", due=False)
        self._change(
            lambda held: held.read.update(
                {_mark(path): _Note(now, trouble.replace(one.path, _PATH))}
            )
        )
        return replace(one, read=now, trouble=trouble, due=False)

    def _states(self, notes: _Notes) -> list[BackupRead]:
        now, found = self._clock.now(), []
        for path in self._paths():
            stat = path.stat()
            note = notes.read.get(_mark(path))
            read = note.at if note else datetime.fromtimestamp(stat.st_mtime, UTC)
            due = self._period is not None and now - read >= self._period
            trouble = note.trouble.replace(_PATH, str(path)) if note else ""
            found.append(BackupRead(str(path), stat.st_size, read, trouble, due=due))
        return sorted(found, key=lambda one: (one.read, one.path))

    def _paths(self) -> list[Path]:
        return [path for path in self._folder.glob(f"[!.]*{SUFFIX}") if path.is_file()]

    def _notes(self) -> _Notes:
        try:
            data = (self._folder / NOTES).read_bytes()
            return msgspec.json.decode(data, type=_Notes)
        except (FileNotFoundError, ValueError, RecursionError):
            return _Notes()  # then every backup is due sooner

    def _change(self, change: Callable[[_Notes], object]) -> None:
        folder = config.folder(self._settings.home, "backups")
        notes = self._notes()
        change(notes)
        there = {_mark(path) for path in self._paths()}
        notes.read = {mark: note for mark, note in notes.read.items() if mark in there}
        write_whole(folder / NOTES, msgspec.json.encode(notes))


def _mark(path: Path) -> str:
    try:
        stat = path.stat()
    except FileNotFoundError:
        return ""
    name = f"{path.name} {stat.st_size} {stat.st_mtime_ns}"
    return blake2b(name.encode(), digest_size=16).hexdigest()
