"""How readings, and what a person corrected in them, lie in records.

A correction is a record of its own beside the reading's, so that no run that reads meanwhile can
take its place: ask the store for ``ids_of`` the exchanges, and give ``annotations_of`` what it holds.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from unabridged.domain.annotation import USER, Annotation, ExchangeReading, Scheme
from unabridged.domain.record import Record, RecordKind

_CORRECTION = "user-"
"""Before the id of an exchange: the id of the record of what a person corrected in it."""


@dataclass(frozen=True, slots=True)
class Correction:
    """What a person corrected in a message; None for what was left as it is."""

    category: str | None = None
    importance: float | None = None


Corrections = Mapping[str, Correction]
"""The id of a message to what was corrected in it."""


@dataclass(slots=True)
class Judged:
    """What is stored of some exchanges, by their ids.

    Attributes:
        annotations: As they were made, without corrections.
    """

    annotations: dict[str, ExchangeReading] = field(default_factory=dict)
    corrections: dict[str, Corrections] = field(default_factory=dict)


def ids_of(exchanges: Iterable[str]) -> list[str]:
    """The ids of all records that may hold something of exchanges."""
    return [name for each in exchanges for name in (each, _CORRECTION + each)]


def annotations_of(records: Iterable[Record], scheme: Scheme) -> dict[str, ExchangeReading]:
    """The readings under a scheme that records hold, as a person corrected them, by exchange."""
    held = told_apart(records)
    return {
        name: replace(reading, messages=corrected(reading.messages, corrections, scheme))
        for name, reading in held.annotations.items()
        if reading.scheme == scheme.name
        for corrections in (held.corrections.get(name, {}),)
    }


def told_apart(records: Iterable[Record]) -> Judged:
    """Readings and corrections."""
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
    """What ``record_of`` wrote."""
    messages = {name: Annotation(**body) for name, body in record.body["messages"].items()}
    return ExchangeReading(record.id, record.body["scheme"], messages)


def record_of(reading: ExchangeReading, at: datetime) -> Record:
    """The record of the readings of an exchange, as they were made."""
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
    """The record of what a person corrected in an exchange."""
    messages = {
        message: {"category": each.category, "importance": each.importance}
        for message, each in corrections.items()
    }
    name = _CORRECTION + exchange
    return Record(RecordKind.READING, name, at, {"messages": messages}, (exchange,))


def corrected(
    annotations: Mapping[str, Annotation], corrections: Corrections, scheme: Scheme
) -> dict[str, Annotation]:
    """Readings as a person corrected them; a category that the scheme lacks is passed over."""
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
