"""Requirement cards: the stored form of a requirement, and the fields that a person may change."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import msgspec

from unabridged.domain.arguments import checked as checked_argument
from unabridged.domain.fact import FactChange, Requirement
from unabridged.domain.record import Record, RecordKind
from unabridged.errors import InputError
from unabridged.knowledge.read_record import as_body, is_readable, read_leniently
from unabridged.knowledge.statements import PERSON, digest_id, folded, seal_of

TYPES = ("functional", "non-functional", "constraint")
PRIORITIES = ("must", "should", "could", "wont", "")
FIELDS = (
    "text", "type", "rationale", "fit_criterion", "originator", "satisfaction", "dissatisfaction",
    "priority", "conflicts",
)  # fmt: skip
"""The fields that a person may change."""


@dataclass(frozen=True, slots=True)
class Card:
    """A requirement as it is stored.

    Attributes:
        key: The record's id: derived from exchange and words, or new if a person stated it.
        number: Its number among the requirements; two writers may have assigned the same one.
        requirement: The requirement; its id follows from the number.
        seal: For a withdrawn one: a digest that recognises the same words.
    """

    key: str
    number: int
    requirement: Requirement
    seal: str = ""


def name_of(number: int) -> str:
    """Return the id of a requirement by its number."""
    return f"REQ-{number}"


def key_of(exchange: str, quote: str) -> str:
    """Return the record id of a requirement in an exchange: the same in every process."""
    return digest_id(exchange, folded(quote))


def checked(field: str, value: Any) -> Any:
    """Return a value as a field stores it.

    Raises:
        InputError: The field is unknown, or the value is invalid.
    """
    if field not in FIELDS:
        raise InputError(
            f"A requirement has no field {field!r}.", hint=f"Known fields: {', '.join(FIELDS)}."
        )
    if field in ("satisfaction", "dissatisfaction"):
        return _grade(field, value)
    if field == "conflicts":
        named = checked_argument(field, value, str | Sequence[str])
        names = named.split(",") if isinstance(named, str) else named
        return tuple(name.strip().upper() for name in names if name.strip())
    text = " ".join(checked_argument(field, value, str).split())
    choices = {"type": TYPES, "priority": PRIORITIES}.get(field)
    if choices and text not in choices:
        named = ", ".join(choice for choice in choices if choice)
        raise InputError(f"The {field} {text!r} is unknown.", hint=f"Use one of: {named}.")
    if field == "text" and not text:
        raise InputError("A requirement needs a text.", hint="State what is required.")
    return text


def _grade(field: str, value: Any) -> int | None:
    if value in (None, ""):
        return None
    digits = str(checked_argument(field, value, int | str))
    if digits not in {"1", "2", "3", "4", "5"}:
        raise InputError(
            f"The {field} {digits!r} is not a grade.", hint="Use a number from 1 to 5."
        )
    return int(digits)


def with_step(requirement: Requirement, at: datetime, what: str) -> Requirement:
    """Return a requirement with another step of a person in its history."""
    step = FactChange(at, PERSON, what, requirement.text)
    return replace(requirement, history=(*requirement.history, step))


def emptied(card: Card, at: datetime) -> Card:
    """Return what remains of a withdrawn requirement: its id, and no words."""
    old = card.requirement
    steps = tuple(replace(step, text="") for step in old.history)
    bare = Requirement(
        old.id, "", old.at, exchange=old.exchange, by=old.by, withdrawn=True, history=steps
    )
    seal = seal_of(card.key, folded(old.quote or old.text))
    return Card(card.key, card.number, with_step(bare, at, "withdrawn"), seal)


def to_record(card: Card) -> Record:
    """Return the record of a card, with the id of its source exchange.

    Raises:
        InputError: A field has a wrong type: it could not be read again.
    """
    held = card.requirement
    body = {**as_body(held), "number": card.number, "seal": card.seal}
    drawn = (held.exchange,) if held.exchange else ()
    return Record(RecordKind.REQUIREMENT, card.key, held.at, body, drawn)


def from_record(record: Record) -> Card:
    """Read the record that ``to_record`` made.

    Raises:
        KeyError: It is no card.
        ValidationError: A field has a wrong type.
    """
    number = int(record.body["number"])
    requirement = msgspec.convert(_fields_of(record, number), Requirement)
    return Card(record.id, number, requirement, str(record.body["seal"]))


def is_damaged(record: Record) -> bool:
    """Return whether a field of a record is missing or has a wrong type."""
    number, seal = record.body.get("number"), record.body.get("seal")
    whole = isinstance(number, int) and isinstance(seal, str)
    return not (whole and is_readable(_fields_of(record, 0), Requirement))


def read(records: Iterable[Record]) -> list[Card]:
    """Return the cards of records; a field of a wrong type is passed over."""
    cards = []
    for record in records:
        told, seal = record.body.get("number"), record.body.get("seal")
        number = told if isinstance(told, int) else 0
        requirement = read_leniently(_fields_of(record, number), Requirement)
        cards.append(Card(record.id, number, requirement, seal if isinstance(seal, str) else ""))
    return cards


def _fields_of(record: Record, number: int) -> dict[str, Any]:
    return {"text": "", **record.body, "id": name_of(number), "at": record.at}


def numbered(cards: list[Card]) -> list[Card]:
    """Return cards in the order of their numbers; of two equal ones the later gets the next free.

    Every process that sees the same cards numbers them alike.
    """
    order = sorted(cards, key=lambda card: (card.number, card.requirement.at, card.key))
    free = max((card.number for card in cards), default=0) + 1
    taken: set[int] = set()
    result = []
    for card in order:
        number = card.number
        if number in taken:
            number, free = free, free + 1
        taken.add(number)
        named = replace(card.requirement, id=name_of(number))
        result.append(replace(card, number=number, requirement=named))
    return sorted(result, key=lambda card: card.number)
