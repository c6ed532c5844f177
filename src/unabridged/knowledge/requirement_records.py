"""Requirement cards: how a requirement is stored, and what a person may change of it."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import msgspec

from unabridged.domain.fact import FactChange, Requirement
from unabridged.domain.record import Record, RecordKind
from unabridged.errors import InputError
from unabridged.knowledge.statements import PERSON, digest_id, folded, seal_of

TYPES = ("functional", "non-functional", "constraint")
PRIORITIES = ("must", "should", "could", "wont", "")
FIELDS = (
    "text", "type", "rationale", "fit_criterion", "originator", "satisfaction", "dissatisfaction",
    "priority", "conflicts",
)  # fmt: skip
"""What a person may change."""


@dataclass(frozen=True, slots=True)
class Card:
    """A requirement as it is stored.

    Attributes:
        key: The record's id: derived from exchange and words, or fresh where a person gave it.
        number: Its number among the requirements; two writers may have given the same one.
        requirement: It; its id follows from the number.
        seal: Once it was withdrawn: what recognises its like.
    """

    key: str
    number: int
    requirement: Requirement
    seal: str = ""


def name_of(number: int) -> str:
    """The id of a requirement by its number."""
    return f"REQ-{number}"


def key_of(exchange: str, quote: str) -> str:
    """The record's id of a requirement that an exchange states: the same in every process."""
    return digest_id(exchange, folded(quote))


def checked(field: str, value: Any) -> Any:
    """A value as a field takes it.

    Raises:
        InputError: The field is unknown, or cannot take it.
    """
    if field not in FIELDS:
        raise InputError(
            f"A requirement has no field {field!r}.", hint=f"Known: {', '.join(FIELDS)}."
        )
    if field in ("satisfaction", "dissatisfaction"):
        return _grade(field, value)
    if field == "conflicts":
        names = value.split(",") if isinstance(value, str) else list(value)
        return tuple(name.strip().upper() for name in names if name.strip())
    text = " ".join(str(value).split())
    choices = {"type": TYPES, "priority": PRIORITIES}.get(field)
    if choices and text not in choices:
        named = ", ".join(choice for choice in choices if choice)
        raise InputError(f"The {field} {text!r} is unknown.", hint=f"Give one of {named}.")
    if field == "text" and not text:
        raise InputError("A requirement needs a text.", hint="Say what must be.")
    return text


def _grade(field: str, value: Any) -> int | None:
    if value in (None, ""):
        return None
    digits = str(value)
    if digits not in {"1", "2", "3", "4", "5"}:
        raise InputError(f"The {field} {digits!r} is no grade.", hint="Give 1 to 5.")
    return int(digits)


def with_step(requirement: Requirement, at: datetime, what: str) -> Requirement:
    """A requirement with one more step of a person in its history."""
    step = FactChange(at, PERSON, what, requirement.text)
    return replace(requirement, history=(*requirement.history, step))


def emptied(card: Card, at: datetime) -> Card:
    """What remains of a requirement that a person takes back: its id, and no words."""
    old = card.requirement
    steps = tuple(replace(step, text="") for step in old.history)
    bare = Requirement(
        old.id, "", old.at, exchange=old.exchange, by=old.by, withdrawn=True, history=steps
    )
    seal = seal_of(card.key, folded(old.quote or old.text))
    return Card(card.key, card.number, with_step(bare, at, "withdrawn"), seal)


def to_record(card: Card) -> Record:
    """A card as it is stored; it names the exchange that it was drawn from."""
    held = card.requirement
    body = {**msgspec.to_builtins(held), "number": card.number, "seal": card.seal}
    drawn = (held.exchange,) if held.exchange else ()
    return Record(RecordKind.REQUIREMENT, card.key, held.at, body, drawn)


def from_record(record: Record) -> Card:
    """Read what ``to_record`` gave.

    Raises:
        KeyError: It is no card.
    """
    number = int(record.body["number"])
    given = {**record.body, "id": name_of(number), "at": record.at}
    return Card(record.id, number, msgspec.convert(given, Requirement), str(record.body["seal"]))


def numbered(cards: list[Card]) -> list[Card]:
    """Cards in the order of their numbers; where two have one, the later one takes the next free.

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
