"""Read the records of a file one by one: lines, elements of one large array, or one large object.

An account export is one array of hundreds of megabytes. It is split by counting brackets outside
of strings, so only one conversation is held in memory at a time.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from unabridged.domain.results import Skip, SkippedRecord
from unabridged.errors import TransferError
from unabridged.transfer.bytestream import PEEK, ByteStream
from unabridged.transfer.lenient_fields import KEPT, as_bytes
from unabridged.transfer.whole_rows import Path, whole_rows

BREAKS_OFF = "the file breaks off here"
BOM = b"\xef\xbb\xbf"
SPACE = b" \t\r\n"
_PLAIN = rb"""[^"\[\]{}]*+(?:"(?:[^"\\]++|\\.)*+"[^"\[\]{}]*+)*+"""
_WHOLE = rb"[\[{]%b[\]}]" % _PLAIN
for _ in range(8):  # levels; an element with more is read bracket by bracket
    _WHOLE = rb"[\[{]%b(?:%b%b)*+[\]}]" % (_PLAIN, _WHOLE, _PLAIN)
_TOKEN = re.compile(rb"""%b(["\[\]{}]|\Z)""" % _PLAIN, re.DOTALL)
"""Everything up to a bracket outside of strings, or to the end. It matches everywhere, so a search
never begins inside a string. A lone quote begins a string that the buffer cuts off."""
_ELEMENT = re.compile(rb"""%b(%b|["\[\]{}]|\Z)""" % (_PLAIN, _WHOLE), re.DOTALL)
"""The same up to the end of an element, if the buffer holds it: half the time."""
_CHUNK = 4 * PEEK
_MOST_AT_ONCE = 32 * _CHUNK
_MOST_PIECES = 32
"""How many times the longest line a longer one may be, before the file is refused: a pipe may be
endless."""
_VALUES_FREE = 1 << 20
_VALUES_PER_RECORD = 1 << 23
"""The most JSON values of one record; each takes up to 100 times the bytes of its text."""
_HALF_BYTES = re.compile(rb"\xed[\xa0-\xbf][\x80-\xbf]")
"""Half a character as Python's ``surrogatepass`` writes it."""


@dataclass(frozen=True, slots=True)
class JsonRecord:
    """One record of a file.

    Attributes:
        where: Its place, for people: ``line 7``, ``item 3``.
        repaired: How many broken characters were replaced in it.
    """

    where: str
    value: Any
    repaired: int = 0

    def unread(self, reason: str) -> SkippedRecord:
        """Return the record as a failure, with its bytes."""
        return SkippedRecord(self.where, reason, as_bytes(self.value))


class BadJsonError(ValueError):
    """Bytes that hold no JSON value; the reason is the message."""


def decode(data: bytes, *, keep_halves: bool = False) -> tuple[Any, int]:
    r"""Read one JSON value.

    A ``\ud800`` without its other half is no character: msgspec refuses it, and other programs
    write it all the same. It is replaced by U+FFFD and counted, not lost with all around it.

    ``keep_halves`` leaves halves as they are: our own files may hold them on purpose.

    Returns:
        The value, and how many halves were replaced.

    Raises:
        BadJsonError: It is none.
    """
    if len(data) > _VALUES_FREE and _values(data) > _VALUES_PER_RECORD:
        raise BadJsonError(f"more than {_VALUES_PER_RECORD:,} values in one record")
    try:
        return msgspec.json.decode(data), 0
    except (ValueError, RecursionError) as error:
        first = error
    if keep_halves and _HALF_BYTES.search(data):
        return _passed(data, first), 0
    if b"\\ud" not in data and b"\\uD" not in data:
        raise BadJsonError(_reason(first))
    try:
        value = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise BadJsonError(_reason(error)) from None
    return (value, 0) if keep_halves else _repaired(value)


def _passed(data: bytes, first: Exception) -> Any:
    try:
        return json.loads(data.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError):
        raise BadJsonError(_reason(first)) from None


def lines(
    stream: ByteStream,
    limit: int,
    *,
    keep_halves: bool = False,
    rows: frozenset[Path] = frozenset(),
) -> Iterator[JsonRecord | SkippedRecord]:
    """Read one JSON value per line; report a bad line and continue.

    Args:
        stream: UTF-8, one value per line; blank lines are skipped.
        limit: Bytes of the longest line.
        keep_halves: As for ``decode``.
        rows: The lists of which whole rows are kept if the last line breaks off.
    """
    number = 0
    while line := stream.readline(limit):
        number += 1
        if not line.endswith(b"\n") and len(line) >= limit:
            _skip_line(stream, limit, number)
            yield SkippedRecord(f"line {number}", f"longer than {limit:,} bytes")
            continue
        if number == 1:
            line = line.removeprefix(BOM)
        if line.strip(SPACE):
            record = _record(f"line {number}", line, keep_halves=keep_halves)
            if isinstance(record, SkippedRecord) and not line.endswith(b"\n"):
                yield from _left(record.where, line, rows)
                record = replace(record, reason=BREAKS_OFF, kind=Skip.TRUNCATED)
            yield record
        else:
            number += stream.skip_space()


def _skip_line(stream: ByteStream, limit: int, number: int) -> None:
    for _ in range(_MOST_PIECES):
        rest = stream.readline(limit)
        if not rest or rest.endswith(b"\n"):
            return
    raise TransferError(
        f"Line {number} does not end within {limit * _MOST_PIECES:,} bytes.",
        hint="Check what the file is, or what writes into the pipe.",
    )


def elements(
    stream: ByteStream, limit: int, *, rows: frozenset[Path] = frozenset()
) -> Iterator[JsonRecord | SkippedRecord]:
    """Read the elements of one large array, or objects in a row, one at a time.

    Args:
        stream: UTF-8. What is between the elements (commas, space) is ignored.
        limit: Bytes of the longest element.
        rows: The lists of which whole rows are kept if the last element breaks off.
    """
    array = stream.peek().removeprefix(BOM).lstrip(SPACE).startswith(b"[")
    for number, data in enumerate(_split(stream, limit, level=1 if array else 0), start=1):
        where = f"item {number}"
        if isinstance(data, _Cut):
            yield from _left(where, data.beginning, rows)
            yield SkippedRecord(where, data.reason, kind=Skip.TRUNCATED)
        else:
            yield _record(where, data)


def _left(where: str, data: bytes, rows: frozenset[Path]) -> Iterator[JsonRecord]:
    # Return the record that whole rows of a value that breaks off make, if there are any.
    left = whole_rows(data, rows) if rows else None
    record = _record(where, left) if left else None
    if isinstance(record, JsonRecord):
        yield record


def _record(where: str, data: bytes, *, keep_halves: bool = False) -> JsonRecord | SkippedRecord:
    try:
        value, repaired = decode(data, keep_halves=keep_halves)
    except BadJsonError as error:
        return SkippedRecord(where, str(error), data if len(data) <= KEPT else b"")
    return JsonRecord(where, value, repaired)


@dataclass(frozen=True, slots=True)
class _Cut:
    reason: str
    beginning: bytes = b""


def _split(stream: ByteStream, limit: int, level: int) -> Iterator[bytes | _Cut]:
    buffer, at, start, depth = b"", 0, -1, 0
    size = _CHUNK
    while piece := stream.read(size):
        keep = start if start >= 0 else at
        buffer, at, start = buffer[keep:] + piece, at - keep, 0 if start >= 0 else -1
        if len(buffer) > limit + _CHUNK:
            yield _Cut(f"longer than {limit:,} bytes; the rest of the file was not read")
            return
        before = at
        while token := (_ELEMENT if depth == level else _TOKEN).match(buffer, at):
            sign, at = token[1], token.end()
            if sign in (b'"', b""):
                at = token.start(1)
                break
            if len(sign) > 1:
                yield sign
            elif sign in b"[{":
                start = at - 1 if depth == level else start
                depth += 1
            else:
                depth -= 1
                if depth == level and start >= 0:
                    yield buffer[start:at]
                    start = -1
        held = len(buffer) - start if start >= 0 else 0
        size = min(max(_CHUNK if at > before else size * 2, held), _MOST_AT_ONCE)
    if start >= 0 or depth > 0:
        yield _Cut(BREAKS_OFF, buffer[start:] if start >= 0 else b"")


def _values(data: bytes) -> int:
    return data.count(b",") + data.count(b"[") + data.count(b"{")


def _reason(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "unreadable JSON: nested too deeply"
    if isinstance(error, UnicodeDecodeError):
        return "not UTF-8"
    return f"invalid JSON: {str(error)[:120]}"


_HALVES = re.compile("[\ud800-\udfff]")


def _repaired(value: Any) -> tuple[Any, int]:
    count = 0

    def repair(item: Any) -> Any:
        nonlocal count
        if isinstance(item, str):
            text, found = _HALVES.subn("\ufffd", item)
            count += found
            return text
        if isinstance(item, list):
            return [repair(each) for each in item]
        if isinstance(item, dict):
            return {repair(key): repair(each) for key, each in item.items()}
        return item

    try:
        return repair(value), count
    except RecursionError as error:
        raise BadJsonError(_reason(error)) from None
