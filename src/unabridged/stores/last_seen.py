"""What a home last saw of the file of each space, so that a file that was put back is noticed.

Each digest of an older copy is right. So the home keeps, in another folder, one small file for each
space: how far its file was when it was used last. It guards against mistakes (a sync tool, a copy
that went the wrong way), not against whoever can write the home: for that there is the checkpoint
file. So writers do not wait for it: a power cut may leave an older one, and one that cannot be read
counts as none. Only what is replaced or removed deliberately is noted durably.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from unabridged.disk.atomic_write import remove, sync_folder, write_soon, write_whole
from unabridged.disk.folders import private_folder
from unabridged.errors import StoreOlderError
from unabridged.stores.checkpoint_file import Checkpoint
from unabridged.stores.json_codec import pack, unpack

NOTED_WRITES = 32
"""Writes after which an open file is noted again; closing it always notes it."""
NOTES = Path("config", "seen")
"""The folder of the notes below the home; created with the first one."""

SUFFIX = ".seen"


@dataclass(frozen=True, slots=True)
class SeenFile:
    """How far the file of a space was.

    Attributes:
        generation: The id of the file; a restored or recovered one gets another.
        checkpoint: Its end.
        expected: The id of a file that will deliberately replace it; empty for none.
    """

    generation: str
    checkpoint: Checkpoint
    expected: str = ""


class LastSeen:
    """The notes of one home, about the files in its folder of spaces."""

    def __init__(self, home: Path) -> None:
        self._spaces = home / "spaces"
        self._notes = home / NOTES

    def note_of(self, path: Path) -> Path:
        """Return the path of the note about a file."""
        return self._notes / f"{path.name}{SUFFIX}"

    def recall(self, path: Path) -> SeenFile | None:
        """Return what was last seen of a file; None if that is unknown."""
        if path.parent != self._spaces:
            return None
        try:
            data: Mapping[str, Any] = unpack(self.note_of(path).read_bytes())
            return msgspec.convert(data, SeenFile)
        except (OSError, ValueError, RecursionError):
            return None

    def remember(self, path: Path, seen: SeenFile, *, anew: bool = False) -> None:
        """Note how far a file is, unless more was noted.

        Args:
            path: The file.
            seen: How far it is.
            anew: Note it even if more was noted: it was accepted.
        """
        held = None if anew else self.recall(path)
        if held is not None and held.generation == seen.generation:
            if held.checkpoint.writes >= seen.checkpoint.writes:
                return
            seen = replace(seen, expected=held.expected)
        self._write(path, seen)

    def expect(self, path: Path, generation: str) -> None:
        """Note durably that a file will be replaced by the one with this id.

        Raises:
            StoreError: It cannot be noted; do not replace the file.
        """
        held = self.recall(path)
        if held is not None:
            write_whole(self.note_of(path), _packed(replace(held, expected=generation)))

    def drop(self, path: Path) -> None:
        """Forget a file durably: it was renamed, removed or set aside deliberately."""
        if path.parent == self._spaces and self.note_of(path).exists():
            remove(self.note_of(path))
            sync_folder(self._notes)

    def refuse_missing(self, path: Path) -> None:
        """Refuse to begin a file that had messages when it was last seen.

        Raises:
            StoreOlderError: It had.
        """
        held = self.recall(path)
        if held is not None and held.checkpoint.number and not path.exists():
            raise StoreOlderError(
                f"{path} is missing; when this home last used it, it held "
                f"{_messages(held.checkpoint.number)}.",
                hint=_HINT.format("begin again without it"),
            )

    def missing(self) -> list[Path]:
        """Return the files that had messages when they were last seen, and are gone."""
        names = sorted(note.name.removesuffix(SUFFIX) for note in self._notes.glob(f"*{SUFFIX}"))
        held = {self._spaces / name: self.recall(self._spaces / name) for name in names}
        return [p for p, one in held.items() if one and one.checkpoint.number and not p.exists()]

    def _write(self, path: Path, seen: SeenFile) -> None:
        if path.parent == self._spaces:
            with suppress(OSError):  # it is not worth an error: the messages are stored
                private_folder(self._notes)
                write_soon(self.note_of(path), _packed(seen))


def _packed(seen: SeenFile) -> bytes:
    return pack(msgspec.to_builtins(seen))


_HINT = (
    "If a copy or a sync tool did this, put the newer file back, or restore a backup: "
    "unabridged backup list. To {} deliberately: unabridged verify --accept"
)


def older(path: Path, there: Checkpoint, held: Checkpoint) -> StoreOlderError:
    """Return the error of a file that is not the one that was last seen."""
    if there.number < held.number or there.writes < held.writes:
        said = (
            f"{path} is older than when this home last used it: it ends after "
            f"{_messages(there.number)} and {there.writes:,} writes, "
            f"and then it had {_messages(held.number)} and {held.writes:,} writes."
        )
    else:
        said = f"{path} is not the file that this home last used."
    return StoreOlderError(said, hint=_HINT.format("continue with this one"))


def _messages(count: int) -> str:
    return f"{count:,} message{'' if count == 1 else 's'}"
