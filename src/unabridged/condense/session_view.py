"""The condensed view of a session, and its record.

One record holds all condensations of a session, or of a period, so that a run replaces them as a
whole. If two programs condense at once, the work of one stays, never a mixture.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import msgspec

from unabridged.domain.condensation import Coherence, Condensation, Level, Line
from unabridged.domain.message import Role
from unabridged.domain.record import Record, RecordKind

VERSION = 1
PERIOD = "period-"
"""The prefix of a period's record id; a year and month follow: ``period-2026-05``."""


def name_of(session: str) -> str:
    """Return the record id of a session: the session's own id, unless that could be a period's."""
    return f"={session}" if session.startswith((PERIOD, "=")) else session


@dataclass(frozen=True, slots=True)
class SessionView:
    """The condensations of one session, or of one period.

    Attributes:
        id: The id of the session's record, or of the period's.
        upto: The last exchange that a run examined; empty before the first run.
        tokens: Tokens of the view up to there after that run.
        head: The session's last message when the whole was condensed; empty before.
    """

    id: str
    condensations: tuple[Condensation, ...] = ()
    upto: str = ""
    tokens: int = 0
    head: str = ""
    coherence: Coherence | None = None

    def at(self, level: Level) -> tuple[Condensation, ...]:
        """Return the condensations of a level."""
        return tuple(one for one in self.condensations if one.level is level)

    def condensed(self) -> dict[tuple[str, int], Condensation]:
        """Return message to the condensation that replaces it, at the level of exchanges."""
        return {key: one for one in self.at(Level.EXCHANGES) for key in one.messages}

    def sentences(self) -> dict[tuple[str, int], tuple[int, ...]]:
        """Return message to the sentences that replace it; none if its words were left out.

        Messages that a model condensed are missing: its words are not sentences of theirs.
        """
        found: dict[tuple[str, int], tuple[int, ...]] = {}
        for one in self.at(Level.EXCHANGES):
            if all(line.role is not None for line in one.lines):
                found |= dict.fromkeys(one.messages, ())
                found |= {(line.exchange, line.index): line.sentences for line in one.lines}
        return found

    def replaced(self, level: Level, made: Sequence[Condensation]) -> "SessionView":
        """Return the view with other condensations at a level."""
        others = tuple(one for one in self.condensations if one.level is not level)
        return replace(self, condensations=(*others, *made))


def condensation_id(
    level: Level, owner: str, covers: Sequence[object], texts: Sequence[str]
) -> str:
    """Return an id from the sources and text of a condensation: the same run gives the same id."""
    said = json.dumps([level, owner, list(covers), list(texts)], ensure_ascii=True)
    return "c-" + hashlib.sha256(said.encode("ascii")).hexdigest()[:10]


def record_of(view: SessionView, at: datetime) -> Record:
    """Return the record that stores a view."""
    drawn = dict.fromkeys(name for one in view.condensations for name in one.covers)
    body = {
        "version": VERSION,
        "upto": view.upto,
        "tokens": view.tokens,
        "head": view.head,
        "coherence": msgspec.to_builtins(view.coherence),
        "condensations": [_to_data(one) for one in view.condensations],
    }
    return Record(RecordKind.CONDENSATION, view.id, at, body, tuple(drawn))


def view_of(record: Record) -> SessionView:
    """Read the record that ``record_of`` made; one of another version is an empty view."""
    body = record.body
    if body.get("version") != VERSION:
        return SessionView(record.id)
    return SessionView(
        id=record.id,
        condensations=tuple(map(_from_data, body["condensations"])),
        upto=body["upto"],
        tokens=body["tokens"],
        head=body["head"],
        coherence=msgspec.convert(body["coherence"], Coherence | None),
    )


def _to_data(one: Condensation) -> dict[str, Any]:
    places = {name: place for place, name in enumerate(one.covers)}
    messages = [[places[name], index] for name, index in one.messages]
    lines = [line_to_data(line) for line in one.lines]
    return {**msgspec.to_builtins(one), "lines": lines, "messages": messages}


def _from_data(data: Mapping[str, Any]) -> Condensation:
    lines = tuple(map(line_from_data, data["lines"]))
    messages = tuple((data["covers"][place], index) for place, index in data["messages"])
    return msgspec.convert({**data, "lines": lines, "messages": messages}, Condensation)


def line_to_data(line: Line) -> list[Any]:
    """Return a line as plain data."""
    role = line.role.value if line.role else ""
    return [line.text, line.exchange, line.index, role, list(line.sentences)]


def line_from_data(data: Sequence[Any]) -> Line:
    """Read the data that ``line_to_data`` made."""
    text, exchange, index, role, sentences = data
    return Line(text, exchange, index, Role(role) if role else None, tuple(sentences))
