"""Our own format: JSON Lines that lose nothing.

The first line is ``{"format": "unabridged", "version": 2}``, with ``space`` if there is only one.
Then each conversation: a line ``{"session": …}`` and a line ``{"exchange": …}`` for every exchange
of every branch, parents before children. Then the records (facts, condensations …), each a line
``{"record": …}``. The bytes of a blob are in the first record that uses it, in Base64; others have
its digest. The original of a message is in the first exchange with the message, in Base64. All
fields of the values in ``domain`` are there; times are ISO 8601 with their zone. The last line is
``{"end": {"conversations": n, "exchanges": m, "records": k}}``: without it the file breaks off.
Version 1 had no records; it can be read too.

Texts may hold lone surrogates, which JSON escapes. Two of them side by side would be read as one
character: such a line is written with Python's ``surrogatepass``, and is not UTF-8.
"""

import json
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from typing import Any, BinaryIO

import msgspec

from unabridged.domain.blob import Blob, BlobKind
from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.message import Message, Part, Role, part_from_dict, part_to_dict
from unabridged.domain.record import Record as Kept, RecordKind
from unabridged.domain.results import Skip, SkippedRecord, Transcript
from unabridged.domain.scope import SpaceId
from unabridged.domain.session import Session
from unabridged.errors import TransferError
from unabridged.transfer.foreign_format import Format, signs
from unabridged.transfer.lenient_fields import as_object
from unabridged.transfer.reader import Item
from unabridged.transfer.records import JsonRecord
from unabridged.transfer.times import written_time

NAME = "unabridged"
VERSION = 2

_MOST_TOKENS = 1 << 40
"""The most plausible tokens of one message."""
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
"""Surrogates that side by side would be read as one character."""


class _MessageLine(msgspec.Struct, forbid_unknown_fields=True):
    id: str
    role: Role
    parts: list[dict[str, Any]]
    at: str
    parent: str | None = None
    tokens: int | None = None
    tokenizer: str | None = None
    original: bytes | None = None


class ExportedExchange(msgspec.Struct, kw_only=True):
    """The fields of an exchange, as our files have them."""

    id: str
    at: str
    parent: str | None = None
    mode: str = "chat"
    model: str | None = None
    state: ExchangeState = ExchangeState.COMPLETE

    def exchange(self, session: str, messages: Sequence[Message]) -> Exchange:
        """Return the exchange.

        Raises:
            ValueError: It has no user message, or its time cannot be read.
        """
        if not messages or messages[0].role is not Role.USER:
            raise ValueError("an exchange without a user message")
        return Exchange(
            id=self.id,
            session=session,
            parent=self.parent,
            state=self.state,
            messages=tuple(messages),
            at=written_time(self.at),
            mode=self.mode,
            model=self.model,
        )


class _ExchangeLine(ExportedExchange, forbid_unknown_fields=True, kw_only=True):
    session: str
    state: ExchangeState
    messages: list[_MessageLine]


class ExportedSession(msgspec.Struct, kw_only=True):
    """The fields of a session, as our files have them."""

    id: str
    created: str
    updated: str
    title: str = ""
    head: str | None = None
    source: str = NAME
    foreign_id: str | None = None
    archived: str | None = None

    def session(self) -> Session:
        """Return the session.

        Raises:
            ValueError: One of its times cannot be read.
        """
        values = {name: getattr(self, name) for name in self.__struct_fields__}
        times = {"created": written_time(self.created), "updated": written_time(self.updated)}
        archived = None if self.archived is None else written_time(self.archived)
        return Session(**{**values, **times, "archived": archived})


class _SessionLine(ExportedSession, forbid_unknown_fields=True, kw_only=True):
    title: str


class _RecordLine(msgspec.Struct, forbid_unknown_fields=True):
    kind: RecordKind
    id: str
    at: str
    body: dict[str, Any] = {}
    exchanges: tuple[str, ...] = ()
    blobs: tuple["_BlobLine", ...] = ()


class _BlobLine(msgspec.Struct, forbid_unknown_fields=True):
    digest: str
    kind: BlobKind
    data: bytes | None = None


