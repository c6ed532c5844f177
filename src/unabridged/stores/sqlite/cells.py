"""Rows out of the bytes of pages, without the b-trees that lead to them.

A row lies in a page as a record: a header of types, then the columns
(https://www.sqlite.org/fileformat2.html#record_format). The header of each table of ours has a look
of its own, by which candidates are found anywhere in a page, whatever its own header says. Which of
them are rows is decided by the digest in each: a false one would need a BLAKE2b collision.
"""

import re
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from unabridged.stores.sqlite.rows import Row

_V = rb"[\x80-\xff]{0,8}[\x00-\x7f]"
_INT = rb"[\x01-\x06\x08\x09]"
_NUMBER = rb"[\x00-\x09]"
_TIME = rb"[\x2d-\x7f]"
_SHAPES: Mapping[str, bytes] = {
    "message": rb"[\x0b-\x2f]\x00" + 3 * _V + rb"[\x15\x19\x1f]" + _TIME + _NUMBER + 3 * _V,
    "exchange": rb"[\x0b-\x2f]" + 4 * _V + rb"[\x15\x1d\x21]" + _INT + _TIME + 3 * _V,
    "session": rb"[\x06-\x1f]" + 2 * _V + _INT + 2 * _V,
    "record": rb"[\x08-\x2f]\x00[\x13-\x3f]" + _V + _TIME + 3 * _V,
    "entry": rb"[\x08-\x1f]\x00" + _V + 4 * _NUMBER + _V,
    "meta": rb"[\x04-\x0f][\x13-\x3f]" + 2 * _V,
    "tally": rb"[\x04-\x0f]\x00" + 2 * _V,
}
"""Table to the look of its records: header's length, then the type of each column."""
_LOOKS = {name: re.compile(rb"(?=(" + shape + rb"))", re.DOTALL) for name, shape in _SHAPES.items()}
TREES = frozenset({"exchange", "session", "meta"})
"""Tables without row numbers: their rows lie in index b-trees."""
_SIZES = (0, 1, 2, 3, 4, 6, 8, 8, 0, 0)
"""Bytes of a column by its type, for types below 10."""
_MOST = 1 << 30
"""Bytes that a row may have."""
_OVERFLOW = 4


@dataclass(frozen=True, slots=True)
class Cell:
    """A record that may be a row.

    Attributes:
        table: The table that it looks like one of.
        number: The row's number, where the table has them.
        columns: Every column, the digest last.
        end: Where what lies of it in its page ends.
    """

    table: str
    number: int
    columns: Row
    end: int


Overflow = Callable[[int], bytes | None]
"""Gives a page by its number; None where there is none."""
_INTERIOR, _TABLE_LEAF = 2, 13
_HEADS = {_INTERIOR: 12, 10: 8, _TABLE_LEAF: 8}
"""Bytes of a page's header, by its kind; pages of other kinds hold no rows."""


def cells(page: bytes, usable: int, overflow: Overflow) -> Iterator[tuple[int, Cell]]:
    """Find everything in a page that looks like a row of ours, with where it begins.

    Args:
        page: Its bytes.
        usable: Bytes of a page that SQLite uses.
        overflow: Where the rest of long rows lies.
    """
    for table, look in _LOOKS.items():
        for found in look.finditer(page):
            cell = _looked(table, found, page, usable, overflow)
            if cell is not None:
                yield found.start(), cell


def cells_at(
    starts: Iterable[int], page: bytes, usable: int, overflow: Overflow
) -> Iterator[tuple[int, Cell]]:
    """The same for places of a page where records begin."""
    for start in starts:
        for table, look in _LOOKS.items():
            found = look.match(page, start)
            cell = found and _looked(table, found, page, usable, overflow)
            if cell:
                yield start, cell


def _looked(
    table: str, found: re.Match[bytes], page: bytes, usable: int, overflow: Overflow
) -> Cell | None:
    """The cell of what has the look of a record's header."""
    head = found[1]
    return _cell(table, page, found.start(), usable, overflow) if head[0] == len(head) else None


