"""Write the files of one space, without overwriting foreign content."""

from collections.abc import Callable, Iterable
from hashlib import blake2b
from pathlib import Path

from unabridged.disk import atomic_write
from unabridged.domain.scope import SpaceId
from unabridged.errors import (
    StoreDamagedError,
    StoreEditedError,
    StoreError,
    StoreFormatError,
)
from unabridged.projections.json_files import file_bytes, file_errors, files_state, json_document
from unabridged.projections.json_files.file_bytes import Stamp
from unabridged.projections.json_files.file_paths import DAMAGED, PACKED, FilePaths
from unabridged.projections.json_files.files_state import FilesState, WrittenFile
from unabridged.projections.json_files.json_document import JsonDocument
from unabridged.projections.json_files.layout import Layout

Holds = Callable[[set[str]], set[str]]
"""Returns which of the given exchanges are in the log."""


class JsonFilesWriter:
    """Writes the files of one space. The caller holds the lock.

    Attributes:
        state: The state of the last writing.
        notes: Repairs, as text.
    """

    def __init__(
        self, paths: FilePaths, space: SpaceId, layout: Layout, *, packed: bool, holds: Holds
    ) -> None:
        self.paths = paths
        self.state = FilesState()
        self.notes: list[str] = []
        self._space = space
        self._layout = layout
        self._packed = packed
        self._holds = holds
        self._released: set[str] = set()
        self._refused: dict[str, tuple[Stamp, StoreError]] = {}
        self._stamp: Stamp | None = None

    def load(self) -> None:
        """Load the state of the last writing, unless it is loaded."""
        stamp = file_bytes.stamp(self.paths.state)
        if stamp is not None and stamp == self._stamp:
            return
        self.state = files_state.load(self.paths.state)
        self._stamp = stamp

    def save(self) -> None:
        """Store the state."""
        files_state.save(self.paths.state, self.state)
        self._stamp = file_bytes.stamp(self.paths.state)

    def name(self, session_id: str) -> str:
        """Return the name of a session's file."""
        name = self.paths.name(session_id)
        return name + PACKED if self._packed else name

    def is_as_written(self, name: str) -> bool:
        """Return whether a file still has the marks of the last writing."""
        known = self.state.files.get(name)
        return known is not None and file_bytes.stamp(self.paths.folder / name) == known.stamp

    def read(self, name: str) -> JsonDocument | None:
        """Return a file if it is exactly what was written."""
        known, path = self.state.files.get(name), self.paths.folder / name
        if known is None:
            return None
        try:
            data = file_bytes.read(path)
            if digest_of(data) != known.digest:
                return None
            return json_document.read(self._layout, data)
        except (FileNotFoundError, StoreDamagedError, ValueError, KeyError, TypeError):
            return None

    def write(self, name: str, data: bytes, *, replaces_unknown: bool = False) -> None:
        """Write a file, unless it is the same.

        Args:
            name: Its name.
            data: Its new content, uncompressed.
            replaces_unknown: Whether to replace a file even if it has exchanges that the log lacks.

        Raises:
            StoreEditedError: It was edited by hand; it is unchanged.
            StoreError: It cannot be written; it is unchanged.
        """
        path, digest = self.paths.folder / name, digest_of(data)
        known = self.state.files.get(name)
        found = self._found(name, replaces_unknown=replaces_unknown)
        if found is not None and found.digest == digest:
            return
        is_read = found is not None and found is not known and found.digest
        if is_read and self._says_the_same(path, data):
            return  # only blanks and line breaks were changed
        file_bytes.write(path, data)
        self._released.discard(name)
        stamp = file_bytes.stamp(path)
        if stamp is not None:
            self.state.files[name] = WrittenFile(stamp, digest)

    def remove(self, name: str, *, replaces_unknown: bool = False) -> None:
        """Remove a file that is no longer needed; otherwise as ``write``.

        Raises:
            StoreEditedError: It was edited by hand; it is unchanged.
            StoreError: It cannot be removed.
        """
        path = self.paths.folder / name
        if self._found(name, replaces_unknown=replaces_unknown) is not None:
            try:
                atomic_write.delete(path)
                atomic_write.sync_folder(path.parent)
            except OSError as error:
                raise atomic_write.of_the_system(error, path) from error
        self.state.files.pop(name, None)

    def distrust(self) -> None:
        """Treat every file as foreign: read it before replacing it."""
        there = {path.name for path in self.paths.files()}
        names = there | self.state.files.keys()
        self.state.files = {name: WrittenFile((0, 0, 0), "") for name in sorted(names)}
        self.state.generation, self.state.late = "", []

    def release(self, name: str) -> None:
        """Allow replacing a file, whatever it contains."""
        self._refused.pop(name, None)
        self._released.add(name)

    def move(self, paths: FilePaths) -> None:
        """Change the paths of the files."""
        self.paths, self._stamp, self.state = paths, None, FilesState()
        self._refused.clear()

    def clean_up(self) -> None:
        """Remove the unfinished files of a crash."""
        for path in self.paths.drafts():
            atomic_write.remove(path)

    def faults(self, names: Iterable[str]) -> list[str]:
        """Return the faults of files as text, without a change."""
        found = []
        for name in names:
            path = self.paths.folder / name
            try:
                self._document(path)
            except FileNotFoundError:
                found.append(f"{path} is missing.")
            except StoreError as error:
                found.append(str(error))
        return found

    def _found(self, name: str, *, replaces_unknown: bool = False) -> WrittenFile | None:
        path, known = self.paths.folder / name, self.state.files.get(name)
        stamp = file_bytes.stamp(path)
        if stamp is None:
            if known is not None and known.digest:
                self.notes.append(f"{path} was missing; it was restored from memory.")
            self.state.files.pop(name, None)
            return None
        if name in self._released:
            return WrittenFile(stamp, "")
        if known is not None and known.stamp == stamp:
            return known
        refused = self._refused.get(name)
        if refused is not None and refused[0] == stamp:
            raise refused[1]
        try:
            data = self._sound(path, known, replaces_unknown=replaces_unknown)
        except (StoreEditedError, StoreFormatError) as error:
            self._refused[name] = (stamp, error)
            raise
        except StoreDamagedError as error:
            self._quarantine(path, error)
            self.state.files.pop(name, None)
            return None
        found = self.state.files[name] = WrittenFile(stamp, digest_of(data))
        return found

    def _sound(self, path: Path, known: WrittenFile | None, *, replaces_unknown: bool) -> bytes:
        data = file_bytes.read(path)
        if known is not None and digest_of(data) == known.digest:
            return data
        ids = self._document(path).ids()
        unknown = set() if replaces_unknown else ids - self._holds(ids)
        if unknown:
            raise file_errors.unknown(path, len(unknown))
        return data

    def _document(self, path: Path) -> JsonDocument:
        data = file_bytes.read(path)
        try:
            found = json_document.read(self._layout, data)
        except (ValueError, KeyError, TypeError) as error:
            raise file_errors.unreadable(path, data, error) from error
        if found is None:
            raise file_errors.foreign(path)
        if found.about.format > json_document.FORMAT:
            raise file_errors.too_new(path, found.about.format)
        if found.faults:
            raise file_errors.edited(path, found.faults)
        if found.about.named != self._space:
            raise file_errors.other_space(path, found.about.named)
        return found

    def _says_the_same(self, path: Path, data: bytes) -> bool:
        try:
            there = self._layout.parse(file_bytes.read(path)).hidden
        except (FileNotFoundError, StoreDamagedError, ValueError, KeyError, TypeError):
            return False
        made = self._layout.parse(data).hidden
        return there is not None and made is not None and there.digest == made.digest

    def _quarantine(self, path: Path, error: StoreDamagedError) -> None:
        number = 1
        while (aside := path.with_name(f"{path.name}{DAMAGED}-{number}")).exists():
            number += 1
        try:
            atomic_write.put_in_place(path, aside)
            atomic_write.sync_folder(path.parent)
        except OSError as failure:
            raise atomic_write.of_the_system(failure, path) from failure
        self.notes.append(f"{error} It was set aside as {aside.name} and restored from memory.")


def digest_of(data: bytes) -> str:
    """Return the digest of a file's bytes."""
    return blake2b(data, digest_size=16).hexdigest()
