"""Our own format: JSON Lines that lose nothing.

The first line is ``{"format": "unabridged", "version": 1}``. Then each conversation: a line
``{"session": …}`` and a line ``{"exchange": …}`` for every exchange of every branch, parents before
children, with all fields of the values in ``domain``; times are ISO 8601 with their zone. The last
line is ``{"end": {"conversations": n, "exchanges": m}}``, so that a file that breaks off shows it.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from typing import Any, BinaryIO

import msgspec

from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.message import Message, Role, part_from_dict, part_to_dict
from unabridged.domain.session import Session
from unabridged.domain.views import Conversation, Unread
from unabridged.errors import TransferError
from unabridged.transfer.fields import as_object
from unabridged.transfer.reader import Item
from unabridged.transfer.records import Record

FORMAT = "unabridged"
VERSION = 1


class _MessageLine(msgspec.Struct, forbid_unknown_fields=True):
    id: str
    role: Role
    parts: list[dict[str, Any]]
    at: str
    parent: str | None = None
    tokens: int | None = None
    tokenizer: str | None = None


class _ExchangeLine(msgspec.Struct, forbid_unknown_fields=True):
    id: str
    session: str
    state: ExchangeState
    messages: list[_MessageLine]
    at: str
    parent: str | None = None
    mode: str = "chat"
    model: str | None = None


class _SessionLine(msgspec.Struct, forbid_unknown_fields=True):
    id: str
    title: str
    created: str
    updated: str
    head: str | None = None
    source: str = FORMAT
    foreign_id: str | None = None
    archived: str | None = None


def write_jsonl(conversations: Iterable[Conversation], stream: BinaryIO) -> int:
    """Write conversations so that ``read`` gives equal values.

    Args:
        conversations: What to write; taken one at a time.
        stream: Where to; it is left open.

    Returns:
        How many exchanges were written.
    """
    stream.write(_line({"format": FORMAT, "version": VERSION}))
    count = exchanges = 0
    for conversation in conversations:
        stream.write(_line({"session": _plain(conversation.session)}))
        stream.writelines(
            _line({"exchange": _exchange_data(exchange)}) for exchange in conversation.exchanges
        )
        count += 1
        exchanges += len(conversation.exchanges)
    stream.write(_line({"end": {"conversations": count, "exchanges": exchanges}}))
    return exchanges


def read(records: Iterable[Record | Unread]) -> Iterator[Item]:
    """Read what ``write_jsonl`` gave; a bad line is told, and what hung on it hangs on the one before.

    Args:
        records: The lines, the first of which is the header.

    Raises:
        TransferError: A newer version wrote the file.
    """
    pile = _Pile()
    for record in records:
        if isinstance(record, Unread):
            yield record
            continue
        data = as_object(record.value)
        try:
            if "session" in data:
                yield from pile.finished()
                pile = _Pile(_session(data["session"]))
            elif "exchange" in data:
                pile.add(_exchange(data["exchange"]))
            elif "end" in data:
                pile.ended = True
            else:
                _check_header(data)
        except (ValueError, TypeError, msgspec.ValidationError) as error:
            yield Unread(record.where, f"not as it was written: {str(error)[:200]}")
            if "session" in data:
                pile = _Pile()
    yield from pile.finished()
    if not pile.ended:
        yield Unread("end", "the file breaks off: its last line is missing")


@dataclass(slots=True)
class _Pile:
    """The conversation that is being read."""

    session: Session | None = None
    exchanges: dict[str, Exchange] = field(default_factory=dict)
    ended: bool = False

    def add(self, exchange: Exchange) -> None:
        if self.session is None:
            raise ValueError("an exchange whose session could not be read")
        if exchange.session != self.session.id:
            raise ValueError("an exchange of another session")
        if exchange.id in self.exchanges:
            raise ValueError("an exchange whose id was there before")
        if exchange.parent is not None and exchange.parent not in self.exchanges:
            exchange = self._rehung(exchange)
        self.exchanges[exchange.id] = exchange

    def _rehung(self, exchange: Exchange) -> Exchange:
        before = next(reversed(self.exchanges.values()), None)
        parent = before.messages[-1].id if before else None
        first = replace(exchange.user, parent=parent)
        messages = (first, *exchange.messages[1:])
        return replace(exchange, parent=before.id if before else None, messages=messages)

    def finished(self) -> Iterator[Conversation]:
        if self.session is None:
            return
        exchanges = tuple(self.exchanges.values())
        known = {message.id for exchange in exchanges for message in exchange.messages}
        session = self.session
        if session.head is not None and session.head not in known:
            last = exchanges[-1].messages[-1].id if exchanges else None
            session = replace(session, head=last)
        yield Conversation(session, exchanges)


def _check_header(data: Mapping[str, Any]) -> None:
    if data.get("format") != FORMAT:
        raise ValueError("neither session nor exchange")
    version = data.get("version")
    if not isinstance(version, int) or version > VERSION:
        raise TransferError(
            f"The file is of version {version!r}; this program reads up to {VERSION}.",
            hint="Update unabridged and repeat.",
        )


def _session(data: Any) -> Session:
    line = msgspec.convert(data, _SessionLine)
    values = {name: getattr(line, name) for name in line.__struct_fields__}
    times = {"created": _at(line.created), "updated": _at(line.updated)}
    archived = None if line.archived is None else _at(line.archived)
    return Session(**{**values, **times, "archived": archived})


def _exchange(data: Any) -> Exchange:
    line = msgspec.convert(data, _ExchangeLine)
    messages = tuple(map(_message, line.messages))
    if not messages or messages[0].role is not Role.USER:
        raise ValueError("an exchange that no user opened")
    return Exchange(
        id=line.id,
        session=line.session,
        parent=line.parent,
        state=line.state,
        messages=messages,
        at=_at(line.at),
        mode=line.mode,
        model=line.model,
    )


def _message(line: _MessageLine) -> Message:
    for part in line.parts:
        wrong = [k for k, v in part.items() if not isinstance(v, bool if k == "failed" else str)]
        if wrong:
            raise ValueError(f"a content part with a bad {wrong[0][:40]!r}")
    return Message(
        id=line.id,
        role=line.role,
        parts=tuple(map(part_from_dict, line.parts)),
        at=_at(line.at),
        parent=line.parent,
        tokens=line.tokens,
        tokenizer=line.tokenizer,
    )


def _at(text: str) -> datetime:
    at = datetime.fromisoformat(text)
    if at.tzinfo is None:
        raise ValueError("a time without a zone")
    return at


def _exchange_data(exchange: Exchange) -> dict[str, Any]:
    return {**_plain(exchange), "messages": [_message_data(m) for m in exchange.messages]}


def _message_data(message: Message) -> dict[str, Any]:
    return {**_plain(message), "parts": [part_to_dict(part) for part in message.parts]}


def _plain(value: Session | Exchange | Message) -> dict[str, Any]:
    """Give the fields of a value; times as text, and None left out."""
    named = ((each.name, getattr(value, each.name)) for each in fields(value))
    kept = ((name, data) for name, data in named if data is not None)
    return {name: d.isoformat() if isinstance(d, datetime) else d for name, d in kept}


def _line(data: Mapping[str, Any]) -> bytes:
    try:
        return msgspec.json.encode(data) + b"\n"
    except UnicodeEncodeError:
        return json.dumps(data).encode() + b"\n"