def listed(page: bytes, header: int = 0) -> set[int] | None:
    """Where the records begin that a page's own header leads to; None where it makes no sense.

    Args:
        page: Its bytes.
        header: Where its header begins: 100 on page 1, else 0.
    """
    kind = page[header]
    if kind not in _HEADS:
        return None
    begin = header + _HEADS[kind]
    count = int.from_bytes(page[header + 3 : header + 5], "big")
    if begin + 2 * count > len(page):
        return None
    starts = set()
    for place in range(begin, begin + 2 * count, 2):
        cell = int.from_bytes(page[place : place + 2], "big") + (4 if kind == _INTERIOR else 0)
        if not begin <= cell < len(page) - 18:
            continue
        cell = _varint(page, cell)[1]
        starts.add(_varint(page, cell)[1] if kind == _TABLE_LEAF else cell)
    return starts if len(starts) == count else None


def _cell(table: str, page: bytes, start: int, usable: int, overflow: Overflow) -> Cell | None:
    types, body = _types(page, start)
    sizes = [_SIZES[kind] if kind < 10 else (kind - 12) // 2 for kind in types]
    total = body - start + sum(sizes)
    if total > _MOST or 10 in types or 11 in types:
        return None
    local = _local(total, usable, tree=table in TREES)
    end = start + local + (_OVERFLOW if local < total else 0)
    if end > usable:
        return None
    payload = page[start : start + local]
    if local < total:
        rest = _rest(page[end - _OVERFLOW : end], total - local, usable, overflow)
        if rest is None:
            return None
        payload += rest
    number = 0 if table in TREES else _number_before(page, start)
    try:
        columns = tuple(_values(payload, body - start, types, sizes))
    except UnicodeDecodeError:
        return None
    return Cell(table, number, columns, end)


def _types(page: bytes, start: int) -> tuple[list[int], int]:
    end, place, types = start + page[start], start + 1, []
    while place < end:
        kind, place = _varint(page, place)
        types.append(kind)
    return types, place


def _varint(data: bytes, place: int) -> tuple[int, int]:
    """Read a number of 1 to 9 bytes; give it and where the next one begins."""
    value = 0
    for step in range(8):
        byte = data[place + step]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, place + step + 1
    return value << 8 | data[place + 8], place + 9


def _number_before(page: bytes, start: int) -> int:
    """Read the row's number, which ends where the record begins."""
    place = start - 1
    while place > max(0, start - 9) and page[place - 1] >= 0x80:
        place -= 1
    return _varint(page, place)[0] if 0 <= place < start else 0


def _local(total: int, usable: int, *, tree: bool) -> int:
    """How much of a record lies in its page.

    Source: https://www.sqlite.org/fileformat2.html#b_tree_pages, X, M and K.
    """
    most = (usable - 12) * 64 // 255 - 23 if tree else usable - 35
    if total <= most:
        return total
    least = (usable - 12) * 32 // 255 - 23
    fitting = least + (total - least) % (usable - _OVERFLOW)
    return fitting if fitting <= most else least


def _rest(pointer: bytes, left: int, usable: int, overflow: Overflow) -> bytes | None:
    """What of a record lies in other pages; None where they do not hold it."""
    parts = []
    while left > 0:
        number = int.from_bytes(pointer, "big")
        page = overflow(number) if number else None
        if page is None or len(page) < usable:
            return None
        parts.append(page[_OVERFLOW : _OVERFLOW + min(left, usable - _OVERFLOW)])
        left -= usable - _OVERFLOW
        pointer = page[:_OVERFLOW]
    return b"".join(parts)


def _values(payload: bytes, place: int, types: list[int], sizes: list[int]) -> Iterator[object]:
    for kind, size in zip(types, sizes, strict=True):
        data = payload[place : place + size]
        place += size
        if kind == 0:
            yield None
        elif kind <= 6:
            yield int.from_bytes(data, "big", signed=True)
        elif kind == 7:
            yield struct.unpack(">d", data)[0]
        elif kind <= 9:
            yield kind - 8
        else:
            yield data.decode() if kind % 2 else data
