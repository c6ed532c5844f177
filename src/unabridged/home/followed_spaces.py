"""The spaces of a home with the readable files that follow them."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unabridged import config
from unabridged.disk.atomic_write import remove
from unabridged.domain.scope import SpaceId
from unabridged.domain.settings import Settings
from unabridged.errors import NameRefusedError, SettingError
from unabridged.home.spaces import SpaceInfo, SpacesFolder
from unabridged.projections.json_files.file_paths import FOLDERS, FilePaths
from unabridged.projections.json_files.find_space import locate, space_in
from unabridged.projections.json_files.json_files import JsonFiles
from unabridged.stores.sqlite import SqliteStore

NO_FILES = "none"
"""The layout that writes no readable files."""


@dataclass(frozen=True, slots=True)
class JsonFolder:
    """The place and layout of the readable files of a home.

    Attributes:
        root: The folder of the layout.
        layout: ``model``, ``agent`` or ``user``.
        compression: Whether files are compressed.
        custom: The file of the only space; None for files in the folder.
    """

    root: Path
    layout: str
    compression: bool = False
    custom: Path | None = None

    def paths(self, space: SpaceId) -> FilePaths:
        """Return the paths of a space's files, even if there are none."""
        return locate(self.root, space, self.layout, self.custom)

    def files(self, store: SqliteStore) -> JsonFiles:
        """Return the files that follow a log."""
        return JsonFiles(
            store, lambda: self.paths(store.space), self.layout, compression=self.compression
        )


def json_folder_of(settings: Settings) -> JsonFolder | None:
    """Return the folder of readable files; None if the settings have none.

    Raises:
        SettingError: They ask for them in an encrypted home, or name no file.
    """
    return None if settings.json_files == NO_FILES else json_folder(settings)


def json_folder(settings: Settings) -> JsonFolder:
    """Return the folder of readable files in the layout of the settings.

    Raises:
        SettingError: The home is encrypted, or the settings name no file.
    """
    if settings.encrypt:
        raise SettingError(
            f"The layout {settings.json_files!r} writes readable files, but the home is encrypted.",
            hint="Set layout to none. Write readable copies with: unabridged export",
        )
    custom = Path(settings.json_path).absolute() if settings.json_path else None
    root = config.folder(settings.home, FOLDERS[settings.json_files]) if custom is None else Path()
    return JsonFolder(root, settings.json_files, settings.json_compression, custom)


def other_folders(settings: Settings) -> list[JsonFolder]:
    """Return the existing folders of the layouts that the settings do not write.

    Another profile may write them, or did before.
    """
    custom = bool(settings.json_path)
    return [
        JsonFolder(root, layout)
        for layout, name in FOLDERS.items()
        if (layout != settings.json_files or custom)
        and (root := Path(settings.home) / name).is_dir()
    ]


class FollowedSpaces:
    """The spaces of one home with readable files; used as ``SpacesFolder`` is.

    Args:
        databases: The spaces.
        folder: The folder of their readable files; None if the settings write none.
        others: The folders of other layouts: what is forgotten goes from their files too.
        follows: Whether opening a space brings its files up to date.
    """

    def __init__(
        self,
        databases: SpacesFolder,
        folder: JsonFolder | None,
        others: Sequence[JsonFolder] = (),
        *,
        follows: bool = True,
    ) -> None:
        self._databases = databases
        self._folder = folder
        self._others = others
        self._follows = follows

    def path_of(self, space: SpaceId) -> Path:
        """Return the file of a space."""
        return self._databases.path_of(space)

    def open(self, space: SpaceId, *, create: bool = True) -> SqliteStore:
        """Open a space; create it if it is new."""
        return self.follow(self._databases.open(space, create=create))

    def follow(self, store: SqliteStore) -> SqliteStore:
        """Attach readable files to a store."""
        try:
            store.attach_others(lambda: [one.files(store) for one in self._written(store.space)])
            if self._folder is not None:
                store.attach_files(self._folder.files(store), follows=self._follows)
        except BaseException:
            store.close()
            raise
        return store

    def _written(self, space: SpaceId) -> list[JsonFolder]:
        # The other folders with files of a space.
        return [o for o in self._others if space_in(o.paths(space), o.layout) == space]

    def _files_of(self, space: SpaceId) -> Iterator[FilePaths]:
        if self._folder is not None:
            yield self._folder.paths(space)
        yield from (one.paths(space) for one in self._written(space))

    def render(self, space: SpaceId) -> None:
        """Rewrite the files of a space from its log, except those edited by hand."""
        if self._folder is None:
            return
        with closing(self._databases.open(space, create=False)) as store:
            store.attach_files(self._folder.files(store), follows=False)
            store.render_files()

    def rename(self, old: SpaceId, new: SpaceId) -> None:
        """Rename a space."""
        if self._folder is not None and self._folder.custom is not None:
            raise NameRefusedError(
                "The file in json_path contains one space, which keeps its name.",
                hint="Copy it into a space of the home first.",
            )
        self._bring_up_to_date(old)
        before = list(self._files_of(old))
        self._databases.rename(old, new)
        for paths in before:
            for path in paths.all_files():
                if path != paths.lock:
                    remove(path)
        self.open(new, create=False).close()

    def quarantine(self, space: SpaceId) -> Path:
        """Move the files of a space aside; return the new path of the log."""
        aside = self._databases.quarantine(space)
        for paths in list(self._files_of(space)):
            for path in paths.files():
                number = 1
                while (other := path.with_name(f"{path.name}.damaged-{number}")).exists():
                    number += 1
                path.rename(other)
            remove(paths.state)
        return aside

    def parts_of(self, space: SpaceId) -> list[Path]:
        """Return every file of a space."""
        files = [path for paths in self._files_of(space) for path in paths.all_files()]
        return [*self._databases.parts_of(space), *files]

    def wipe(self, space: SpaceId, receipt: Path, shown: Mapping[str, Any]) -> int:
        """Overwrite and remove every file of a space, and store a receipt."""
        also = [path for paths in self._files_of(space) for path in paths.all_files()]
        return self._databases.wipe(space, receipt, shown, also=also)

    def list(self) -> list[SpaceInfo]:
        """Return every space, including damaged ones."""
        return self._databases.list()

    def _bring_up_to_date(self, space: SpaceId) -> None:
        if not self._databases.path_of(space).exists():
            return
        with closing(self.open(space, create=False)) as store:
            for error in store.troubles:
                raise error


Spaces = SpacesFolder | FollowedSpaces
"""The spaces of a home, with readable files or without."""
