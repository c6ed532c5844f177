"""Forgetting in a home: its key outside the spaces, and the files it cannot reach."""

import secrets
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import chain
from pathlib import Path

from unabridged import config
from unabridged.disk.atomic_write import system_errors, write_first
from unabridged.domain.exchange import Exchange
from unabridged.domain.forgetting import OutOfReach
from unabridged.domain.record import RecordKind
from unabridged.domain.results import Transcript
from unabridged.domain.scope import SpaceId
from unabridged.domain.settings import Settings
from unabridged.errors import (
    BackupError,
    StoreBusyError,
    StoreEditedError,
    StoreError,
    StoreReadOnlyError,
)
from unabridged.forgetting.temporary_keys import LENGTH, PassingKeys
from unabridged.forgetting.tombstones import ForgottenIndex
from unabridged.forgetting.without_forgotten import forgotten_in, without
from unabridged.home.backup_archive import manifest_of
from unabridged.home.key_source import key_of
from unabridged.home.look_inside import may_aside_hold, may_backup_hold
from unabridged.home.spaces import SpacesFolder
from unabridged.ports import Keys, Store
from unabridged.projections.json_files.file_paths import FOLDERS
from unabridged.space.forgetting import Forgetting
from unabridged.stores.copy_space import Sift

KEY_FILE = "forgetting.key"
"""In the home's folder ``config``; 32 random bytes."""
PURPOSE = "tombstone"
SLACK = timedelta(days=1)
"""How far clocks may differ between a message and a backup; a plain one made so shortly before is opened."""
_MIGRATIONS = "migrations"
_ASIDE = (".damaged-", ".replaced-")
_IMPORTS = "imports"


class HomeKeys:
    """The keys of one home: derived from the user's key, else its own; implements ``ports.Keys``.

    Tombstones made before a key was set still work.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._path = Path(settings.home) / "config" / KEY_FILE
        self._read: list[bytes] | None = None

    def held(self) -> Sequence[bytes]:
        if self._read is None:
            given = key_of(self._settings)
            own = self._own()
            self._read = [*([given.for_(PURPOSE)] if given else []), *([own] if own else [])]
        return self._read

    def current(self) -> bytes:
        if not self.held():
            config.folder(self._settings.home, "config")
            with system_errors(self._path):
                write_first(self._path, secrets.token_bytes(LENGTH))
            self._read = None
        return self.held()[0]

    def _own(self) -> bytes | None:
        with system_errors(self._path):
            try:
                key = self._path.read_bytes()
            except FileNotFoundError:
                return None
        if len(key) != LENGTH:
            raise StoreError(
                f"{self._path} does not contain a key.",
                hint="Restore it from a copy; without it forgotten content is not recognised. "
                "If there is no copy, move the file away.",
            )
        return key


def keys_of(settings: Settings) -> Keys:
    """Return the keys of a space with these settings."""
    return PassingKeys() if settings.store == "memory" else HomeKeys(settings)


def sift_for(taker: Store, settings: Settings) -> Sift | None:
    """Return the filter of content that was forgotten in a space; None if nothing was."""
    if not taker.records(RecordKind.TOMBSTONE, newest=1):
        return None
    return partial(_without_forgotten, forgotten_index=ForgottenIndex(taker, keys_of(settings)))


def _without_forgotten(given: Transcript, *, forgotten_index: ForgottenIndex) -> Transcript | None:
    gone = forgotten_in(given, forgotten_index)
    return without(given, gone) if gone else given


def outside(settings: Settings, space: SpaceId, exchanges: Sequence[Exchange]) -> OutOfReach:
    """Name the files of a home that a forgetting does not reach and that may hold it.

    Args:
        settings: All settings; only the home is used.
        space: The space.
        exchanges: What is forgotten: plain files without it are not named. If empty, all are.
    """
    if settings.store == "memory":
        return OutOfReach()
    home = Path(settings.home)
    backups = _backups(home, space, exchanges)
    aside = _aside(home, space, exchanges)
    return OutOfReach(tuple(sorted(backups)), tuple(sorted(aside)))


def _backups(home: Path, space: SpaceId, exchanges: Sequence[Exchange]) -> Iterator[str]:
    since = min((exchange.at for exchange in exchanges), default=None)
    folder = home / "backups"
    for path in [*folder.glob("[!.]*"), *(folder / _MIGRATIONS).glob("[!.]*")]:
        name = path.relative_to(home).as_posix()
        if path.is_dir():
            if path.name != _MIGRATIONS:
                yield name
            continue
        try:
            manifest = manifest_of(path)
        except BackupError:  # no backup of ours, or sealed: whether it holds it nobody can tell
            if not _is_older(datetime.fromtimestamp(path.stat().st_mtime, UTC), since):
                yield name
            continue
        is_of_space = space in {SpaceId(x.user, x.agent, x.model) for x in manifest.spaces}
        if is_of_space and not _is_older(manifest.at, since):
            is_later = since is None or manifest.at >= since
            if is_later or may_backup_hold(path, manifest, exchanges):
                yield name


def _is_older(at: datetime, since: datetime | None) -> bool:
    return since is not None and at < since - SLACK


def _aside(home: Path, space: SpaceId, exchanges: Sequence[Exchange]) -> Iterator[str]:
    for path in (home / _IMPORTS).glob("*"):
        if not exchanges or may_aside_hold(path, exchanges):
            yield path.relative_to(home).as_posix()
    own = SpacesFolder(home / "spaces").path_of(space).name
    folders = [(home / name).rglob("*-*") for name in FOLDERS.values()]
    for path in chain((home / "spaces").glob(f"{own}*-*"), *folders):
        if any(end in path.name for end in _ASIDE):
            yield path.relative_to(home).as_posix()


def finish_forgetting(forgetting: Forgetting, store: Store) -> None:
    """Finish interrupted forgetting, if the store can be written.

    If others keep the store locked, or a readable file was edited by hand, it waits for the next
    opening or ``unabridged forget --resume``.
    """
    if getattr(store, "read_only", False):
        return
    with suppress(StoreBusyError, StoreReadOnlyError, StoreEditedError):
        forgetting.resume(renew=False)
