"""Rewrite a backup without what its spaces forgot since it was made."""

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from unabridged.disk.atomic_write import draft_of, remove, sync_folder, system_errors, wipe
from unabridged.domain.backup_results import BackupResult, RewrittenBackup
from unabridged.errors import NotFoundError, StoreError
from unabridged.forgetting.replay import ForgottenContent, forgotten_in, replay
from unabridged.home import backup_archive
from unabridged.home.backup_archive import BackupManifest, Moved
from unabridged.home.backups import OLD, BackupsFolder, open_copy, settle
from unabridged.home.spaces import SpacesFolder
from unabridged.ports import Clock


@dataclass(slots=True)
class _Draft:
    held: list[tuple[str, BackupResult]] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    exchanges: int = 0
    messages: int = 0
    changed: bool = False


@dataclass(frozen=True, slots=True)
class BackupRewriting:
    """What backups of a home are rewritten with.

    Attributes:
        backups: The backups, with the access to one of them.
        spaces: The spaces as they are now.
        clock: The clock.
        left: Name to time of spaces that were forgotten whole.
    """

    backups: BackupsFolder
    spaces: SpacesFolder
    clock: Clock
    left: Mapping[str, datetime]

    def rewrite(self, path: Path, moved: Moved, *, dry_run: bool = False) -> RewrittenBackup | None:
        """Rewrite one backup; it keeps its name and time. The old file is overwritten with zeros.

        A crash leaves the old or the new file. ``dry_run`` only says what would be removed.

        Returns:
            What was removed; None if it holds nothing of that kind.

        Raises:
            BackupError: It cannot be read; it is as it was.
            StoreError: The disk is full; it is as it was.
        """
        backups = self.backups
        with system_errors(path), backups.alone(), backups.unpacked(path, moved) as opened:
            manifest, folder = opened
            try:
                draft = self._without_forgotten(manifest, folder)
                if not draft.changed:
                    return None
                if not dry_run:
                    self._replace(path, manifest, folder, draft, moved)
            finally:
                for part in folder.rglob("*"):
                    if part.is_file():
                        wipe(part)
        removed = not draft.held
        return RewrittenBackup(
            str(path), draft.exchanges, draft.messages, tuple(draft.left), removed
        )

    def _without_forgotten(self, manifest: BackupManifest, folder: Path) -> _Draft:
        draft = _Draft()
        for number, one in enumerate(manifest.spaces):
            held = manifest.held(number)
            if self.left.get(held.space.name, manifest.at) > manifest.at:
                draft.changed = True
                draft.left.append(held.space.name)
                draft.exchanges += held.exchanges
                draft.messages += held.messages
                for part in (folder / one.folder).iterdir():
                    wipe(part)
                continue
            draft.held.append((one.folder, self._rewritten(folder / one.folder, held, draft)))
        return draft

    def _rewritten(self, folder: Path, held: BackupResult, draft: _Draft) -> BackupResult:
        gone = self._forgotten(held)
        if gone is None or not gone.journal:
            return held
        with closing(open_copy(folder, held, self.backups.access)) as copy:
            receipt = replay(copy, gone, self.clock)
            totals = copy.totals()
        if receipt is None:
            return held
        draft.changed = True
        draft.exchanges += receipt.exchanges
        draft.messages += receipt.messages
        counts = (totals.sessions, totals.exchanges, totals.messages)
        return BackupResult(held.space, held.store, *counts)

    def _forgotten(self, held: BackupResult) -> ForgottenContent | None:
        try:
            store = self.spaces.open(held.space, create=False)
        except (StoreError, NotFoundError):
            return None  # there is none any more, or it is unreadable
        with closing(store):
            return forgotten_in(store)

    def _replace(
        self, path: Path, manifest: BackupManifest, folder: Path, new: _Draft, moved: Moved
    ) -> None:
        if not new.held:
            wipe(path)
            return
        said = backup_archive.described(
            folder, new.held, at=manifest.at, home=manifest.home, left_out=list(manifest.left_out)
        )
        draft = draft_of(path)
        try:
            backup_archive.pack(folder, said, draft, moved)
            self.backups.prove(draft, moved)
            old = path.with_name(f".{path.name}{OLD}")
            path.rename(old)
            draft.rename(path)
            sync_folder(path.parent)
            settle(old)
        finally:
            remove(draft)