def write_jsonl(
    conversations: Iterable[Transcript],
    stream: BinaryIO,
    *,
    records: Iterable[Kept] = (),
    space: SpaceId | None = None,
) -> int:
    """Write conversations; ``read`` returns equal values.

    Conversations are taken one at a time, and the records after them. The stream is left open.

    Returns:
        The number of exchanges written.
    """
    header: dict[str, Any] = {"format": NAME, "version": VERSION}
    if space is not None:
        header["space"] = {f.name: getattr(space, f.name) for f in fields(space)}
    stream.write(_line(header))
    count = exchanges = kept = 0
    written: set[str] = set()
    for conversation in conversations:
        stream.write(_line({"session": _plain(conversation.session)}))
        originals = dict(conversation.originals)
        stream.writelines(
            _line({"exchange": _exchange_data(exchange, originals)})
            for exchange in conversation.exchanges
        )
        count += 1
        exchanges += len(conversation.exchanges)
    for record in records:
        stream.write(_line({"record": _record_data(record, written)}))
        kept += 1
    end = {"conversations": count, "exchanges": exchanges, "records": kept}
    stream.write(_line({"end": end}))
    return exchanges


def read(records: Iterable[JsonRecord | SkippedRecord]) -> Iterator[Item]:
    """Read a file of ``write_jsonl``; report bad lines and attach their children to the line before.

    Raises:
        TransferError: A newer version wrote the file.
    """
    pile = Pile()
    blobs: dict[str, Blob] = {}
    for record in records:
        if isinstance(record, SkippedRecord):
            yield record
            continue
        data = as_object(record.value)
        try:
            if "session" in data:
                yield from pile.finished()
                pile = Pile(msgspec.convert(data["session"], _SessionLine).session())
            elif "exchange" in data:
                line = msgspec.convert(data["exchange"], _ExchangeLine)
                pile.add(line.exchange(line.session, list(map(_message, line.messages))))
                pile.originals.update(
                    {m.id: m.original for m in line.messages if m.original is not None}
                )
            elif "record" in data:
                kept = _kept(data["record"], blobs)
                yield from pile.finished()
                pile = Pile()
                yield kept
            elif "end" in data:
                pile.ended = True
            else:
                _check_header(data)
        except (ValueError, TypeError, msgspec.ValidationError) as error:
            yield record.unread(f"changed since it was written: {str(error)[:200]}")
            if "session" in data:
                pile = Pile()
    yield from pile.finished()
    if not pile.ended:
        yield SkippedRecord(
            "the end", "the file breaks off: its last line is missing", kind=Skip.TRUNCATED
        )


@dataclass(slots=True)
class Pile:
    """A conversation of our own format while it is read.

    Attributes:
        opening: The ids of opening messages; siblings share one.
        later: The ids of all their other messages.
        ended: Whether the end of the file was seen.
    """

    session: Session | None = None
    exchanges: dict[str, Exchange] = field(default_factory=dict)
    opening: set[str] = field(default_factory=set)
    later: set[str] = field(default_factory=set)
    originals: dict[str, bytes] = field(default_factory=dict)
    ended: bool = False

    def add(self, exchange: Exchange) -> None:
        """Add an exchange; without its parent it follows the one before it.

        Raises:
            ValueError: It does not belong here.
        """
        if self.session is None:
            raise ValueError("an exchange whose session could not be read")
        if exchange.session != self.session.id:
            raise ValueError("an exchange of another session")
        if exchange.id in self.exchanges:
            raise ValueError("an exchange with a repeated id")
        later = {message.id for message in exchange.messages[1:]} - {exchange.user.id}
        doubled = len(later) < len(exchange.messages) - 1
        if doubled or exchange.user.id in self.later or later & self.later or later & self.opening:
            raise ValueError("a message with a repeated id")
        self.later |= later
        self.opening.add(exchange.user.id)
        if exchange.parent is not None and exchange.parent not in self.exchanges:
            exchange = self._rehung(exchange)
        self.exchanges[exchange.id] = exchange

    def _rehung(self, exchange: Exchange) -> Exchange:
        before = next(reversed(self.exchanges.values()), None)
        parent = before.messages[-1].id if before else None
        first = replace(exchange.user, parent=parent)
        messages = (first, *exchange.messages[1:])
        return replace(exchange, parent=before.id if before else None, messages=messages)

    def finished(self) -> Iterator[Transcript]:
        """Return the conversation, if there is one, with a head that is one of its messages."""
        if self.session is None:
            return
        exchanges = tuple(self.exchanges.values())
        known = {message.id for exchange in exchanges for message in exchange.messages}
        session = self.session
        if session.head is not None and session.head not in known:
            last = exchanges[-1].messages[-1].id if exchanges else None
            session = replace(session, head=last)
        yield Transcript(session, exchanges, self.originals)


