"""The folder of spaces: one file each, with unique and safe names.

Before a space is renamed or wiped, a small file next to it describes the task (for wiping, with the
receipt). The next opening of the folder finishes it, so that a kill leaves no half space.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from unabridged.disk.atomic_write import remove, sync_folder, system_errors, wipe, write_whole
from unabridged.disk.folders import check_paths, private_folder
from unabridged.disk.locks import locked
from unabridged.domain.scope import SpaceId
from unabridged.errors import (
    NameRefusedError,
    NotFoundError,
    StoreBusyError,
    StoreDamagedError,
    StoreError,
    StoreKeyError,
)
from unabridged.home import replace_file
from unabridged.stores.json_codec import pack, unpack
from unabridged.stores.sqlite import SqliteStore
from unabridged.stores.sqlite.chain_setup import name_space
from unabridged.stores.sqlite.connection import ConnectionOptions
from unabridged.stores.sqlite.database import FOLDER_END
from unabridged.stores.sqlite.open_file import exclusive
from unabridged.stores.sqlite.rows import space_data

SUFFIX = ".db"
_RENAMING, _WIPING = ".renaming", ".forgetting"
_SLUG_LENGTH = 24
_UNSAFE = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True)
class SpaceInfo:
    """One space of a home.

    Attributes:
        space: The space, or None if the file does not show it.
        path: The file.
        bytes: Its size, log included.
        sessions: Sessions in it.
        exchanges: Exchanges in it.
        damaged: Its damage, as text; empty for an intact file.
        hint: What to do about it.
        belongs: The space that the file is of, if it is in the place of another's.
    """

    space: SpaceId | None
    path: Path
    bytes: int
    sessions: int
    exchanges: int
    damaged: str = ""
    hint: str = ""
    belongs: SpaceId | None = None


class SpacesFolder:
    """The spaces of one home.

    Args:
        folder: The folder of the files; created with the first space, for its owner only.
        ready: Called with each store that is opened, to attach its search index.
        access: The access to files.
    """

    def __init__(
        self,
        folder: Path,
        *,
        ready: Callable[[SqliteStore], None] | None = None,
        access: ConnectionOptions | None = None,
    ) -> None:
        self.folder = folder
        self.access = access or ConnectionOptions()
        self._ready = ready
        self._seen = self.access.guard.seen

    @property
    def busy_timeout(self) -> float:
        """Seconds to wait for other writers."""
        return self.access.busy_timeout

    def path_of(self, space: SpaceId) -> Path:
        """Return the file of a space: a readable part, and a digest of the exact names.

        The digest (BLAKE2b, 8 bytes) distinguishes names with the same readable part: ``a:b`` and
        ``a.b``.
        """
        names = [space.user, space.agent, space.model]
        slugs = [_UNSAFE.sub("-", name.lower()).strip("-")[:_SLUG_LENGTH] for name in names]
        mark = blake2b(pack(names), digest_size=8).hexdigest()
        return self.folder / f"{'_'.join([slug for slug in slugs if slug] + [mark])}{SUFFIX}"

    def open(self, space: SpaceId, *, create: bool = True) -> SqliteStore:
        """Open a space; create it if it is new.

        Raises:
            NotFoundError: There is none, and ``create`` is off.
            StoreDamagedError: Its file is damaged and unchanged (see ``quarantine``).
            StoreOlderError: The home last saw more in it, or another file.
        """
        path = self.path_of(space)
        with system_errors(path):
            self._finish_begun(path)
            if create:
                private_folder(self.folder)
                if self._seen is not None:
                    self._seen.refuse_missing(path)
        store = SqliteStore(path, space, create=create, access=self.access)
        try:
            self.prepare(store)
        except BaseException:
            store.close()
            raise
        return store

    def prepare(self, store: SqliteStore) -> None:
        """Attach the search index of a store."""
        if self._ready is not None:
            self._ready(store)

    def rename(self, old: SpaceId, new: SpaceId) -> None:
        """Rename a space; a crash leaves it whole, under either name.

        Raises:
            NotFoundError: There is no such space.
            NameRefusedError: The new names are taken.
            StoreBusyError: Others have the space open.
        """
        source, target = self.path_of(old), self.path_of(new)
        with system_errors(source):
            self._finish_begun(source)
            self._finish_begun(target)
        if not source.exists():
            raise NotFoundError(
                f"There is no space {old.name!r}.", hint="List them: unabridged spaces list"
            )
        if target.exists():
            raise NameRefusedError(
                f"The space {new.name!r} exists already.",
                hint="Merge into it, or choose other names.",
            )
        SqliteStore(source, old, create=False, access=self.access).close()
        intent = target.with_name(target.name + _RENAMING)
        write_whole(intent, pack([source.name, space_data(new)]))
        with system_errors(source):
            try:
                self._finish_renaming(intent)
            except (StoreBusyError, StoreKeyError):
                intent.unlink()
                raise

    def quarantine(self, space: SpaceId) -> Path:
        """Set the file of a damaged space aside, so that a new one can be created.

        Returns:
            Its new path: ``<name>.damaged-<n>``, with its log next to it.
        """
        path = self.path_of(space)
        with locked(self.folder / replace_file.LOCK, self.busy_timeout), system_errors(path):
            aside = replace_file.quarantine(path)
            self._drop(path)
        if aside is None:
            raise NotFoundError(
                f"There is no file for {space.name!r}.", hint="List them: unabridged spaces list"
            )
        return aside

    def parts_of(self, space: SpaceId) -> list[Path]:
        """Return every file of a space, including leftovers of crashes and files set aside."""
        path = self.path_of(space)
        own = [path, *path.parent.glob(f"{path.name}*"), *path.parent.glob(f".{path.name}*")]
        if self._seen is not None:
            own.append(self._seen.note_of(path))
        parts = {part for each in own for part in _files(each)}
        return sorted(part for part in parts if not part.name.endswith(_WIPING))

    def wipe(
        self,
        space: SpaceId,
        receipt: Path,
        shown: Mapping[str, Any],
        *,
        also: Iterable[Path] = (),
    ) -> int:
        """Overwrite and remove every file of a space, and store a receipt.

        Args:
            space: The space.
            receipt: The file for the receipt.
            shown: The receipt, as plain data.
            also: Further files to remove.

        Returns:
            The number of bytes overwritten.

        Raises:
            StoreBusyError: Others have it open.
            StoreError: It cannot be wiped; the next use of the home finishes it.
        """
        path = self.path_of(space)
        if path.exists():
            with suppress(StoreDamagedError), exclusive(path, self.access):
                pass  # nobody has it open, and it has no log
        intent = path.with_name(path.name + _WIPING)
        parts = [self._from_home(part) for part in (*self.parts_of(space), *also)]
        data = {"parts": parts, "receipt": self._from_home(receipt), "shown": dict(shown)}
        write_whole(intent, pack(data))
        return _finish_wiping(intent)

    def _from_home(self, path: Path) -> str:
        return Path(os.path.relpath(path, self.folder.parent)).as_posix()

    def _finish_begun(self, path: Path) -> None:
        replace_file.finish(path, self.busy_timeout)
        wiping = path.with_name(path.name + _WIPING)
        if wiping.exists():
            _finish_wiping(wiping)
        for intent in self.folder.glob(f"*{_RENAMING}"):
            source = _read(intent, _Renaming).source
            if path.name in (source, intent.name.removesuffix(_RENAMING)):
                self._finish_renaming(intent)

    def _finish_renaming(self, intent: Path) -> None:
        intended = _read(intent, _Renaming)
        source = self.folder / intended.source
        space = msgspec.to_builtins(intended.space)
        target = intent.with_name(intent.name.removesuffix(_RENAMING))
        if source.exists() and not target.exists():
            with exclusive(source, self.access) as connection:
                name_space(connection, source, space, self.access.guard.mac_key)
            os.link(source, target)
            sync_folder(self.folder)  # else a power cut may lose both names
        folder, moved = (path.with_name(path.name + FOLDER_END) for path in (source, target))
        if folder.is_dir() and target.exists():
            # A folder with the new name but no space file is a leftover: remove what the file does
            # not list there.
            moved.mkdir(mode=0o700, exist_ok=True)
            for part in folder.iterdir():
                part.replace(moved / part.name)
            folder.rmdir()
        if source.exists() and target.exists() and source.samefile(target):
            source.unlink()
        sync_folder(self.folder)
        self._drop(source)
        self._drop(target)
        intent.unlink(missing_ok=True)

    def _drop(self, path: Path) -> None:
        if self._seen is not None:
            self._seen.drop(path)

    def list(self) -> list[SpaceInfo]:
        """Return every file of the folder, by name, including damaged ones."""
        with system_errors(self.folder):
            replace_file.finish_all(self.folder, self.busy_timeout)
            for intent in self.folder.glob(f"*{_WIPING}"):
                _finish_wiping(intent)
            files = sorted(self.folder.glob(f"*{SUFFIX}"))
            for path in files:
                self._finish_begun(path)
        return [self._info(path) for path in sorted(self.folder.glob(f"*{SUFFIX}"))]

    def _info(self, path: Path) -> SpaceInfo:
        try:
            store = SqliteStore(path, create=False, access=self.access)
        except (StoreError, NotFoundError) as error:
            size = path.stat().st_size if path.exists() else 0
            return SpaceInfo(None, path, size, 0, 0, damaged=str(error), hint=error.hint)
        with closing(store):
            try:
                totals = store.totals()
            except StoreError as error:
                return SpaceInfo(store.space, path, path.stat().st_size, 0, 0, damaged=str(error))
        counts = (totals.bytes, totals.sessions, totals.exchanges)
        place = self.path_of(store.space)
        if place != path:
            said = f"{path} is the file of the space {store.space.name!r}, copied or renamed."
            hint = f"Move it away, or put it back: {place.name}"
            return SpaceInfo(None, path, *counts, damaged=said, hint=hint, belongs=store.space)
        return SpaceInfo(store.space, path, *counts)


class _Names(msgspec.Struct):
    user: str
    agent: str
    model: str


class _Renaming(msgspec.Struct, array_like=True):
    source: str
    space: _Names

    def paths(self) -> list[str]:
        return [self.source]


class _Wiping(msgspec.Struct):
    parts: list[str]
    receipt: str
    shown: dict[str, Any]

    def paths(self) -> list[str]:
        return [*self.parts, self.receipt]


_Intent = TypeVar("_Intent", _Renaming, _Wiping)


def _read(intent: Path, kind: type[_Intent]) -> _Intent:
    try:
        found = msgspec.convert(unpack(intent.read_bytes()), kind)
        check_paths(found.paths())
    except ValueError as error:
        raise StoreDamagedError(
            f"{intent} is damaged, so that what it describes cannot be finished: {error}.",
            hint="Move it away, then look at the spaces: unabridged spaces list",
        ) from error
    return found


def _files(path: Path) -> Iterator[Path]:
    if path.is_dir() and not path.is_symlink():
        yield from (part for part in path.rglob("*") if part.is_file() or part.is_symlink())
    elif path.exists() or path.is_symlink():
        yield path


def _finish_wiping(intent: Path) -> int:
    try:
        said = _read(intent, _Wiping)
    except FileNotFoundError:
        return 0  # another process finished it
    home = intent.parent.parent
    parts = [home / name for name in said.parts]
    size = 0
    with system_errors(intent):
        for part in parts:
            if part.is_symlink():
                part.unlink()
            elif part.is_file():
                size += wipe(part)
        for folder in sorted({part.parent for part in parts}, reverse=True):
            _clear(folder, intent.parent)
    receipt = home / said.receipt
    if not receipt.exists():
        with system_errors(receipt):
            private_folder(receipt.parent)
        write_whole(receipt, pack(said.shown))
    remove(intent)
    with suppress(FileNotFoundError):
        sync_folder(intent.parent)
    return size


def _clear(folder: Path, stays: Path) -> None:
    if folder.is_dir() and stays in folder.parents and not any(folder.iterdir()):
        folder.rmdir()
    if folder.is_dir():
        sync_folder(folder)
