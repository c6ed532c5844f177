"""Back up and restore a home, and recover damaged spaces.

A backup contains the key box of its home: its secrets open the encrypted files elsewhere.
"""

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from pathlib import Path

from unabridged import config
from unabridged.clock import SystemClock
from unabridged.disk.atomic_write import remove
from unabridged.disk.locks import locked
from unabridged.domain.backup_results import Backup, Recovery, RestoreResult, RewrittenBackup
from unabridged.domain.hash_chain import MacKey
from unabridged.domain.scope import Scope, SpaceId
from unabridged.domain.settings import Settings
from unabridged.errors import BackupError, NotFoundError, StoreDamagedError, StoreKeyError
from unabridged.home import backup_archive, keyring_file
from unabridged.home.backup_archive import Moved
from unabridged.home.backups import HOME, BackupsFolder
from unabridged.home.delete_space import kept_receipts
from unabridged.home.followed_spaces import FollowedSpaces
from unabridged.home.key_source import BOX, LOCK_SECONDS, box_places, person_key, secrets_of
from unabridged.home.keyring_file import HomeSecrets
from unabridged.home.open_spaces import databases_of, space_from, spaces_of
from unabridged.home.recover import recovered_file, rescue, told
from unabridged.home.restore_backup import SETTINGS, ForgottenSince, restore
from unabridged.home.restore_moment import Unpacked, as_of, copied, reaches
from unabridged.home.rewrite_backup import BackupRewriting
from unabridged.home.spaces import SpacesFolder
from unabridged.ports import Clock
from unabridged.stores import reassemble
from unabridged.stores.sqlite.connection import ConnectionOptions

BOX_MEMBER = f"{SETTINGS}/{BOX}"
"""The name of the key box in a backup."""


def _silent(_stage: str, _done: int, _of: int) -> None:
    pass


