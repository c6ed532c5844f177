"""Time expressions in a question, as soft ranges for the dates of exchanges.

These are own tables and patterns because we need ranges ("last month"), and dateparser and
dateutil return points (dateparser's issue 262 is open since 2017). They also take milliseconds
and further packages, and read "may" or "sun" as dates; parsedatetime reads English only.

Nothing here reads a clock. A week begins on Monday. Future times give no range, since no
exchange is in the future.
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING

from unabridged.retrieval.time.modifiers import joined
from unabridged.retrieval.time.ranges import TimeRange, compiled
from unabridged.retrieval.time.rules import RULES
from unabridged.retrieval.time.words import EARLIEST, LATEST

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

READ = 600
"""Characters to read at either end of a long message; pasted text asks for no time."""

LATE = 2.0
"""How much softer a span ends than it begins: people report events afterwards."""


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """A time that a question names.

    Attributes:
        since: Its start, with the zone of ``now``.
        until: Its end, never before ``since``.
        slack: The distance at which closeness falls to 1/e; after its end, ``LATE`` times that.
        certainty: How sure it is that this time is meant, 0 to 1.
        text: Its words, folded.
    """

    since: datetime
    until: datetime
    slack: timedelta
    certainty: float
    text: str


class Order(StrEnum):
    """Which end of the past a question asks for."""

    EARLIEST = "earliest"
    LATEST = "latest"


def spans(text: str, now: datetime) -> list[TimeSpan]:
    """Find the times that a question names, in the order of their words.

    An ambiguous one is returned more than once (``12/05/2023`` as the twelfth of May and as the
    fifth of December). Durations, counts ("how many days ago …"), future times and times relative to
    something unknown ("two weeks before my birthday") are not returned.

    Args:
        text: The question; of a long one only the ends are read.
        now: The time that it is relative to; naive times are taken as UTC.
    """
    now = now if now.tzinfo else now.replace(tzinfo=UTC)
    edges = text if len(text) <= 2 * READ else f"{text[:READ]}\n{text[-READ:]}"
    flat = _flat(edges)
    found = [
        one
        for gate, rules in RULES
        if compiled(gate).search(flat)
        for pattern, rule in rules
        for m in compiled(pattern).finditer(flat)
        for one in rule(m, edges, now)
    ]
    return [
        TimeSpan(
            one.since,
            max(one.since, min(one.until, now)),
            timedelta(days=one.slack),
            one.certainty,
            flat[one.start : one.end],
        )
        for one in joined(_firmest(_longest(found)), flat, now)
        if one.since <= now
    ]


def closeness(found: Sequence[TimeSpan], at: "NDArray[np.float64]") -> "NDArray[np.float64]":
    """Return how near times are to the nearest span.

    Args:
        found: Spans; without any, everything is at 0.
        at: Seconds since 1970.

    Returns:
        For each time, the greatest of ``certainty · exp(−distance / slack)``: inside a span its
        certainty, outside it falling softly towards 0.
    """
    import numpy as np  # noqa: PLC0415 - heavy: only questions about a time need it

    best = np.zeros(at.shape, dtype=np.float64)
    for span in found:
        slack = max(1.0, span.slack.total_seconds())
        early = np.maximum(span.since.timestamp() - at, 0.0) / slack
        late = np.maximum(at - span.until.timestamp(), 0.0) / (slack * LATE)
        np.maximum(best, span.certainty * np.exp(-(early + late)), out=best)
    return best


def order_hint(text: str) -> Order | None:
    """Return whether a question asks for the earliest or the latest, or neither.

    "Which did I do first, A or B?" compares two known things and is no hint.
    """
    flat = _flat(text if len(text) <= READ else text[-READ:])
    if compiled(_LATEST).search(flat):
        return Order.LATEST
    return (
        Order.EARLIEST
        if compiled(_EARLIEST).search(flat) and not compiled(_CHOICE).search(flat)
        else None
    )


_EARLIEST = rf"\b(?:{'|'.join(EARLIEST)})\b"
_LATEST = rf"\b(?:{'|'.join(LATEST)})\b"
_CHOICE = r"\bfirst\b[^?]*,[^?]*\bor\b|\bwhich\b[^?]*\bfirst\b"


def _flat(text: str) -> str:
    # Fold each character by itself, so that positions stay.
    if text.isascii():
        return text.lower()
    return "".join(map(_bare, text))


@lru_cache(maxsize=4096)
def _bare(character: str) -> str:
    if character in "’‘`´":
        return "'"
    small = unicodedata.normalize("NFKD", character)[:1].lower()
    return small if len(small) == 1 else character


def _longest(found: list[TimeRange]) -> list[TimeRange]:
    kept: list[TimeRange] = []
    for one in sorted(set(found), key=lambda f: (f.start - f.end, f.start, _rank(f))):
        if all(
            one.end <= k.start or k.end <= one.start or (one.start, one.end) == (k.start, k.end)
            for k in kept
        ):
            kept.append(one)
    return sorted(kept, key=lambda f: (f.start, _rank(f)))


def _rank(one: TimeRange) -> tuple[float, float, float, float]:
    # The surest first; the other keys make the order independent of hashes.
    return -one.certainty, one.since.timestamp(), one.until.timestamp(), one.slack


def _firmest(found: list[TimeRange]) -> list[TimeRange]:
    return [one for one in found if one.anchor] or found
