"""A digest over the content of a space, equal in every store.

Each session header, exchange and record has a SHA-256 of its canonical form: JSON (as ``json_codec.pack``
writes it) of its fields in a fixed order, mappings by key, times as microseconds since 1970. The
digest of a space is, for each of the three, their number and their sum modulo 2^256: so it does not
depend on the order of a store, and needs no memory. It shows whether a copy is complete. It does
not protect against deliberate changes; the chain of a session does.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

from unabridged.domain.exchange import Exchange
from unabridged.domain.message import Message, part_to_dict
from unabridged.domain.record import Record
from unabridged.domain.session import Session
from unabridged.stores.json_codec import pack

PAGE = 200
"""Exchanges read at once."""
_WRAP = 1 << 256
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


@dataclass(slots=True)
class Sum:
    """The number of values of one kind and the sum of their digests, in any order."""

    count: int = 0
    value: int = 0

    def add(self, plain: Any) -> None:
        """Add a value as plain data."""
        self.count += 1
        self.value = (self.value + int.from_bytes(sha256(pack(plain)).digest())) % _WRAP

    @property
    def text(self) -> str:
        """Return the number and the sum as text."""
        return f"{self.count}:{self.value:064x}"


@dataclass(slots=True)
class Digest:
    """The digest of a space, or of a part of it: headers, whole exchanges, records."""

    sessions: Sum = field(default_factory=Sum)
    exchanges: Sum = field(default_factory=Sum)
    records: Sum = field(default_factory=Sum)

    def add(self, value: Session | Exchange | Record) -> None:
        """Add an item of the space."""
        match value:
            case Session():
                self.sessions.add(_session(value))
            case Exchange():
                self.exchanges.add(_exchange(value))
            case Record():
                self.records.add(_record(value))

    @property
    def value(self) -> str:
        """Return the digest as 64 hex digits."""
        parts = (self.sessions, self.exchanges, self.records)
        return sha256("\n".join(part.text for part in parts).encode()).hexdigest()


def _session(session: Session) -> list[Any]:
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


def _exchange(exchange: Exchange) -> list[Any]:
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


def _record(record: Record) -> list[Any]:
    # Its exchanges and blobs in any order.
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
