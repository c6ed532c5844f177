"""Look for files of other programs below a folder: by content, within bounds."""

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import blake2b
from pathlib import Path

from unabridged.domain.results import Skip, SkippedRecord, Transcript
from unabridged.errors import TransferError, UnknownFormatError
from unabridged.transfer.reader import FormatReader

ENDINGS = frozenset(
    {".json", ".jsonl", ".ndjson", ".zip", ".gz", ".xz", ".db", ".sqlite", ".sqlite3"}
)
"""Endings of the names of files to read."""
PASSED_BY = frozenset({
    ".cache", ".git", ".hg", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".svn", ".tox", ".Trash", ".venv", "__pycache__", "node_modules",
    "site-packages", "venv",
})  # fmt: skip
"""Folders with very many files and no conversations."""
PASSED_BY_IN_CHECKOUT = frozenset({"fixtures", "test", "testdata", "tests"})
"""Folders of a program's source with conversations that are nobody's; hidden ones go too."""
PLACES = (
    "~/.claude/projects",
    "~/.codex/sessions",
    "~/.config/io.datasette.llm",
    "~/.lmstudio/conversations",
    "~/Downloads",
)
"""Where programs usually keep conversations; searched only if a person names them."""
DEEPEST = 30
MOST_ENTRIES = 2_000_000
LARGEST = 8 << 30
SMALLEST = 10


@dataclass(slots=True)
class Walk:
    """The progress of a search.

    Attributes:
        entries: Entries of folders that were seen.
        looked: Files that were read.
        closed: Folders that could not be opened.
        cut: Whether the search stopped at too many entries.
    """

    entries: int = 0
    looked: int = 0
    closed: int = 0
    cut: bool = False


@dataclass(slots=True)
class Survey:
    """A file of a known format, and its content.

    Attributes:
        held: Exchanges that are in the memory already.
        skipped: Usual content of such files other than conversations, by kind.
        failed: Parts that could not be read.
        first: The date of its oldest exchange, or None without any.
        last: The date of its newest.
        error: Why the end was not reached, or empty.
        copies: Other files with the same conversations.
        content: A number that files with the same exchanges share.
    """

    path: Path
    format: str
    size: int
    conversations: int = 0
    exchanges: int = 0
    held: int = 0
    skipped: dict[str, int] = field(default_factory=dict)
    failed: int = 0
    first: datetime | None = None
    last: datetime | None = None
    error: str = ""
    copies: list[Path] = field(default_factory=list)
    content: int = 0

    def add(self, conversation: Transcript, held: int) -> None:
        """Count a conversation."""
        self.conversations += 1
        self.exchanges += len(conversation.exchanges)
        self.held += held
        for exchange in conversation.exchanges:
            digest = blake2b(exchange.id.encode("utf-8", "surrogatepass"), digest_size=16)
            self.content ^= int.from_bytes(digest.digest())
        times = [exchange.at for exchange in conversation.exchanges]
        self.first = min([*times, *filter(None, [self.first])], default=None)
        self.last = max([*times, *filter(None, [self.last])], default=None)

    def skip(self, record: SkippedRecord) -> None:
        """Count a record that is not imported as it is."""
        if record.kind is Skip.NORMAL:
            self.skipped[record.reason] = self.skipped.get(record.reason, 0) + record.count
        elif record.kind is not Skip.REPAIRED:
            self.failed += record.count


def merged(found: Iterable[Survey]) -> list[Survey]:
    """Merge files with the same conversations, such as an archive and its content."""
    by_content: dict[tuple[str, int, int], Survey] = {}
    for each in found:
        first = by_content.setdefault((each.format, each.exchanges, each.content), each)
        if first is not each:
            first.copies.append(each.path)
    return list(by_content.values())


def candidates(folder: Path, walk: Walk, besides: Path | None = None) -> Iterator[tuple[Path, int]]:
    """Return the files below a folder that may be of a known format, with their bytes, by name.

    Symbolic links, anything that is not a plain file, and our own home (``besides``) are left out.

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
                    f"{str(folder)!r} cannot be opened: {error}.", hint="Name a folder."
                ) from error
            walk.closed += 1
            continue
        below: list[tuple[Path, int]] = []
        is_checkout = any(entry.name == ".git" for entry in entries)
        for entry in entries:
            walk.entries += 1
            if walk.entries > MOST_ENTRIES:
                walk.cut = True
                return
            if _is_folder(entry):
                path = Path(entry.path)
                is_passed = entry.name in PASSED_BY or (is_checkout and _is_source(entry.name))
                if depth < DEEPEST and not is_passed and path != besides:
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
    """Read a file and count its content; None if it has no conversation.

    ``held`` returns how many exchanges of a conversation are in the memory already.
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
                    found.skip(item)
        except UnknownFormatError:
            return None
        except TransferError as error:
            found.error = str(error)
    return found if found.conversations else None


def _is_source(name: str) -> bool:
    # A person's own home may be a checkout of settings.
    is_place = any(f"~/{name}/" in place for place in PLACES)
    return name in PASSED_BY_IN_CHECKOUT or (name.startswith(".") and not is_place)


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
