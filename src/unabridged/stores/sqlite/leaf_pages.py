"""Read the rows on the pages of a database file, without the pages that lead to them.

A file that was cut short loses pages in the middle of its b-trees. The rows behind them are still
there; whoever reads them proves each by its digest, since a page may hold anything. Encrypted pages
cannot be read so. The format is that of https://sqlite.org/fileformat2.html, 1.6 and 2.1.
"""

import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any

PAGE_BYTES = 4096
"""The size of a page, if the file does not say it."""
_SIZES = frozenset(1 << power for power in range(9, 17))
_REPORT_PAGES = 10_000
_FILE_HEADER = 100
_TABLE_LEAF, _INDEX_LEAF, _INDEX_INTERIOR = 0x0D, 0x0A, 0x02
_HEADS = {_TABLE_LEAF: 8, _INDEX_LEAF: 8, _INDEX_INTERIOR: 12}
_LONGEST_ROW = 1 << 30
_INTEGERS = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}
"""Bytes of an integer by its serial type."""
_FLOAT, _BLOB = 7, 12


@dataclass(frozen=True, slots=True)
class PageRow:
    """A row as its page holds it.

    Attributes:
        number: Its rowid; None in a table without.
        values: Its columns; a column that is the rowid is None.
        page: The number of its page, from 1.
    """

    number: int | None
    values: tuple[Any, ...]
    page: int


def page_rows(
    path: Path, moved: Callable[[int, int], None] = lambda _done, _of: None
) -> Iterator[PageRow]:
    """Return every row that can be read; rows of a page that makes no sense are skipped.

    ``moved`` is called with the number of pages read and their total.
    """
    with path.open("rb") as file:
        if path.stat().st_size < PAGE_BYTES:
            return
        with mmap(file.fileno(), 0, access=ACCESS_READ) as data:
            pages = _Pages(data)
            for number in range(1, pages.count + 1):
                if number % _REPORT_PAGES == 0:
                    moved(number, pages.count)
                yield from pages.rows(number)


class _Pages:
    def __init__(self, data: mmap) -> None:
        self._data = data
        size = int.from_bytes(data[16:18], "big")
        size = 1 << 16 if size == 1 else size
        told = size in _SIZES and data[20] <= size - 480
        self._size = size if told else PAGE_BYTES
        self._usable = size - data[20] if told else PAGE_BYTES
        self.count = len(data) // self._size

    def rows(self, number: int) -> Iterator[PageRow]:
        start = (number - 1) * self._size
        head = start + (_FILE_HEADER if number == 1 else 0)
        kind = self._data[head]
        if kind not in _HEADS:
            return
        page = self._data[start : start + self._size]
        count = int.from_bytes(self._data[head + 3 : head + 5], "big")
        pointers = head - start + _HEADS[kind]
        for place in range(pointers, min(pointers + 2 * count, self._usable - 1), 2):
            try:
                row = self._row(page, int.from_bytes(page[place : place + 2], "big"), kind)
            except (IndexError, KeyError, ValueError, struct.error):
                continue  # no row, or one that was overwritten
            yield PageRow(*row, number)

    def _row(self, page: bytes, at: int, kind: int) -> tuple[int | None, tuple[Any, ...]]:
        at += 4 if kind == _INDEX_INTERIOR else 0
        size, at = _varint(page, at)
        number: int | None = None
        if kind == _TABLE_LEAF:
            number, at = _varint(page, at)
        if size > min(_LONGEST_ROW, len(self._data)):
            raise ValueError("longer than the file")
        local = self._local(size, is_table=kind == _TABLE_LEAF)
        payload = page[at : at + local]
        if local < size:
            payload += self._overflow(page[at + local : at + local + 4], size - local)
        if len(payload) != size:
            raise ValueError("the row is cut off")
        return number, _values(payload)

    def _local(self, size: int, *, is_table: bool) -> int:
        usable = self._usable
        most = usable - 35 if is_table else (usable - 12) * 64 // 255 - 23
        if size <= most:
            return size
        least = (usable - 12) * 32 // 255 - 23
        kept = least + (size - least) % (usable - 4)
        return kept if kept <= most else least

    def _overflow(self, pointer: bytes, size: int) -> bytes:
        pieces: list[bytes] = []
        while size > 0:
            number = int.from_bytes(pointer, "big")
            if not 0 < number <= self.count:
                raise ValueError("a page of the row is missing")
            start = (number - 1) * self._size
            pointer = self._data[start : start + 4]
            piece = self._data[start + 4 : start + min(self._usable, 4 + size)]
            pieces.append(piece)
            size -= len(piece)
        return b"".join(pieces)


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for place in range(at, at + 8):
        value = value << 7 | data[place] & 0x7F
        if data[place] < 0x80:
            return value, place + 1
    return value << 8 | data[at + 8], at + 9


def _values(payload: bytes) -> tuple[Any, ...]:
    end, at = _varint(payload, 0)
    kinds: list[int] = []
    while at < end:
        kind, at = _varint(payload, at)
        kinds.append(kind)
    values = []
    for kind in kinds:
        value, at = _value(payload, at, kind)
        values.append(value)
    return tuple(values)


def _value(payload: bytes, at: int, kind: int) -> tuple[Any, int]:
    if kind >= _BLOB:
        end = at + (kind - _BLOB) // 2
        data = payload[at:end]
        return (data.decode("utf-8") if kind % 2 else data), end
    if kind in _INTEGERS:
        end = at + _INTEGERS[kind]
        return int.from_bytes(payload[at:end], "big", signed=True), end
    if kind == _FLOAT:
        return struct.unpack(">d", payload[at : at + 8])[0], at + 8
    return {0: None, 8: 0, 9: 1}[kind], at
