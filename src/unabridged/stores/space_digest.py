"""A digest over what a space holds, the same in every store.

Each session header, exchange and record has a SHA-256 of its canonical form: JSON (as ``codec.pack``
writes it) of its fields in a fixed order, mappings by key, times as microseconds since 1970. The
digest of a space is, for each of the three, their number and their sum modulo 2^256: so it does not
depend on the order in which a store gives them, and takes no memory. It tells whether a copy is
whole; against somebody who means to deceive stands the chain of a session, not this.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

from unabridged.domain.exchange import Exchange
from unabridged.domain.message import Message, part_to_dict
from unabridged.domain.record import Record, RecordKind
from unabridged.domain.session import Session
from unabridged.ports import Store
from unabridged.stores.json_codec import pack

PAGE = 200
"""Exchanges that are read at once."""
_WRAP = 1 << 256
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


@dataclass(slots=True)
class Sum:
    """The digest of values of one kind, in any order.

    Attributes:
        count: How many were added.
        value: The sum of their digests.
    """

    count: int = 0
    value: int = 0

    def add(self, plain: Any) -> None:
        """Add a value as plain data."""
        self.count += 1
        self.value = (self.value + int.from_bytes(sha256(pack(plain)).digest())) % _WRAP

    @property
    def text(self) -> str:
        """The number and the sum, as text."""
        return f"{self.count}:{self.value:064x}"


@dataclass(slots=True)
class Digest:
    """The digest of a space, or of a part of it.

    Attributes:
        sessions: That of the headers.
        exchanges: That of the exchanges with their messages.
        records: That of the records.
    """

    sessions: Sum = field(default_factory=Sum)
    exchanges: Sum = field(default_factory=Sum)
    records: Sum = field(default_factory=Sum)

    def add(self, value: Session | Exchange | Record) -> None:
        """Add something that the space holds."""
        match value:
            case Session():
                self.sessions.add(session_data(value))
            case Exchange():
                self.exchanges.add(exchange_data(value))
            case Record():
                self.records.add(record_data(value))

    @property
    def value(self) -> str:
        """All of it as 64 hex digits."""
        parts = (self.sessions, self.exchanges, self.records)
        return sha256("\n".join(part.text for part in parts).encode()).hexdigest()


def digest_of(
    store: Store,
    *,
    moved: Callable[[int], None] = lambda _: None,
    without: Iterable[RecordKind] = (),
) -> Digest:
    """Read a whole space, page by page, and give its digest.

    Args:
        store: The space.
        moved: Told how many exchanges were read.
        without: Kinds of records that are left out.

    Raises:
        StoreDamagedError: Something in it is not what was written.
    """
    found = Digest()
    for session in store.sessions():
        found.add(session)
    after: str | None = None
    while page := store.scan(after, PAGE):
        for exchange in page:
            found.add(exchange)
        after = page[-1].id
        moved(found.exchanges.count)
    for kind in RecordKind:
        if kind not in set(without):
            for record in store.records(kind):
                found.add(record)
    return found


def session_data(session: Session) -> list[Any]:
    """A header as plain data."""
    return [
        session.id,
        session.title,
        _time(session.created),
        _time(session.updated),
        session.head,
        session.source,
        session.foreign_id,
        None if session.archived is None else _time(session.archived),
    ]


def exchange_data(exchange: Exchange) -> list[Any]:
    """An exchange with its messages as plain data."""
    return [
        exchange.id,
        exchange.session,
        exchange.parent,
        exchange.state.value,
        _time(exchange.at),
        exchange.mode,
        exchange.model,
        [_message(message) for message in exchange.messages],
    ]


def record_data(record: Record) -> list[Any]:
    """A record as plain data; its exchanges and blobs in any order."""
    names = [sorted(record.exchanges), sorted(blob.digest for blob in record.blobs)]
    return [record.kind.value, record.id, _time(record.at), _ordered(record.body), *names]


def _message(message: Message) -> list[Any]:
    parts = [_ordered(part_to_dict(part)) for part in message.parts]
    times = [_time(message.at), message.parent, message.tokens, message.tokenizer]
    return [message.id, message.role.value, parts, *times]


def _time(at: datetime) -> int:
    return (at - _EPOCH) // _MICROSECOND


def _ordered(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _ordered(value[key]) for key in sorted(value)}
    if isinstance(value, list | tuple):
        return [_ordered(each) for each in value]
    return value