class Safekeeping:
    """The backups of one home.

    Args:
        settings: All settings, with the home and the scope.
        clock: The clock; None for the system's.
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
        return BackupsFolder(folder, self._spaces.access)

    def backup(
        self, *, output: Path | None = None, keep: int | None = None, moved: Moved = _silent
    ) -> tuple[Backup, list[Path]]:
        """Back up the space of the settings, while others may write to it.

        Args:
            output: The file; None for one in the home.
            keep: How many backups of this space to keep in the home; None for all.
            moved: Called with the progress.

        Returns:
            The backup, and the older ones that were removed.

        Raises:
            NotFoundError: There is no such space yet.
            BackupError: It failed; no file is left.
        """
        space = self._space()
        path = self._spaces.path_of(space)
        if not path.exists():
            raise NotFoundError(
                f"There is no space {space.name!r} yet.",
                hint="List them: unabridged spaces list. Choose one: --user and --agent.",
            )
        files = _box_of(self._settings)
        made = self._backups.make(
            self._spaces, [space], self._clock.now(), moved, output=output, files=files
        )
        return made, self._backups.thin(path.stem, keep) if keep else []

    def backup_all(
        self, *, output: Path | None = None, keep: int | None = None, moved: Moved = _silent
    ) -> tuple[Backup, list[Path]]:
        """Back up every space of the home, and its settings, into one file.

        Damaged spaces are left out and listed. Then no older backup is removed, since it may
        contain them.
        """
        spaces = self._spaces.list()
        folder = Path(self._settings.home) / SETTINGS
        files = [(f"{SETTINGS}/{p.name}", p) for p in sorted(folder.glob("*.toml")) if p.is_file()]
        files += _box_of(self._settings)
        made = self._backups.make(
            self._spaces,
            [info.space for info in spaces if info.space],
            self._clock.now(),
            moved,
            home=True,
            files=files,
            output=output,
            damaged=[(info.path.name, info.damaged) for info in spaces if info.space is None],
        )
        return made, self._backups.thin(HOME, keep) if keep and not made.left_out else []

    def backups(self) -> list[Backup]:
        """Return every backup in the home, the newest first."""
        return self._backups.all()

    def prunable(self, *, keep: int = 1, before: datetime | None = None) -> list[Path]:
        """Return the backups in the home that pruning removes, oldest first.

        The newest backup of each space, and of the home, is never among them.

        Args:
            keep: How many of each space, and of the home, stay.
            before: Remove only backups made before this time.
        """
        return self._backups.beyond(keep, before=before)

    def prune(self, paths: Sequence[Path]) -> None:
        """Remove backups that ``prunable`` returned."""
        for path in paths:
            remove(path)

    def rewritten(
        self, *, dry_run: bool = False, moved: Moved = _silent
    ) -> Iterator[RewrittenBackup]:
        """Rewrite each backup of the home without what was forgotten since, one after the other.

        One that cannot be read is returned with the reason.

        Args:
            dry_run: Whether to only look.
            moved: Called with the progress.
        """
        left = {receipt.space: receipt.at for receipt in kept_receipts(self._settings)}
        for one in reversed(self.backups()):
            path = Path(one.path)
            try:
                backups = self._backups_as(path)
                rewriting = BackupRewriting(backups, self._spaces, self._clock, left)
                done = rewriting.rewrite(path, moved, dry_run=dry_run)
            except BackupError as error:
                done = RewrittenBackup(one.path, 0, 0, trouble=str(error))
            if done:
                yield done

    def _space(self) -> SpaceId:
        scope = Scope(self._settings.user, self._settings.agent, self._settings.model or None)
        return space_from(scope, self._settings)

    def verify(self, named: str, moved: Moved = _silent) -> Backup:
        """Unpack a backup, open it and check every row."""
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
        """Restore a backup; an empty home gets the key box of the backup."""
        path = self._find(named)
        _take_box(self._settings, path)
        restored = restore(
            self._backups_as(path).unpacked(path, moved, self._spaces.folder),
            self._spaces,
            moved,
            renamed=renamed,
            replace=replace,
            settings=Path(self._settings.home) / SETTINGS,
            since=None if with_forgotten else self._since(),
        )
        return self._followed(restored)

    def newest_of_home(self, at: datetime) -> Path:
        """Return the newest backup of the whole home that was not made after a time.

        Raises:
            BackupError: There is none.
        """
        found = self._backups.around(HOME, at)[0]
        if found is None:
            raise _no_backup("the whole home", at)
        return found

    def restore_at(
        self,
        at: datetime,
        *,
        renamed: SpaceId | None = None,
        replace: bool = False,
        with_forgotten: bool = False,
        moved: Moved = _silent,
    ) -> tuple[list[RestoreResult], Path | None]:
        """Restore the space of the settings as it was at a time.

        The source is the space itself; if it is gone, damaged or lacks what an earlier backup has,
        the oldest backup after the time. Both are cut off at the time. Otherwise, and to restore
        what was forgotten too, it is the newest backup until then.

        Returns:
            What was restored, and the backup that was used; None for the space itself.

        Raises:
            BackupError: Nothing reaches that time, or restoring fails.
        """
        space, since = self._space(), self._since()
        before, after = self._backups.around(self._spaces.path_of(space).stem, at)
        if with_forgotten and before:
            restored = self.restore(
                str(before), renamed=renamed, replace=replace, with_forgotten=True, moved=moved
            )
            return restored, before
        held = self._backups_as(before).unpacked(before, moved) if before else None
        source: Unpacked
        if reaches(self._spaces, space, held, since.left.get(space.name)):
            chosen = None
            source = copied(self._backups, self._spaces, space, self._clock.now(), moved)
        else:
            chosen = after or before
            if chosen is None:
                raise _no_backup(space.name, at)
            _take_box(self._settings, chosen)
            source = self._backups_as(chosen).unpacked(chosen, moved, self._spaces.folder)
        restored = restore(
            as_of(source, at, self._spaces.access, self._clock),
            self._spaces,
            moved,
            renamed=renamed,
            replace=replace,
            since=None if with_forgotten else since,
        )
        return self._followed(restored), chosen

    def _since(self) -> ForgottenSince:
        left = {receipt.space: receipt.at for receipt in kept_receipts(self._settings)}
        return ForgottenSince(self._clock, left)

    def _followed(self, restored: list[RestoreResult]) -> list[RestoreResult]:
        spaces = spaces_of(self._settings)
        if isinstance(spaces, FollowedSpaces):
            for one in restored:
                if not one.there:
                    spaces.render(one.space)
        return restored

    def recover(self, space: SpaceId, moved: Moved = _silent) -> Recovery | None:
        """Set a damaged space's file aside and keep all that is intact in it.

        Returns:
            What was recovered; None if every row is intact.

        Raises:
            NotFoundError: There is no such space.
            StoreBusyError: Others have it open.
        """
        path = self._spaces.path_of(space)
        if not list(path.parent.glob(f"{path.name}*")):
            raise NotFoundError(
                f"There is no space {space.name!r}.", hint="List them: unabridged spaces list"
            )
        found = rescue(self._spaces, space, moved, look=True)
        told(path)
        return found

    def recover_file(
        self, path: Path, into: SpaceId | None = None, moved: Moved = _silent
    ) -> Recovery:
        """Recover all that is intact in a file, into a space if one is given.

        Args:
            path: The file; it is only read.
            into: The space; its present content is skipped. None writes nothing.
            moved: Called with the progress.

        Raises:
            NotFoundError: There is no such file.
        """
        if not path.is_file():
            raise NotFoundError(f"There is no file {path}.", hint="Check the path.")
        found = recovered_file(path, self._spaces.access, moved)
        if into is not None:
            with closing(spaces_of(self._settings).open(into)) as store:
                reassemble.write(found, store)
        return found.account

    def _find(self, named: str) -> Path:
        # The home's secrets are not read yet: an empty home may get those of the backup.
        return BackupsFolder(config.folder(self._settings.home, "backups")).find(named)

    def _backups_as(self, path: Path) -> BackupsFolder:
        access = _access_in(self._settings, self._spaces.access, path)
        return BackupsFolder(self._backups.folder, access)


def _no_backup(what: str, at: datetime) -> BackupError:
    return BackupError(
        f"There is no backup of {what} from {at.astimezone():%Y-%m-%d %H:%M} or before.",
        hint="List the backups: unabridged backup list",
    )


def _box_of(settings: Settings) -> list[tuple[str, Path]]:
    return [(BOX_MEMBER, place) for place in box_places(settings) if place.is_file()][:1]


def _access_in(settings: Settings, access: ConnectionOptions, path: Path) -> ConnectionOptions:
    held = _secrets_in(settings, path, strict=False)
    if held is None:
        return access
    mac_key = MacKey(held.digests.for_("chain"), held.digests.mark)
    guard = replace(access.guard, mac_key=mac_key)
    return replace(access, key=held.files.for_("sqlite"), guard=guard)


def _take_box(settings: Settings, path: Path) -> None:
    if person_key(settings) is None:
        return
    empty = next(_kept(settings), None) is None
    theirs = _secrets_in(settings, path, strict=empty)
    if theirs is None or (not empty and theirs == secrets_of(settings)):
        return
    with locked(config.folder(settings.home, "config") / ".keybox.lock", LOCK_SECONDS):
        found = next(_kept(settings), None)
        if found is not None:
            raise BackupError(
                f"{path} was made in another home, and {found} is encrypted with other secrets.",
                hint="Restore it into an empty home (--home FOLDER, the same key), "
                "then: unabridged spaces copy sqlite: sqlite: --from-home FOLDER",
            )
        keyring_file.put_box(
            box_places(settings), backup_archive.member_of(path, BOX_MEMBER) or b""
        )


def _secrets_in(settings: Settings, path: Path, *, strict: bool) -> HomeSecrets | None:
    key = person_key(settings)
    data = backup_archive.member_of(path, BOX_MEMBER) if key else None
    if key is None or data is None:
        return None
    try:
        return keyring_file.open_copy(data, key, path)
    except StoreDamagedError as error:
        raise backup_archive.unreadable(path, str(error)) from error
    except StoreKeyError:
        if strict:
            raise
        return None  # the key may have changed since, with the same secrets


def _kept(settings: Settings) -> Iterator[Path]:
    for path in (Path(settings.home) / "spaces").rglob("*"):
        if path.is_file() and path.name != BOX and not path.name.startswith("."):
            yield path
