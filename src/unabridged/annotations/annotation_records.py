"""Annotations and their corrections as records.

A correction is a separate record, so that a run in progress cannot replace it. Load the records of
``ids_of``, then call ``annotations_of``.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from unabridged.domain.annotation import USER, Annotation, ExchangeReading, Scheme
from unabridged.domain.record import Record, RecordKind

_CORRECTION = "user-"
"""The prefix of a correction's record id; the id of the exchange follows."""


@dataclass(frozen=True, slots=True)
class Correction:
    """A person's correction of a message; None for a field that was left as it is."""

    category: str | None = None
    importance: float | None = None


Corrections = Mapping[str, Correction]
"""Message id to correction."""


@dataclass(slots=True)
class Judged:
    """What is stored of some exchanges, by their ids.

    Attributes:
        annotations: As they were made, without corrections.
    """

    annotations: dict[str, ExchangeReading] = field(default_factory=dict)
    corrections: dict[str, Corrections] = field(default_factory=dict)


def ids_of(exchanges: Iterable[str]) -> list[str]:
    """Return the ids of all records that may exist for exchanges."""
    return [name for each in exchanges for name in (each, _CORRECTION + each)]


def annotations_of(records: Iterable[Record], scheme: Scheme) -> dict[str, ExchangeReading]:
    """Return the corrected annotations under a scheme from records, by exchange."""
    held = told_apart(records)
    return {
        name: replace(reading, messages=corrected(reading.messages, corrections, scheme))
        for name, reading in held.annotations.items()
        if reading.scheme == scheme.name
        for corrections in (held.corrections.get(name, {}),)
    }


def told_apart(records: Iterable[Record]) -> Judged:
    """Split records into annotations and corrections."""
    held = Judged()
    for record in records:
        if record.id.startswith(_CORRECTION):
            messages: Mapping[str, Any] = record.body["messages"]
            held.corrections[record.id.removeprefix(_CORRECTION)] = {
                message: Correction(**each) for message, each in messages.items()
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


def correction_record(exchange: str, corrections: Corrections, at: datetime) -> Record:
    """Return the record of an exchange's corrections."""
    messages = {
        message: {"category": each.category, "importance": each.importance}
        for message, each in corrections.items()
    }
    name = _CORRECTION + exchange
    return Record(RecordKind.READING, name, at, {"messages": messages}, (exchange,))


def corrected(
    annotations: Mapping[str, Annotation], corrections: Corrections, scheme: Scheme
) -> dict[str, Annotation]:
    """Apply corrections to annotations; ignore a category that the scheme lacks."""
    names = {each.name for each in scheme.categories}
    found = dict(annotations)
    for message, each in corrections.items():
        category = each.category if each.category in names else None
        importance = each.importance
        if message not in found or (category is None and importance is None):
            continue
        if importance is None and category is not None:
            importance = scheme.category(category).importance
        before = found[message]
        found[message] = replace(
            before,
            category=category or before.category,
            importance=before.importance if importance is None else importance,
            by=USER,
        )
    return found
