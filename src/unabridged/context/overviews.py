"""Condensations of whole conversations, for messages that ask for an overview."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from unabridged.budget.count import Counter
from unabridged.context.recall_block import as_line, date_of
from unabridged.domain.condensation import Condensation, Level

SHARE = 0.6
"""Of what is left of memory: the most that overviews may take."""


@dataclass(frozen=True, slots=True)
class Overview:
    """A condensation as it is in the recall block.

    Attributes:
        text: The block, markup included.
        drawn: The source exchanges of its words.
        tokens: What it takes.
        at: The date of the first of them.
    """

    id: str
    text: str
    drawn: tuple[str, ...]
    tokens: int
    session: str
    reason: str
    at: datetime


def choose_overviews(
    condensations: Sequence[Condensation], counter: Counter, room: int
) -> tuple[Overview, ...]:
    """Choose condensations of conversations, best first, within their share of the room."""
    left = int(SHARE * room)
    taken: list[Overview] = []
    for one in condensations:
        overview = overview_of(one, counter)
        if overview.tokens <= left:
            taken.append(overview)
            left -= overview.tokens
    return tuple(taken)


def overview_of(one: Condensation, counter: Counter) -> Overview:
    """Return a condensation in its form for the recall block."""
    said = "1 exchange" if len(one.covers) == 1 else f"{len(one.covers)} exchanges"
    what = "an earlier session" if one.level is Level.CONVERSATION else "several sessions"
    begun, ended = date_of(one.since), date_of(one.until)
    date = begun if begun == ended else f"{begun} to {ended}"
    lines = [f'<recalled-summary date="{date}" from="{what}" note="{said}, condensed; {one.id}">']
    for line in one.lines:
        who = line.role.value if line.role else "summary"
        lines.append(f"{who}: {as_line(line.text)}")
    text = "\n".join([*lines, "</recalled-summary>\n"])
    drawn = tuple(dict.fromkeys(line.exchange for line in one.lines if line.exchange))
    if any(line.role is None for line in one.lines):
        drawn = one.covers
    reason = f"an overview of {said}"
    return Overview(one.id, text, drawn, counter.text(text), one.session, reason, one.since)


def overview_words(body: Mapping[str, Any]) -> str:
    """Return the words of a block, without frame and roles; empty if a body is not a block."""
    lines = str(body.get("block", "")).splitlines()[1:-1]
    return " ".join(line.partition(": ")[2] for line in lines)


def overview_to_data(overview: Overview) -> Mapping[str, Any]:
    """Return a block as plain data: the body of its record."""
    return {"block": overview.text}