def _check_header(data: Mapping[str, Any]) -> None:
    if data.get("format") != NAME:
        raise ValueError("neither session nor exchange")
    version = data.get("version")
    if not isinstance(version, int) or not 1 <= version <= VERSION:
        raise TransferError(
            f"The file has version {version!r}; this program reads up to {VERSION}.",
            hint="Update unabridged and try again.",
        )


def _kept(data: Any, blobs: dict[str, Blob]) -> Kept:
    line = msgspec.convert(data, _RecordLine)
    for one in line.blobs:
        if one.data is not None:
            blob = Blob(one.kind, one.data)
            blobs[blob.digest] = blob
    held = tuple(blobs[one.digest] for one in line.blobs if one.digest in blobs)
    return Kept(line.kind, line.id, written_time(line.at), line.body, line.exchanges, held)


def _message(line: _MessageLine) -> Message:
    return Message(
        id=line.id,
        role=line.role,
        parts=tuple(map(checked_part, line.parts)),
        at=written_time(line.at),
        parent=line.parent,
        tokens=line.tokens if 0 <= (line.tokens or 0) <= _MOST_TOKENS else None,
        tokenizer=line.tokenizer,
    )


def checked_part(data: Mapping[str, Any]) -> Part:
    """Read a part of a message.

    Raises:
        ValueError: It is not a part.
    """
    wrong = [k for k, v in data.items() if not isinstance(v, bool if k == "failed" else str)]
    if wrong:
        raise ValueError(f"a content part with a bad {wrong[0][:40]!r}")
    return part_from_dict(data)


def _exchange_data(exchange: Exchange, originals: dict[str, bytes]) -> dict[str, Any]:
    messages = [_message_data(m, originals.pop(m.id, None)) for m in exchange.messages]
    return {**_plain(exchange), "messages": messages}


def _message_data(message: Message, original: bytes | None) -> dict[str, Any]:
    data = {**_plain(message), "parts": [part_to_dict(part) for part in message.parts]}
    return data if original is None else {**data, "original": b64encode(original).decode()}


def _record_data(record: Kept, written: set[str]) -> dict[str, Any]:
    data = _plain(replace(record, blobs=()))
    del data["blobs"]
    if record.blobs:
        data["blobs"] = [_blob_data(blob, written) for blob in record.blobs]
    return data


def _blob_data(blob: Blob, written: set[str]) -> dict[str, str]:
    data = {"digest": blob.digest, "kind": str(blob.kind)}
    if data["digest"] not in written:
        written.add(data["digest"])
        data["data"] = b64encode(blob.data).decode()
    return data


def _plain(value: Session | Exchange | Message | Kept) -> dict[str, Any]:
    named = ((e.name, getattr(value, e.name)) for e in fields(value) if not e.metadata)
    kept = ((name, data) for name, data in named if data is not None)
    return {name: d.isoformat() if isinstance(d, datetime) else d for name, d in kept}


def _line(data: Mapping[str, Any]) -> bytes:
    try:
        return msgspec.json.encode(data) + b"\n"
    except UnicodeEncodeError:
        text = json.dumps(data, ensure_ascii=False)
    if _PAIR.search(text):
        return text.encode("utf-8", "surrogatepass") + b"\n"
    return json.dumps(data).encode() + b"\n"


FORMAT = Format(NAME, "Unabridged's own JSON Lines", signs("format version", "exchange"), read)
