"""Migration: from an old folder into the home of the settings, and back."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, cast

from unabridged import config
from unabridged.clock import SystemClock
from unabridged.disk.atomic_write import remove
from unabridged.domain.settings import Settings
from unabridged.errors import SettingError
from unabridged.home.encryption import EXPORT, export_cipher
from unabridged.home.followed_spaces import FollowedSpaces, json_folder_of
from unabridged.home.migration_journal import MigrationJournal, State
from unabridged.home.open_spaces import guard_of, spaces_below, spaces_of
from unabridged.home.spaces import SpacesFolder
from unabridged.migration import migrate, roll_back
from unabridged.migration.import_memory import Moved
from unabridged.migration.migrate import Ground, MigrationPlan
from unabridged.migration.sources import ChosenFiles
from unabridged.ports import Clock

__all__ = ["MigrationPlan", "Migrations", "State"]


class Migrations:
    """The migrations of one home.

    Args:
        settings: The settings: the home, whose memory it is if files do not say, and which
            fields separate spaces.

    Raises:
        SettingError: The configured store keeps nothing.
    """

    def __init__(self, settings: Settings, clock: Clock | None = None) -> None:
        if settings.store == "memory":
            raise SettingError("The store 'memory' keeps nothing.", hint="Set store to sqlite.")
        self._settings = settings
        plain = Ground(
            home=Path(settings.home),
            spaces_at=self._spaces,
            clock=clock or SystemClock(),
        )
        sealed = replace(plain, sealing=self._sealing, sealed=".sealed")
        self._ground = sealed if settings.encrypt else plain

    def plan(
        self, folder: Path, *, model: str | None = None, moved: Moved = lambda *_: None
    ) -> MigrationPlan:
        """Plan a migration; nothing is written."""
        return migrate.plan(self._ground, folder, self._chosen(model), moved)

    def migrate(
        self, folder: Path, *, model: str | None = None, moved: Moved = lambda *_: None
    ) -> MigrationPlan:
        """Migrate a folder: archive it, import it, prove the copy, then switch.

        Args:
            folder: The old program's folder; it is only read.
            model: The model of exchanges that name none; None for unknown.
            moved: Receives the progress.

        Raises:
            MigrationError: It cannot be migrated; the old folder still works, and nothing new remains.
            StoreError: Something cannot be written; likewise.
        """
        config.folder(self._settings.home, "config")
        outlook = migrate.migrate(self._ground, folder, self._chosen(model), moved)
        kept = self._ground.shelf.kept(outlook.state.id) if outlook.state else None
        self._unmoor(lambda path: kept is not None and path.is_relative_to(kept.absolute()))
        if outlook.state is not None:
            self._follow(outlook.state)
        return outlook

    def roll_back(self, migration: str | None = None) -> State:
        """Go back to the old folder; see ``migration.roll_back``.

        Args:
            migration: Its id; None for the last.
        """
        config.folder(self._settings.home, "config")
        state = roll_back.roll_back(self._ground, migration)
        live = self._ground.spaces_at(self._ground.home)
        folder = json_folder_of(self._settings)
        if folder is not None:
            for path in (path for space in state.named for path in folder.paths(space).all_files()):
                remove(path)
        gone = {live.path_of(space).absolute() for space in state.named}
        self._unmoor(lambda path: path in gone)
        return state

    def list(self) -> list[State]:
        """Return every migration, the oldest first."""
        return list(MigrationJournal(self._ground.home).all())

    def archive(self, migration: str) -> Path:
        """Return the path of the old folder's archive."""
        return self._ground.shelf.archive(migration)

    def aside(self, migration: str) -> Path:
        """Return the path of the spaces of a migration that was rolled back."""
        return self._ground.shelf.aside(migration)

    def _chosen(self, model: str | None) -> ChosenFiles:
        s = self._settings
        return ChosenFiles(s.user, s.agent, model, s.isolation)

    def _unmoor(self, gone: Callable[[Path], bool]) -> None:
        anchor = guard_of(self._settings).anchor
        if anchor is not None:
            anchor.drop(lambda path: gone(path.absolute()) and not path.exists())

    def _sealing(self, stream: BinaryIO) -> AbstractContextManager[BinaryIO]:
        sealing = export_cipher(self._settings).sealing(stream, EXPORT)
        return cast("AbstractContextManager[BinaryIO]", sealing)

    def _spaces(self, folder: Path) -> SpacesFolder:
        return spaces_below(self._settings, folder)

    def _follow(self, state: State) -> None:
        spaces = spaces_of(self._settings)
        if isinstance(spaces, FollowedSpaces):
            for space in state.named:
                spaces.open(space, create=False).close()
