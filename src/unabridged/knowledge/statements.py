"""Statements: what was said once, as it is stored; never changed, except that a person pins or withdraws.

Facts are not stored: ``merge`` derives them from the statements whenever these changed. So a
statement that goes (its exchange was forgotten) takes with it what it superseded, and no more.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import lru_cache
from hashlib import blake2b

import msgspec

from unabridged.domain.exchange import Exchange
from unabridged.domain.fact import SELF, FactChange
from unabridged.domain.record import Record, RecordKind
from unabridged.language.words import fold, words

GONE = "~"
"""Before the id of the record that remains of a withdrawn statement. The statement's own record goes,
so that a prompt that carried it knows that it is gone."""
PERSON = "user"
"""By whom a statement is that a person gave."""
_ALWAYS = frozenset(("text", "pinned", "exchange", "by"))
_APART = ("id", "since", "sources")
"""Fields that a record does not hold in its body."""
_ARTICLES = frozenset(
    "a an the my our der die das ein eine el la los las un una le les une".split()
)


@dataclass(frozen=True, slots=True)
class Statement:
    """What was said once.

    Attributes:
        id: Derived from exchange, subject, attribute, value and quote; fresh where a person gave it.
        text: As people and prompts read it; empty once it was withdrawn.
        since: When it was said.
        attribute: What of them; empty for free words.
        place: Where in the message the quote begins, in characters: of two in one message the later
            one may correct the earlier one.
        corrects: Whether it says itself that it takes the place of what was said before.
        replaces: The id of the statement that a person's edit takes the place of.
        aliases: Other words by which people ask for it.
        sources: Exchanges whose words it holds though a person gave it: it was edited from these.
        seal: Once it was withdrawn: what recognises its like without its words.
        changes: What a person did to it, without words: when, who and what.
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
        attribute: What of the subject.
        value: What it is.
        quote: The words that say so.
        text: As people and prompts read it; empty to take the quote.
        subject: Whom it is about.
        place: Where in the message the quote begins.
        corrects: Whether it says itself that it takes the place of what was said before.
    """

    attribute: str
    value: str
    quote: str
    text: str = ""
    subject: str = SELF
    place: int = 0
    corrects: bool = False


def tied(drawn: ExtractedStatement, exchange: Exchange, by: str) -> Statement | None:
    """Tie what was drawn to the exchange; None where its words do not stand there, word for word."""
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
    """The id of a statement that was drawn from an exchange: the same in every process."""
    return digest_id(statement.exchange or "", *key(statement), statement.quote)


def digest_id(*parts: str) -> str:
    """An id that follows from texts."""
    return blake2b(_joined(parts), digest_size=10).hexdigest()


def _joined(parts: Iterable[str]) -> bytes:
    return "\x1f".join(parts).encode("utf-8", "replace")


def key(statement: Statement) -> tuple[str, str, str]:
    """What two statements share that say the same: subject, attribute and value, folded."""
    value = statement.value or statement.text
    return folded(statement.subject), folded(statement.attribute), folded(value)


@lru_cache(maxsize=65536)
def folded(text: str) -> str:
    """A value as values are compared: folded, without articles and punctuation."""
    found = words(fold(text))
    telling = [word for word in found if word not in _ARTICLES]
    return " ".join(telling or found)


def seal_of(salt: str, *parts: str) -> str:
    """What recognises the like of something withdrawn without holding its words: a salted digest."""
    return f"{salt}:{blake2b(_joined((salt, *parts)), digest_size=16).hexdigest()}"


def is_sealed(seals: Iterable[str], *parts: str) -> bool:
    """Whether these are the parts of something that was withdrawn."""
    return any(seal_of(seal.partition(":")[0], *parts) == seal for seal in seals)


def withdrawn(statement: Statement, at: datetime) -> Statement:
    """What remains of a statement that a person takes back: that there was one, and no words."""
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
    """A statement that a person pins or unpins."""
    steps = (*statement.changes, FactChange(at, PERSON, what, ""))
    return replace(statement, pinned=pinned, changes=steps)


def to_record(statement: Statement) -> Record:
    """A statement as it is stored, without what is empty; it names the exchange it was drawn from."""
    empty = msgspec.to_builtins(Statement("", "", statement.since))
    given = msgspec.to_builtins(statement).items()
    body = {name: v for name, v in given if name in _ALWAYS or v != empty[name]}
    for name in _APART:
        body.pop(name, None)
    drawn = (*((statement.exchange,) if statement.exchange else ()), *statement.sources)
    name = f"{GONE}{statement.id}" if statement.withdrawn else statement.id
    return Record(RecordKind.FACT, name, statement.since, body, drawn)


def from_record(record: Record) -> Statement:
    """Read what ``to_record`` gave, and pins: text, pinned, exchange."""
    own = {
        "id": record.id.removeprefix(GONE),
        "since": record.at,
        "sources": tuple(n for n in record.exchanges if n != record.body.get("exchange")),
    }
    return msgspec.convert({"text": "", **record.body, **own}, Statement)


def read(records: Iterable[Record]) -> dict[str, Statement]:
    """Statements by their ids; what is left of a withdrawn one stands for it."""
    found = [from_record(record) for record in records]
    return {s.id: s for s in sorted(found, key=lambda s: s.withdrawn is not None)}
