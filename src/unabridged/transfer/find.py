"""Looks for files of other programs below a folder: by what is in them, within bounds."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from unabridged.domain.results import SkippedRecord, Transcript
from unabridged.errors import TransferError, UnknownFormatError
from unabridged.transfer.reader import FormatReader

ENDINGS = frozenset(
    {".json", ".jsonl", ".ndjson", ".zip", ".gz", ".xz", ".db", ".sqlite", ".sqlite3"}
)
"""How the names of files end that are looked into."""
PASSED_BY = frozenset({
    ".cache", ".git", ".hg", ".svn", ".tox", ".Trash", ".venv", "__pycache__", "node_modules",
    "site-packages", "venv",
})  # fmt: skip
"""Folders that hold no conversations, but very many files."""
PLACES = (
    "~/.claude/projects",
    "~/.codex/sessions",
    "~/.config/io.datasette.llm",
    "~/.lmstudio/conversations",
    "~/Downloads",
)
"""Where programs keep conversations as a rule, to be named by people; never searched unasked."""
DEEPEST = 30
MOST_ENTRIES = 2_000_000
LARGEST = 8 << 30
SMALLEST = 10


@dataclass(slots=True)
class Walk:
    """What was passed by on the way.

    Attributes:
        entries: Entries of folders that were seen.
        looked: Files that were looked into.
        closed: Folders that could not be opened.
        cut: Whether the end was not reached, for the number of entries.
    """

    entries: int = 0
    looked: int = 0
    closed: int = 0
    cut: bool = False


@dataclass(slots=True)
class Survey:
    """A file of a known format, and what it holds.

    Attributes:
        held: Those that are in the memory already.
        unread: Records that could not be read.
        first: The date of its oldest exchange, or None without any.
        last: The date of its newest.
        error: Why the end was not reached, or empty.
    """

    path: Path
    format: str
    size: int
    conversations: int = 0
    exchanges: int = 0
    held: int = 0
    unread: int = 0
    first: datetime | None = None
    last: datetime | None = None
    error: str = ""

    def add(self, conversation: Transcript, held: int) -> None:
        """Count a conversation."""
        self.conversations += 1
        self.exchanges += len(conversation.exchanges)
        self.held += held
        times = [exchange.at for exchange in conversation.exchanges]
        self.first = min([*times, *filter(None, [self.first])], default=None)
        self.last = max([*times, *filter(None, [self.last])], default=None)


def candidates(folder: Path, walk: Walk, besides: Path | None = None) -> Iterator[tuple[Path, int]]:
    """Give the files below a folder that may be of a known format, and their bytes, by name.

    Symbolic links are not followed; what is no plain file is passed by.

    Our own home, ``besides``, is not looked into.

    Raises:
        TransferError: The folder cannot be opened.
    """
    waiting = [(folder, 0)]
    while waiting:
        here, depth = waiting.pop()
        try:
            with os.scandir(here) as found:
                entries = sorted(found, key=lambda entry: entry.name)
        except (OSError, ValueError) as error:
            if here == folder:
                raise TransferError(
                    f"{str(folder)!r} cannot be looked through: {error}.", hint="Name a folder."
                ) from error
            walk.closed += 1
            continue
        below: list[tuple[Path, int]] = []
        for entry in entries:
            walk.entries += 1
            if walk.entries > MOST_ENTRIES:
                walk.cut = True
                return
            if _is_folder(entry):
                path = Path(entry.path)
                if depth < DEEPEST and entry.name not in PASSED_BY and path != besides:
                    below.append((path, depth + 1))
            elif (size := _size(entry)) is not None:
                yield Path(entry.path), size
        waiting.extend(reversed(below))


def survey(
    path: Path,
    size: int,
    opener: Callable[[Path], FormatReader],
    held: Callable[[Transcript], int],
) -> Survey | None:
    """Read a file through and count what is in it; None where no conversation is.

    ``held`` tells how many exchanges of a conversation are in the memory already.
    """
    try:
        reader = opener(path)
    except TransferError:
        return None
    found = Survey(path, reader.format, size)
    with reader:
        try:
            for item in reader:
                if isinstance(item, Transcript):
                    found.add(item, held(item))
                elif isinstance(item, SkippedRecord):
                    found.unread += 1
        except UnknownFormatError:
            return None
        except TransferError as error:
            found.error = str(error)
    return found if found.conversations else None


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False


def _size(entry: os.DirEntry[str]) -> int | None:
    if os.path.splitext(entry.name)[1].lower() not in ENDINGS:  # noqa: PTH122 - thousands of them
        return None
    try:
        if not entry.is_file(follow_symlinks=False):
            return None
        size = entry.stat(follow_symlinks=False).st_size
    except OSError:
        return None
    return size if SMALLEST <= size <= LARGEST else None
