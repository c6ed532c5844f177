"""The description of an import format: its name, signs and reader."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from unabridged.domain.results import SkippedRecord
from unabridged.transfer.reader import Item
from unabridged.transfer.records import JsonRecord
from unabridged.transfer.whole_rows import Path

Read = Callable[[Iterator[JsonRecord | SkippedRecord]], Iterator[Item]]
ReadFile = Callable[[BinaryIO], Iterator[Item]]


def each_record(read_one: Callable[[JsonRecord], Iterator[Item]]) -> Read:
    """Return a reader that reads each record separately."""

    def read(records: Iterator[JsonRecord | SkippedRecord]) -> Iterator[Item]:
        for record in records:
            if isinstance(record, SkippedRecord):
                yield record
            else:
                yield from read_one(record)

    return read


_NO_RECORDS = each_record(lambda _: iter(()))


@dataclass(frozen=True, slots=True)
class Format:
    """A format of imports.

    Attributes:
        signs: Sets of paths; an object with all paths of one set has this format. A path is a key,
            or the keys on the way to one (``chat/history``); lists do not count, and ``*`` is any
            key before the last.
        magic: The beginning of its binary files; empty for JSON.
        read_file: Reads such a file as a whole, from a seekable stream.
        rows: The paths of the lists whose whole elements are read from a file that breaks off.
    """

    name: str
    title: str
    signs: tuple[frozenset[str], ...] = ()
    read: Read = _NO_RECORDS
    magic: bytes = b""
    read_file: ReadFile | None = None
    rows: frozenset[Path] = frozenset()


def signs(*alternatives: str) -> tuple[frozenset[str], ...]:
    """Return the signs of a format; each alternative names its paths, separated by spaces."""
    return tuple(frozenset(each.split()) for each in alternatives)


def rows(*paths: str) -> frozenset[Path]:
    """Return paths of lists, each written as a sign (``sessions/messages``)."""
    return frozenset(tuple(path.split("/")) for path in paths)
