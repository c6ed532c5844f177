"""The reader of a foreign file: conversations and failures, one by one."""

from collections.abc import Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from unabridged.domain.fact import Requirement
from unabridged.domain.record import Record
from unabridged.domain.results import SkippedRecord, Transcript
from unabridged.transfer.input_file import InputFile

Item = Transcript | Requirement | Record | SkippedRecord
"""An item of a file; a record comes after the conversations that it is about."""


@dataclass(frozen=True, slots=True)
class ReadProgress:
    """The progress of reading a file.

    Attributes:
        read: Bytes of the stored file that were read.
        total: All its bytes, or None for a pipe.
    """

    read: int
    total: int | None
    conversations: int
    unread: int

    @property
    def share(self) -> float | None:
        """Return the finished share, 0 to 1, or None if the total is unknown."""
        if self.total is None:
            return None
        return min(1.0, self.read / self.total) if self.total else 1.0


class FormatReader:
    """Yields the conversations of a file, one at a time; ``with`` or the end closes it."""

    def __init__(self, format: str, source: InputFile, items: Iterator[Item]) -> None:  # noqa: A002 - the word of the glossary
        self.format = format
        self._source = source
        self._items = items
        self._conversations = 0
        self._unread = 0
        self._ended = False

    @property
    def progress(self) -> ReadProgress:
        """Return the progress."""
        source = self._source
        return ReadProgress(source.read, source.total, self._conversations, self._unread)

    def __iter__(self) -> "FormatReader":
        return self

    def __next__(self) -> Item:
        if self._ended:
            raise StopIteration
        try:
            item = next(self._items)
        except BaseException:
            self.close()
            raise
        if isinstance(item, SkippedRecord):
            self._unread += 1
        elif isinstance(item, Transcript):
            self._conversations += 1
        return item

    def close(self) -> None:
        """Close the file; a second call does nothing."""
        self._ended = True
        self._source.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
