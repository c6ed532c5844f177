"""The storage of a search index's segments: a folder, or memory."""

from collections.abc import Collection, Iterable
from contextlib import AbstractContextManager, nullcontext
from itertools import count
from pathlib import Path
from typing import Protocol

from unabridged.disk.atomic_write import of_the_system, sync_folder
from unabridged.disk.folders import private_folder
from unabridged.disk.locks import locked
from unabridged.errors import StoreError
from unabridged.index.segment import Segment
from unabridged.ports import Cipher
from unabridged.projections.search_index import index_manifest as manifests, segment_files
from unabridged.projections.search_index.index_manifest import Manifest

LOCK = ".lock"


class SegmentStorage(Protocol):
    """Stores the segments and the manifest of one index."""

    def locked(self, seconds: float) -> AbstractContextManager[None]:
        """Lock the storage for writing within the block.

        Args:
            seconds: Seconds to wait for others.

        Raises:
            StoreError: Others keep the lock longer, or it cannot be written.
        """
        ...

    def is_empty(self) -> bool:
        """Return whether nothing was ever written."""
        ...

    def read_manifest(self) -> Manifest | None:
        """Return the manifest, or None if there is no usable one."""
        ...

    def write_manifest(self, manifest: Manifest) -> None:
        """Write the manifest, whole or not at all."""
        ...

    def write(self, segment: Segment) -> str:
        """Write a segment durably; return its new name."""
        ...

    def load(self, name: str) -> Segment:
        """Return a segment.

        Raises:
            StoreDamagedError: It is missing or damaged.
        """
        ...

    def verify(self, names: Iterable[str]) -> list[str]:
        """Read segments, compare their digests, and return every damage as text."""
        ...

    def keep_only(self, names: Collection[str]) -> None:
        """Remove every file but the manifest and these segments."""
        ...


class FolderStorage:
    """Stores segments as files of one folder, which processes can share.

    Args:
        folder: Created with the first file.
        cipher: Encrypts the files, or None.
    """

    def __init__(self, folder: Path, cipher: Cipher | None) -> None:
        self._folder = folder
        self._cipher = cipher

    def locked(self, seconds: float) -> AbstractContextManager[None]:
        try:
            private_folder(self._folder)
        except OSError as error:
            raise of_the_system(error, self._folder) from error
        return locked(self._folder / LOCK, seconds)

    def is_empty(self) -> bool:
        return not self._folder.is_dir()

    def read_manifest(self) -> Manifest | None:
        return manifests.read(self._folder, self._cipher)

    def write_manifest(self, manifest: Manifest) -> None:
        manifests.write(self._folder, manifest, self._cipher)

    def write(self, segment: Segment) -> str:
        return segment_files.write(self._folder, segment, self._cipher)

    def load(self, name: str) -> Segment:
        return segment_files.load(self._folder / name, self._cipher)

    def verify(self, names: Iterable[str]) -> list[str]:
        damage: list[str] = []
        for name in names:
            try:
                segment_files.verify(self._folder / name, self._cipher)
            except StoreError as error:
                damage.append(str(error))
        return damage

    def keep_only(self, names: Collection[str]) -> None:
        kept = {*names, manifests.NAME, LOCK}
        try:
            stray = [path for path in self._folder.iterdir() if path.name not in kept]
            for path in stray:
                segment_files.remove(path)
            if stray:
                sync_folder(self._folder)
        except OSError as error:
            raise of_the_system(error, self._folder) from error


class MemoryStorage:
    """Stores segments in memory."""

    def __init__(self) -> None:
        self._segments: dict[str, Segment] = {}
        self._manifest: Manifest | None = None
        self._numbers = count()

    def locked(self, seconds: float) -> AbstractContextManager[None]:
        del seconds  # there are no other writers
        return nullcontext()

    def is_empty(self) -> bool:
        return not self._segments

    def read_manifest(self) -> Manifest | None:
        return self._manifest

    def write_manifest(self, manifest: Manifest) -> None:
        self._manifest = manifest

    def write(self, segment: Segment) -> str:
        name = str(next(self._numbers))
        self._segments[name] = segment
        return name

    def load(self, name: str) -> Segment:
        return self._segments[name]

    def verify(self, names: Iterable[str]) -> list[str]:
        del names  # memory cannot be damaged
        return []

    def keep_only(self, names: Collection[str]) -> None:
        self._segments = {name: self._segments[name] for name in names}
