"""An anchor: a file outside the home that remembers how far each space has come.

Whoever can write the home can put a whole file back as it was on an older day: every digest in it is
right. The anchor shows that more had been written. It must lie where they cannot write: on another
disk, in a folder of another user, on a server.

Its form is JSON: ``{"format": 1, "spaces": {"UUID NAME": {"file": …, "mark": …, "writes": …, "number": …,
"root": …, "state": …, "proof": …}}}``: the path of its file, the mark of the key (empty for none),
how many writes there were, the number and root of the last link, the digest of the store's seal, and
the digest that shows that somebody with the key wrote all this.
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
    """How far one space has come.

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
    """The file; its folder must exist. Its lines are proved by the key."""

    def __init__(self, path: Path, mac_key: MacKey) -> None:
        self.path = path
        self._mac_key = mac_key

    def remember(self, name: str, checkpoint: Checkpoint, *, anew: bool = False) -> None:
        """Note how far a space has come; durable when it returns. It never goes back, but ``anew``.

        Args:
            name: What the file is known by: its uuid and its name.
            checkpoint: How far it has come.
            anew: Note it also if the anchor was further: a backup was put back by right.

        Raises:
            StoreError: The anchor cannot be written; what was stored is stored all the same.
            StoreTamperedError: The anchor is not what was written.
        """
        try:
            self._remember(name, checkpoint, anew=anew)
        except StoreTamperedError:
            raise
        except StoreError as error:
            raise type(error)(
                f"The anchor: {error}",
                hint="What was written is stored; the anchor is behind until it can be written "
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
        """Forget the files that are gone by right, as ``gone`` tells by their path.

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
        """Return how far a space had come, or None if it was never noted.

        Raises:
            StoreError: The anchor cannot be read, or is not what was written.
        """
        return self._proven(name, self._read().get(name))

    def all(self) -> dict[str, Checkpoint]:
        """Give every space that was noted, by its name; raises as ``recall``."""
        found = {name: self._proven(name, line) for name, line in self._read().items()}
        return {name: checkpoint for name, checkpoint in found.items() if checkpoint is not None}

    def _read(self) -> dict[str, Any]:
        if (
            not self.path.parent.is_dir()
        ):  # a disk that is not mounted must not look like a first use
            raise StoreError(
                f"The anchor {self.path} cannot be reached: its folder is not there.",
                hint="Mount its disk, make the folder, or correct the setting `checkpoint_file`.",
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
                raise self._broken("it is no anchor, or of a newer version.")
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
            raise self._broken(f"its line for {name} is not what was written.")
        return checkpoint

    def _proof(self, name: str, checkpoint: Checkpoint) -> bytes:
        mac_key = self._mac_key if checkpoint.mark else MacKey()
        return mac_key.row("anchor", pack([name, *astuple(checkpoint)]))

    def _broken(self, what: str) -> StoreError:
        return StoreTamperedError(
            f"The anchor {self.path}: {what}",
            hint="Find out who could write it. `unabridged verify --anchor-again` begins a new one.",
        )
