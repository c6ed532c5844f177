"""What a format that can be read is: its name, the keys it is known by, and what reads it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from unabridged.domain.results import SkippedRecord
from unabridged.transfer.reader import Item
from unabridged.transfer.records import JsonRecord

Read = Callable[[Iterator[JsonRecord | SkippedRecord]], Iterator[Item]]
ReadFile = Callable[[BinaryIO], Iterator[Item]]


def each_record(read_one: Callable[[JsonRecord], Iterator[Item]]) -> Read:
    """Return the reader of files whose records are read one by one."""

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
    """A format that can be read.

    Attributes:
        signs: Sets of paths; an object in which all paths of one of them are is of this format. A
            path is a key, or the keys on the way to one (``chat/history``); lists have no part in
            it, and ``*`` stands for any key before the last.
        magic: How its files begin, where they are not text; empty for JSON.
        read_file: What reads such a file as a whole, any place of which can be chosen.
    """

    name: str
    title: str
    signs: tuple[frozenset[str], ...] = ()
    read: Read = _NO_RECORDS
    magic: bytes = b""
    read_file: ReadFile | None = None


def signs(*alternatives: str) -> tuple[frozenset[str], ...]:
    """Return the signs of a format; each alternative names its paths, separated by spaces."""
    return tuple(frozenset(each.split()) for each in alternatives)
