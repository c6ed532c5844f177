"""An anchor: a file outside the home with a checkpoint of each space.

Whoever can write the home can replace a whole file with an older copy, in which every digest is
right. The anchor shows that more had been written. Keep it where they cannot write: on another
disk, in a folder of another user, on a server.

Its format is JSON: ``{"format": 1, "spaces": {"UUID NAME": {"file": …, "mark": …, "writes": …,
"number": …, "root": …, "state": …, "proof": …}}}``: the path of its file, the mark of the key
(empty for none), how many writes there were, the number and root of the last link, the digest of
the store's seal, and the digest that proves that somebody with the key wrote it.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, astuple, dataclass
from pathlib import Path
from typing import Any

from unabridged.disk.atomic_write import of_the_system, write_whole
from unabridged.disk.locks import locked
from unabridged.domain.hash_chain import MacKey
from unabridged.errors import StoreError, StoreTamperedError
from unabridged.stores.json_codec import pack, unpack

FORMAT = 1
WAIT_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The last known state of one space.

    Attributes:
        mark: The mark of the key; empty for none.
        number: The number of the last link; 0 for none.
        root: Its root, in hexadecimal digits.
        state: The digest of the store's seal, likewise.
    """

    file: str
    mark: str
    writes: int
    number: int
    root: str
    state: str


class CheckpointFile:
    """The file; its folder must exist. The key proves its lines."""

    def __init__(self, path: Path, mac_key: MacKey) -> None:
        self.path = path
        self._mac_key = mac_key

    def remember(self, name: str, checkpoint: Checkpoint, *, anew: bool = False) -> None:
        """Store a space's checkpoint durably, unless the stored one is newer.

        Args:
            name: The name of the file's line: its uuid and its name.
            checkpoint: The checkpoint.
            anew: Store it even if the stored one is newer: a backup was restored.

        Raises:
            StoreError: The anchor cannot be written; the data in the store is safe.
            StoreTamperedError: The anchor is not what was written.
        """
        try:
            self._remember(name, checkpoint, anew=anew)
        except StoreTamperedError:
            raise
        except StoreError as error:
            raise type(error)(
                f"The anchor: {error}",
                hint="The data is stored; the anchor is out of date until it can be written "
                f"again. {error.hint}",
            ) from error

    def _remember(self, name: str, checkpoint: Checkpoint, *, anew: bool) -> None:
        self._read()
        with locked(self.path.with_name(self.path.name + ".lock"), WAIT_SECONDS):
            spaces = self._read()
            held = None if anew else self._proven(name, spaces.get(name))
            if held is not None and held.writes >= checkpoint.writes:
                return
            spaces[name] = {**asdict(checkpoint), "proof": self._proof(name, checkpoint).hex()}
            write_whole(self.path, pack({"format": FORMAT, "spaces": spaces}))

    def drop(self, gone: Callable[[Path], bool]) -> None:
        """Forget files that were removed intentionally: ``gone`` tests a path.

        Raises:
            StoreError: As ``remember``.
        """
        if not self.path.exists():
            return
        with locked(self.path.with_name(self.path.name + ".lock"), WAIT_SECONDS):
            spaces = self._read()
            left = {n: line for n, line in spaces.items() if not gone(Path(line.get("file", "")))}
            if left != spaces:
                write_whole(self.path, pack({"format": FORMAT, "spaces": left}))

    def recall(self, name: str) -> Checkpoint | None:
        """Return the checkpoint of a space, or None.

        Raises:
            StoreError: The anchor cannot be read, or is not what was written.
        """
        return self._proven(name, self._read().get(name))

    def all(self) -> dict[str, Checkpoint]:
        """Return every checkpoint by name; raises as ``recall``."""
        found = {name: self._proven(name, line) for name, line in self._read().items()}
        return {name: checkpoint for name, checkpoint in found.items() if checkpoint is not None}

    def _read(self) -> dict[str, Any]:
        if not self.path.parent.is_dir():  # an unmounted disk must not look like a first use
            raise StoreError(
                f"The anchor {self.path} cannot be reached: its folder is missing.",
                hint="Mount its disk, create the folder, or correct the setting `checkpoint_file`.",
            )
        try:
            content = self.path.read_bytes()
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise of_the_system(error, self.path) from error
        try:
            data = unpack(content)
            if not isinstance(data, dict) or data.get("format") != FORMAT:
                raise self._broken("it is not an anchor, or is from a newer version.")
            return dict(data["spaces"])
        except (ValueError, KeyError, TypeError) as error:
            raise self._broken("it cannot be read.") from error

    def _proven(self, name: str, line: Mapping[str, Any] | None) -> Checkpoint | None:
        if line is None:
            return None
        try:
            fields = dict(line)
            proof = bytes.fromhex(fields.pop("proof"))
            checkpoint = Checkpoint(**fields)
        except (ValueError, KeyError, TypeError) as error:
            raise self._broken(f"its line for {name} cannot be read.") from error
        if checkpoint.mark in ("", self._mac_key.mark) and self._proof(name, checkpoint) != proof:
            raise self._broken(f"its line for {name} was changed.")
        return checkpoint

    def _proof(self, name: str, checkpoint: Checkpoint) -> bytes:
        mac_key = self._mac_key if checkpoint.mark else MacKey()
        return mac_key.row("anchor", pack([name, *astuple(checkpoint)]))

    def _broken(self, what: str) -> StoreError:
        return StoreTamperedError(
            f"The anchor {self.path}: {what}",
            hint="Find out who could write it. `unabridged verify --accept` begins a new one.",
        )
