"""Statements: stored once and never changed, except that a person pins or withdraws them.

Facts are not stored: ``resolve_facts`` derives them from the statements whenever these change. So
forgetting an exchange removes its statement and what that superseded, and nothing else.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import lru_cache
from hashlib import blake2b
from typing import Any

import msgspec

from unabridged.domain.exchange import Exchange
from unabridged.domain.fact import SELF, FactChange
from unabridged.domain.record import Record, RecordKind
from unabridged.knowledge.read_record import as_body, is_readable, read_leniently
from unabridged.language.words import fold, words

GONE = "~"
"""The prefix of the record id of a withdrawn statement. Its own record is removed, so that a prompt
that carried it can tell that it is gone.
"""
PERSON = "user"
"""The author of statements from a person."""
_ALWAYS = frozenset(("text", "pinned", "exchange", "by"))
_APART = ("id", "since", "sources")
"""Fields that a record does not hold in its body."""
_ARTICLES = frozenset(
    "a an the my our der die das ein eine el la los las un una le les une".split()
)


@dataclass(frozen=True, slots=True)
class Statement:
    """A single statement.

    Attributes:
        id: Derived from exchange, subject, attribute, value and quote; new if a person stated it.
        text: The text for people and prompts; empty once it was withdrawn.
        since: When it was said.
        attribute: What about the subject; empty for free text.
        place: Where in the message the quote begins, in characters: of two in one message the later
            one may correct the earlier one.
        corrects: Whether its words say that it replaces something said before.
        replaces: The id of the statement that a person's edit replaces.
        aliases: Other words by which people ask for it.
        sources: Exchanges whose words an edit by a person still contains.
        seal: For a withdrawn one: a digest that recognises the same statement without its words.
        changes: A person's changes, without words: when, who and what.
    """

    id: str
    text: str
    since: datetime
    subject: str = SELF
    attribute: str = ""
    value: str = ""
    quote: str = ""
    exchange: str | None = None
    by: str = PERSON
    place: int = 0
    corrects: bool = False
    pinned: bool = False
    replaces: str | None = None
    aliases: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    withdrawn: datetime | None = None
    seal: str = ""
    changes: tuple[FactChange, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class ExtractedStatement:
    """A statement before it is tied to its exchange.

    Attributes:
        attribute: What about the subject.
        value: The value.
        quote: Its words in the source.
        text: The text for people and prompts; empty to use the quote.
        subject: Who it is about.
        place: Where in the message the quote begins.
        corrects: Whether its words say that it replaces something said before.
    """

    attribute: str
    value: str
    quote: str
    text: str = ""
    subject: str = SELF
    place: int = 0
    corrects: bool = False


def tied(drawn: ExtractedStatement, exchange: Exchange, by: str) -> Statement | None:
    """Tie an extracted statement to its exchange; None if its quote is not there word for word."""
    if not drawn.quote.strip() or drawn.quote not in exchange.user.text:
        return None
    statement = Statement(
        id="",
        text=drawn.text or drawn.quote,
        since=exchange.at,
        subject=drawn.subject,
        attribute=drawn.attribute,
        value=drawn.value,
        quote=drawn.quote,
        exchange=exchange.id,
        by=by,
        place=drawn.place,
        corrects=drawn.corrects,
    )
    return replace(statement, id=derived_id(statement))


def derived_id(statement: Statement) -> str:
    """Return the id of a statement from an exchange: the same in every process."""
    return digest_id(statement.exchange or "", *key(statement), statement.quote)


def digest_id(*parts: str) -> str:
    """Return an id that follows from texts."""
    return blake2b(_joined(parts), digest_size=10).hexdigest()


def _joined(parts: Iterable[str]) -> bytes:
    return "\x1f".join(parts).encode("utf-8", "replace")


def key(statement: Statement) -> tuple[str, str, str]:
    """Return the key of equal statements: subject, attribute and value, folded."""
    value = statement.value or statement.text
    return folded(statement.subject), folded(statement.attribute), folded(value)


@lru_cache(maxsize=8192)
def folded(text: str) -> str:
    """Return a value as values are compared: folded, without articles and punctuation."""
    found = words(fold(text))
    telling = [word for word in found if word not in _ARTICLES]
    return " ".join(telling or found)


def seal_of(salt: str, *parts: str) -> str:
    """Return a salted digest that recognises a withdrawn statement without its words."""
    return f"{salt}:{blake2b(_joined((salt, *parts)), digest_size=16).hexdigest()}"


def is_sealed(seals: Iterable[str], *parts: str) -> bool:
    """Return whether these are the parts of something withdrawn."""
    return any(seal_of(seal.partition(":")[0], *parts) == seal for seal in seals)


def withdrawn(statement: Statement, at: datetime) -> Statement:
    """Return what remains of a withdrawn statement: that there was one, and no words."""
    return Statement(
        id=statement.id,
        text="",
        since=statement.since,
        exchange=statement.exchange,
        by=statement.by,
        place=statement.place,
        withdrawn=at,
        seal=seal_of(statement.id, *key(statement)),
        changes=(*statement.changes, FactChange(at, PERSON, "withdrawn", "")),
    )


def changed(statement: Statement, at: datetime, what: str, *, pinned: bool) -> Statement:
    """Return a statement that a person pins or unpins."""
    steps = (*statement.changes, FactChange(at, PERSON, what, ""))
    return replace(statement, pinned=pinned, changes=steps)


def to_record(statement: Statement) -> Record:
    """Return the record of a statement, without empty fields, with its source exchange's id.

    Raises:
        InputError: A field has a wrong type: it could not be read again.
    """
    empty = msgspec.to_builtins(Statement("", "", statement.since))
    given = as_body(statement).items()
    body = {name: v for name, v in given if name in _ALWAYS or v != empty[name]}
    for name in _APART:
        body.pop(name, None)
    drawn = (*((statement.exchange,) if statement.exchange else ()), *statement.sources)
    name = f"{GONE}{statement.id}" if statement.withdrawn else statement.id
    return Record(RecordKind.FACT, name, statement.since, body, drawn)


def from_record(record: Record) -> Statement:
    """Read the records of ``to_record``, and pins: text, pinned, exchange.

    Raises:
        ValidationError: A field has a wrong type.
    """
    return msgspec.convert(_fields_of(record), Statement)


def is_damaged(record: Record) -> bool:
    """Return whether a field of a record has a wrong type."""
    return not is_readable(_fields_of(record), Statement)


def _fields_of(record: Record) -> dict[str, Any]:
    own = {
        "id": record.id.removeprefix(GONE),
        "since": record.at,
        "sources": tuple(n for n in record.exchanges if n != record.body.get("exchange")),
    }
    return {"text": "", **record.body, **own}


def read(records: Iterable[Record]) -> dict[str, Statement]:
    """Return statements by id; what is left of a withdrawn one replaces it.

    A field of a wrong type is passed over.
    """
    found = [read_leniently(_fields_of(record), Statement) for record in records]
    return {s.id: s for s in sorted(found, key=lambda s: s.withdrawn is not None)}
