"""Keeping a home safe: backups, and what they give back."""

from collections.abc import Callable
from functools import cached_property, partial
from importlib.metadata import version
from pathlib import Path

from unabridged import config
from unabridged.clock import SystemClock
from unabridged.domain.backup_results import Backup, Recovery, RestoreResult
from unabridged.domain.scope import Scope, SpaceId
from unabridged.domain.settings import Settings
from unabridged.errors import NotFoundError
from unabridged.home.backup_keys import access_in, box_of, take_box
from unabridged.home.backups import HOME, BackupOptions, BackupsFolder
from unabridged.home.delete_space import kept_receipts
from unabridged.home.followed_spaces import FollowedSpaces
from unabridged.home.open_spaces import databases_of, space_from, spaces_of
from unabridged.home.recover import recovered_file, rescue, told
from unabridged.home.restore_backup import SETTINGS, restore
from unabridged.home.spaces import SpacesFolder
from unabridged.ports import Clock
from unabridged.stores import reassemble

Moved = Callable[[str, int, int], None]
"""Told what goes on, how much is done, and of how much."""


def _silent(_stage: str, _done: int, _of: int) -> None:
    pass


class Safekeeping:
    """The backups of one home.

    Args:
        settings: Every choice; the home, and whose memory it is.
        clock: The time; None for the machine's.
    """

    def __init__(self, settings: Settings, clock: Clock | None = None) -> None:
        self._settings = settings
        self._clock = clock or SystemClock()

    @cached_property
    def _spaces(self) -> SpacesFolder:
        return databases_of(self._settings)

    @cached_property
    def _backups(self) -> BackupsFolder:
        folder = config.folder(self._settings.home, "backups")
        spaces = self._spaces
        return BackupsFolder(folder, version("unabridged"), spaces.access)

    def backup(
        self, *, output: Path | None = None, keep: int | None = None, moved: Moved = _silent
    ) -> tuple[Backup, list[Path]]:
        """Back up the space that the settings name, while others may write to it.

        Args:
            output: The file; None for one in the home.
            keep: How many backups of this space stay in the home; None for all.
            moved: Told how far it has come.

        Returns:
            The backup, and those that were removed for it.

        Raises:
            NotFoundError: There is no such space yet.
            BackupError: It cannot be made; nothing is left behind.
        """
        scope = Scope(self._settings.user, self._settings.agent, self._settings.model or None)
        wanted = self._wanted(space_from(scope, self._settings))
        if not self._spaces.path_of(wanted.space).exists():
            raise NotFoundError(
                f"There is no space {wanted.space.name!r} yet.",
                hint="`unabridged spaces` lists them; --user and --agent name one.",
            )
        made = self._backups.make(
            [wanted], self._clock.now(), moved, output=output, files=box_of(self._settings)
        )
        return made, self._backups.thin(wanted.name, keep) if keep else []

    def backup_all(
        self, *, output: Path | None = None, keep: int | None = None, moved: Moved = _silent
    ) -> tuple[Backup, list[Path]]:
        """Back up every space of the home, and its settings, into one file.

        Spaces that are damaged are left out, and said; then no older backup, which may hold them, is
        removed.
        """
        spaces = self._spaces.list()
        folder = Path(self._settings.home) / SETTINGS
        files = [(f"{SETTINGS}/{p.name}", p) for p in sorted(folder.glob("*.toml")) if p.is_file()]
        files += box_of(self._settings)
        made = self._backups.make(
            [self._wanted(info.space) for info in spaces if info.space],
            self._clock.now(),
            moved,
            home=True,
            files=files,
            output=output,
            damaged=[(info.path.name, info.damaged) for info in spaces if info.space is None],
        )
        return made, self._backups.thin(HOME, keep) if keep and not made.left_out else []

    def backups(self) -> list[Backup]:
        """Every backup in the home, the newest first."""
        return self._backups.all()

    def verify(self, named: str, moved: Moved = _silent) -> Backup:
        """Unpack a backup, open it and check every row.

        Raises:
            BackupError: It does not prove right.
        """
        path = self._find(named)
        return self._backups_as(path).verify(path, moved)

    def restore(
        self,
        named: str,
        *,
        renamed: SpaceId | None = None,
        replace: bool = False,
        with_forgotten: bool = False,
        moved: Moved = _silent,
    ) -> list[RestoreResult]:
        """Give back what a backup holds; see ``stores.restoring``.

        An empty home takes over the key box of the backup: see ``wiring.boxed``.
        """
        left = {receipt.space: receipt.at for receipt in kept_receipts(self._settings)}
        path = self._find(named)
        take_box(self._settings, path)
        restored = restore(
            self._backups_as(path),
            self._spaces,
            path,
            moved,
            renamed=renamed,
            replace=replace,
            settings=Path(self._settings.home) / SETTINGS,
            left=None if with_forgotten else left,
        )
        spaces = spaces_of(self._settings)
        if isinstance(spaces, FollowedSpaces):
            for one in restored:
                if not one.there:
                    spaces.render(one.space)
        return restored

    def recover(self, space: SpaceId, moved: Moved = _silent) -> Recovery | None:
        """Set a damaged space's file aside and go on with all that is whole in it.

        Returns:
            What was taken out; None where it is sound, row by row.

        Raises:
            NotFoundError: There is no such space.
            StoreBusyError: Others have it open.
        """
        path = self._spaces.path_of(space)
        if not list(path.parent.glob(f"{path.name}*")):
            raise _no_space(space)
        found = rescue(self._spaces, space, moved, look=True)
        told(path)
        return found

    def recover_file(
        self, path: Path, into: SpaceId | None = None, moved: Moved = _silent
    ) -> Recovery:
        """Find all that is whole in a file, and write it into a space where one is named.

        Args:
            path: The file; it is only read.
            into: The space; what it holds already is passed over. None to write nothing.
            moved: Told how far it has come.

        Raises:
            NotFoundError: There is no such file.
        """
        if not path.is_file():
            raise NotFoundError(f"There is no file {path}.", hint="Check the path.")
        found = recovered_file(path, self._spaces.access, moved)
        if into is not None:
            store = spaces_of(self._settings).open(into)
            try:
                reassemble.write(found, store)
            finally:
                store.close()
        return found.account

    def _find(self, named: str) -> Path:
        # No secret of the home is asked for yet: an empty one may get those of the backup.
        return BackupsFolder(config.folder(self._settings.home, "backups"), "").find(named)

    def _backups_as(self, path: Path) -> BackupsFolder:
        access = access_in(self._settings, self._spaces.access, path)
        return BackupsFolder(self._backups.folder, version("unabridged"), access)

    def _wanted(self, space: SpaceId) -> BackupOptions:
        name = self._spaces.path_of(space).stem
        return BackupOptions(space, name, partial(self._spaces.open, space, create=False))


def _no_space(space: SpaceId) -> NotFoundError:
    return NotFoundError(
        f"There is no space {space.name!r}.", hint="`unabridged spaces` lists them."
    )
