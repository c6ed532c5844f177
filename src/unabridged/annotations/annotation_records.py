"""Annotations as records, and what was stated of messages.

What an imported file gave and what a person corrected are separate records, over the annotations:
no run replaces them, under any scheme. A person's correction is over what a file gave. Load the
records of ``ids_of``, then call ``annotations_of``.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from unabridged.domain.annotation import FILE, USER, Annotation, ExchangeReading, Scheme, Stated
from unabridged.domain.record import Record, RecordKind

_AUTHORS = (FILE, USER)
"""Authors of statements, the later over the earlier; a record's id is ``AUTHOR-EXCHANGE``."""

Statements = Mapping[str, Stated]
"""Message id to what was stated of it."""


@dataclass(slots=True)
class Judged:
    """What is stored of some exchanges, by their ids.

    Attributes:
        annotations: As they were made, without statements.
        stated: Statements by their author and exchange.
    """

    annotations: dict[str, ExchangeReading] = field(default_factory=dict)
    stated: dict[tuple[str, str], Statements] = field(default_factory=dict)

    def said(self, author: str, exchange: str) -> Statements:
        """Return what an author stated of the messages of an exchange."""
        return self.stated.get((author, exchange), {})

    def with_stated(self, reading: ExchangeReading, scheme: Scheme) -> ExchangeReading:
        """Return annotations with everything that was stated of them."""
        messages = reading.messages
        for author in _AUTHORS:
            messages = _stated_over(messages, self.said(author, reading.exchange), scheme, author)
        return replace(reading, messages=messages)


def ids_of(exchanges: Iterable[str]) -> list[str]:
    """Return the ids of all records that may exist for exchanges."""
    return [
        name
        for each in exchanges
        for name in (each, *(_stated_id(author, each) for author in _AUTHORS))
    ]


def annotations_of(records: Iterable[Record], scheme: Scheme) -> dict[str, ExchangeReading]:
    """Return the annotations under a scheme from records, with what was stated, by exchange."""
    held = told_apart(records)
    return {
        name: held.with_stated(reading, scheme)
        for name, reading in held.annotations.items()
        if reading.scheme == scheme.name
    }


def told_apart(records: Iterable[Record]) -> Judged:
    """Split records into annotations and statements."""
    held = Judged()
    for record in records:
        author, dash, exchange = record.id.partition("-")
        if dash and author in _AUTHORS:
            messages: Mapping[str, Any] = record.body["messages"]
            held.stated[author, exchange] = {
                message: Stated(**each) for message, each in messages.items()
            }
        else:
            held.annotations[record.id] = annotation_of(record)
    return held


def annotation_of(record: Record) -> ExchangeReading:
    """Read the record that ``record_of`` made."""
    messages = {name: Annotation(**body) for name, body in record.body["messages"].items()}
    return ExchangeReading(record.id, record.body["scheme"], messages)


def record_of(reading: ExchangeReading, at: datetime) -> Record:
    """Return the record of an exchange's annotations, as they were made."""
    messages = {message: _body(each) for message, each in reading.messages.items()}
    body = {"scheme": reading.scheme, "messages": messages}
    return Record(RecordKind.READING, reading.exchange, at, body, (reading.exchange,))


def _body(reading: Annotation) -> dict[str, Any]:
    return {
        "category": reading.category,
        "importance": round(reading.importance, 3),
        "valence": round(reading.valence, 3),
        "intensity": round(reading.intensity, 3),
        "by": reading.by,
        "scores": {name: round(score, 3) for name, score in reading.scores.items()},
    }


def statement_record(author: str, exchange: str, stated: Statements, at: datetime) -> Record:
    """Return the record of what an author, ``FILE`` or ``USER``, stated of an exchange."""
    messages = {
        message: {"category": each.category, "importance": each.importance}
        for message, each in stated.items()
    }
    name = _stated_id(author, exchange)
    return Record(RecordKind.READING, name, at, {"messages": messages}, (exchange,))


def _stated_id(author: str, exchange: str) -> str:
    return f"{author}-{exchange}"


def _stated_over(
    annotations: Mapping[str, Annotation], stated: Statements, scheme: Scheme, author: str
) -> Mapping[str, Annotation]:
    names = {each.name for each in scheme.categories}
    found = dict(annotations)
    for message, each in stated.items():
        # A person chose from a scheme; a file's category is shown although the scheme lacks it.
        category = each.category if author == FILE or each.category in names else None
        importance = each.importance
        if message not in found or (category is None and importance is None):
            continue
        if importance is None and category in names:
            importance = scheme.category(category or "").importance
        before = found[message]
        found[message] = replace(
            before,
            category=category or before.category,
            importance=before.importance if importance is None else importance,
            by=author,
        )
    return found
