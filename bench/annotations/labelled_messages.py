"""Labelled messages for ``python -m bench intent``, in any of the forms that people keep them in.

Lines of an intent, a tab and a message (``intent_accuracy.read``); CSV with a head line; JSON lines, or
one JSON array, of objects with ``intent`` (or ``label``, ``expected``) and ``message`` (or ``text``,
``query``, ``question``).
"""

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.annotations import intent_accuracy
from unabridged.domain.intent import Intent
from unabridged.errors import BadRecordError, TransferError

_LABELS = ("intent", "label", "expected", "gold")
_WORDS = ("message", "text", "query", "question", "words")

Labelled = list[tuple[Intent, str]]


def load(path: str | Path) -> Labelled:
    """Read labelled messages.

    Raises:
        BadRecordError: A record has no message, or no intent that is known.
        TransferError: The file cannot be read, or holds none.
    """
    place = Path(path)
    try:
        text = place.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise TransferError(
            f"{str(path)!r} cannot be read: {error}.",
            hint="Use a file of lines in UTF-8: an intent, a tab, a message.",
        ) from error
    found = _read(text)
    if not found:
        raise TransferError(
            f"{place.name!r} holds no labelled message.",
            hint="Write a line for each: an intent, a tab, a message.",
        )
    return found


def _read(text: str) -> Labelled:
    text = text.replace("\r\n", "\n")
    head = text.lstrip()[:1]
    first = text.partition("\n")[0]
    if head in ("{", "["):
        return [_pair(record, number) for number, record in enumerate(_objects(text), 1)]
    if "\t" not in first and "," in first:
        rows = csv.DictReader(io.StringIO(text))
        return [_pair(record, number) for number, record in enumerate(rows, 2)]
    return intent_accuracy.read(line for line in text.split("\n") if line.strip())


def _objects(text: str) -> Iterator[Any]:
    try:
        whole = json.loads(text)
    except ValueError:
        for number, line in enumerate(text.split("\n"), 1):
            if line.strip():
                yield _json(line, number)
        return
    if isinstance(whole, dict):
        lists = [value for value in whole.values() if isinstance(value, list)]
        whole = lists[0] if lists else [whole]
    yield from whole


def _json(line: str, number: int) -> Any:
    try:
        return json.loads(line)
    except ValueError as error:
        raise BadRecordError(
            f"Line {number} is not JSON: {error}.", line=number, hint="Write an object a line."
        ) from error


def _pair(record: Any, number: int) -> tuple[Intent, str]:
    fields: Mapping[str, Any] = record if isinstance(record, dict) else {}
    label, words = _first(fields, _LABELS), _first(fields, _WORDS)
    try:
        wanted = Intent(label.strip().lower())
    except ValueError as error:
        raise BadRecordError(
            f"Record {number} is labelled {label!r}.",
            line=number,
            hint=f"It needs one of {', '.join(Intent)} under one of {', '.join(_LABELS)}.",
        ) from error
    if not words:
        raise BadRecordError(
            f"Record {number} has no message.",
            line=number,
            hint=f"Put it under one of {', '.join(_WORDS)}.",
        )
    return wanted, words


def _first(fields: Mapping[str, Any], names: Sequence[str]) -> str:
    return next((str(fields[name]) for name in names if fields.get(name)), "")
