"""Reads fields of foreign objects, which may hold anything."""

import json
from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from unabridged.domain.annotation import Stated, category_name
from unabridged.domain.results import Skip, SkippedRecord
from unabridged.transfer.times import parse_time

KEPT = 1 << 24
"""The most bytes of a record to keep aside; a larger one stays in its file only."""

BROKEN_CHARACTER = "broken character, replaced by U+FFFD"
EMPTY_MESSAGE = "empty message"
REPEATED_MESSAGE = "repeated message"
SYSTEM_MESSAGE = "system message"
HIDDEN_REASONING = "encrypted or empty reasoning block"
PROGRAM_MESSAGE = "program message"
SUBAGENT_MESSAGE = "sub-agent message"
SUMMARY_ONLY = "summary whose originals are gone, marked as a summary"
CIRCLE = "circle of messages, cut open"
_BAD_TIME = "unreadable time, replaced by that of the message before"
_REPAIRS = frozenset({BROKEN_CHARACTER, CIRCLE, _BAD_TIME})


class Reasons(Counter[str]):
    """Counts content that is not imported as it is, by reason.

    A reason that is only counted is usual in its format, and a noun with a plural in "s".
    """

    def __init__(self) -> None:
        super().__init__()
        self._kept: dict[str, list[bytes]] = {}
        self._kinds = dict.fromkeys(_REPAIRS, Skip.REPAIRED)
        self._held = 0

    def lost(self, reason: str, value: Any) -> None:
        """Count something that should have been imported, and keep it aside."""
        self._keep(reason, value, Skip.FAILED)

    def skip(self, what: str, value: Any) -> None:
        """Count something that is normal in this format, and keep it aside."""
        self._keep(what, value, Skip.NORMAL)

    def change(self, what: str, value: Any) -> None:
        """Count something that is imported in another form, and keep the original aside."""
        self._keep(what, value, Skip.REPAIRED)

    def _keep(self, reason: str, value: Any, kind: Skip) -> None:
        self[reason] += 1
        self._kinds[reason] = kind
        data = as_bytes(value)
        self._held += len(data)
        if self._held <= KEPT:
            self._kept.setdefault(reason, []).append(data)

    def records(self, where: str) -> list[SkippedRecord]:
        """Return a record for each reason; its bytes are JSON values, one a line."""
        return [
            SkippedRecord(
                where,
                reason,
                b"\n".join(self._kept.get(reason, ())),
                self._kinds.get(reason, Skip.NORMAL),
                count,
            )
            for reason, count in sorted((+self).items())
        ]

    def json(self, value: Any) -> str:
        """Write a value as JSON text; one nested too deeply becomes an empty object."""
        try:
            return json.dumps(value, ensure_ascii=False)
        except (ValueError, RecursionError):
            self.lost("a value nested too deeply", value)
            return "{}"

    def arguments(self, value: Any) -> str:
        """Return the arguments of a tool call, which are JSON text or the value itself."""
        return value if isinstance(value, str) else self.json(value or {})

    def stated(self, category: Any, importance: Any) -> Stated | None:
        """Return a message's category and importance (a number from 0 to 1), or None of neither."""
        number = isinstance(importance, (int, float)) and not isinstance(importance, bool)
        weight = float(importance) if number and 0 <= importance <= 1 else None
        if weight is None and importance is not None:
            self.change("importance that is no number from 0 to 1, left out", importance)
        name = category_name(as_text(category)) or None
        return None if name is None and weight is None else Stated(name, weight)

    def time(self, value: Any) -> datetime | None:
        """Return a time, or None if it is missing or cannot be read."""
        try:
            return parse_time(value)
        except ValueError:
            self[_BAD_TIME] += 1
            return None


def as_bytes(value: Any) -> bytes:
    """Write a value as JSON; empty if it is too large or nested too deeply."""
    try:
        data = json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")
    except (ValueError, TypeError, RecursionError):
        return b""
    return data if len(data) <= KEPT else b""


def as_object(value: Any) -> Mapping[str, Any]:
    """Return the object, or an empty one."""
    return value if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Any]:
    """Return the list, or an empty one."""
    return value if isinstance(value, list) else []


def as_text(value: Any) -> str:
    """Return the text, or an empty one."""
    return value if isinstance(value, str) else ""


def as_id(value: Any) -> str | None:
    """Return an id, which may be a number, as text; None if there is none."""
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        return None
    return str(value) or None
