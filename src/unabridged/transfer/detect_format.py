"""Detects the format of a file by its content; its name does not count."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import BinaryIO

from unabridged.domain.results import Skip, SkippedRecord, Transcript
from unabridged.errors import SettingError, TransferError, UnknownFormatError
from unabridged.transfer import native_jsonl
from unabridged.transfer.bytestream import ByteStream
from unabridged.transfer.foreign_format import Format
from unabridged.transfer.formats.table import FORMATS
from unabridged.transfer.input_file import InputFile, InputLimits, InputPart, Unseal
from unabridged.transfer.reader import FormatReader, Item
from unabridged.transfer.records import (
    BOM,
    SPACE,
    BadJsonError,
    JsonRecord,
    decode,
    elements,
    lines,
)

LIKELY_FORMATS = ("chatgpt", "claude")
"""The formats that a hint names first."""
_LINES_LOOKED_AT = 100
_KEYS_LOOKED_AT = 100_000
_RECORD = 1500
"""The least bytes of a record in memory."""
_TIMES = 3
"""The usual upper bound of a text's size in memory, relative to the file."""
_GOES_ON = (b"{", b"[", b",", b":")
"""The ends of lines after which an object continues."""
_DEEPEST = 3
"""The most keys of a path."""
_NEAR = 8
"""The most levels of nesting, including lists, to search for paths."""
_TOKEN = re.compile(rb'"((?:[^"\\]++|\\.)*+)"(\s*:)?|["\[\]{}]', re.DOTALL)


def open_file(
    origin: str | Path | BinaryIO,
    *,
    format: str | None = None,  # noqa: A002 - the word of the glossary
    formats: Sequence[Format] = FORMATS,
    model: str | None = None,
    limits: InputLimits | None = None,
    unseal: Unseal | None = None,
) -> FormatReader:
    """Open a foreign file.

    Args:
        origin: A path, or a binary stream (which stays open). It may be packed (xz, gzip), or an
            archive of an account export.
        format: The name of its format, or None to detect it.
        formats: The formats that can be read; the first that matches wins. Add your own to
            ``FORMATS`` to read a format that Unabridged does not have.
        model: The model of exchanges for which the file names none; None leaves it unknown.
        limits: The limits of memory and size, or None for the default.
        unseal: Opens an encrypted export; None for no key.

    Returns:
        Conversations and failures, one at a time. Of account exports and of our own format, one
            conversation is held in memory at a time. Of lines of messages all are, since those of a
            session may be anywhere.

    Raises:
        SettingError: There is no such format.
        TransferError: It cannot be opened or unpacked.
        UnknownFormatError: No format matches.
        StoreKeyError: It is encrypted, and the key is missing or wrong.
    """
    named = next((each for each in formats if each.name == format), None)
    if format is not None and named is None:
        raise SettingError(f"There is no format {format!r}.", hint=f"Known: {known(formats)}.")
    source = InputFile(origin, limits or InputLimits(), unseal)
    try:
        part = _first_filled(source)
        found = named or detect(part.stream, formats)
    except BaseException:
        source.close()
        raise
    items = _items(source, part, found, formats)
    return FormatReader(found.name, source, map(partial(_by, model), items) if model else items)


def _first_filled(source: InputFile) -> InputPart:
    # Parts of a large export may be empty lists; the last part decides if all are.
    part = next(source.parts)
    while _is_empty(part) and (more := next(source.parts, None)) is not None:
        part = more
    return part


def _is_empty(part: InputPart) -> bool:
    return bool(part.name) and part.stream.peek().strip(SPACE) in (b"", b"[]", b"{}")


def _by(model: str, item: Item) -> Item:
    if not isinstance(item, Transcript):
        return item
    named = (each if each.model else replace(each, model=model) for each in item.exchanges)
    return replace(item, exchanges=tuple(named))


def known(formats: Sequence[Format] = FORMATS) -> str:
    """Return the names of all formats, for people."""
    return ", ".join(each.name for each in formats)


def titles() -> list[str]:
    """Return the title of each format."""
    return [each.title for each in FORMATS]


def detect(stream: ByteStream, formats: Sequence[Format] = FORMATS) -> Format:
    """Detect the format of a stream, without consuming it.

    Raises:
        UnknownFormatError: No format matches.
    """
    head = stream.peek()
    text = head.removeprefix(BOM).strip(SPACE)
    if not text:
        raise _unknown(stream.broken or "it is empty", formats)
    for each in formats:
        if each.magic and head.startswith(each.magic):
            return each
    if head.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\x00" in head[:64]:
        raise _unknown("its encoding is not UTF-8 (or it is no text)", formats)
    if not (
        text.startswith((b"{", b"[")) or any(map(_line_keys, text.split(b"\n")[:_LINES_LOOKED_AT]))
    ):
        raise _unknown(_beginning(text), formats)  # such as a program that writes JSON
    for keys in _keys(text):
        for each in formats:
            if any(sign <= keys for sign in each.signs):
                return each
    raise _unknown(_beginning(text), formats)


def _beginning(text: bytes) -> str:
    return f"it begins with {text[:60].decode('utf-8', 'replace')!r}"


def _unknown(seen: str, formats: Sequence[Format]) -> UnknownFormatError:
    likely = [each for each in formats if each.name in LIKELY_FORMATS] or formats
    titles = ", ".join(f"{each.title} ({each.name})" for each in likely)
    return UnknownFormatError(
        f"The file has no known format: {seen}.",
        hint=f"Files must be UTF-8. Most used: {titles}. List all: unabridged import --help",
    )


def _keys(head: bytes) -> Iterator[frozenset[str]]:
    # Return the paths of the first objects: line by line if lines are objects, else as a whole.
    if _is_lines(head):
        for line in head.split(b"\n")[:_LINES_LOOKED_AT]:
            keys = _line_keys(line)
            if keys:
                yield keys
    yield from _outer_keys(head)


def _line_keys(line: bytes) -> frozenset[str]:
    try:
        value, _ = decode(line)
    except BadJsonError:
        return frozenset()
    return (
        next(_outer_keys(line.strip(SPACE)), frozenset())
        if isinstance(value, dict)
        else frozenset()
    )


def _outer_keys(head: bytes) -> Iterator[frozenset[str]]:
    level = 2 if head.startswith(b"[") else 1
    names: list[str] = []
    name, keys = "", set[str]()
    for number, token in enumerate(_TOKEN.finditer(head)):
        sign = token.group()[:1]
        if sign in (b"{", b"["):
            names.append(name)
            name = ""
        elif sign in (b"}", b"]"):
            name = ""
            if names and len(names) == level:
                yield frozenset(keys)
                keys = set()
            del names[-1:]
        elif token.group(2):
            name = token.group(1).decode("utf-8", "replace")
            near = level <= len(names) <= level + _NEAR
            above = [each for each in names[level:] if each] if near else []
            if near and len(above) < _DEEPEST:
                keys.add("/".join((*above, name)))
                if above:
                    keys.add("/".join((*above[:-1], "*", name)))
        if token.group() == b'"' or number > _KEYS_LOOKED_AT:
            break
    yield frozenset(keys)


def _items(
    source: InputFile, first: InputPart, found: Format, formats: Sequence[Format]
) -> Iterator[Item]:
    part: InputPart | None = first
    while part is not None:
        for item in _read(source, part, found):
            if isinstance(item, SkippedRecord) and part.name:
                yield replace(item, where=f"{part.name}, {item.where}")
            else:
                yield item
        if part.stream.broken or source.broken:
            reason = part.stream.broken or source.broken
            yield SkippedRecord(part.name or "the end", reason, kind=Skip.TRUNCATED)
        part = next((each for each in source.parts if not _is_empty(each)), None)
        if part is not None and detect(part.stream, formats) is not found:
            raise TransferError(
                f"{part.name!r} in the archive has another format than the part before it.",
                hint="Unpack the archive and import its files one by one.",
            )
    for what, count in source.left_out.items():
        yield SkippedRecord("the archive", what, kind=Skip.NORMAL, count=count)


def _read(source: InputFile, part: InputPart, found: Format) -> Iterator[Item]:
    if found.read_file is not None:
        return found.read_file(source.whole(part))
    records = _Held(_records(part.stream, source.limits, found), part.stream, source.limits.held)
    return records.given(found.read(records))


class _Held:
    """Records before their reader, counted in bytes until conversations are made.

    Most formats return a conversation when its records are read. One that needs the whole file
    first could fill the memory.
    """

    def __init__(
        self, records: Iterator[JsonRecord | SkippedRecord], stream: ByteStream, limit: int
    ) -> None:
        self._records, self._stream, self._limit = records, stream, limit
        self._count = self._since = 0

    def __iter__(self) -> "_Held":
        return self

    def __next__(self) -> JsonRecord | SkippedRecord:
        record = next(self._records)
        self._count += 1
        if self._count * _RECORD + (self._stream.count - self._since) * _TIMES > self._limit:
            raise TransferError(
                "The file needs too much memory before a conversation is complete.",
                hint="Split it between sessions, and import the pieces one by one.",
            )
        return record

    def given(self, items: Iterator[Item]) -> Iterator[Item]:
        """Yield items; each conversation resets the count."""
        for item in items:
            if isinstance(item, Transcript):
                self._count, self._since = 0, self._stream.count
            yield item


def _records(
    stream: ByteStream, limits: InputLimits, found: Format
) -> Iterator[JsonRecord | SkippedRecord]:
    if _is_lines(stream.peek().removeprefix(BOM).lstrip(SPACE)):
        halves = found.name == native_jsonl.NAME
        return lines(stream, limits.record, keep_halves=halves, rows=found.rows)
    return elements(stream, limits.record, rows=found.rows)


def _is_lines(head: bytes) -> bool:
    if head.startswith(b"["):
        return False
    first, *rest = head.split(b"\n")[:_LINES_LOOKED_AT]
    if rest and head.startswith(b"{") and first.rstrip(SPACE).endswith(_GOES_ON):
        return False
    return not rest or any(_line_keys(line) for line in (first, *rest))
