"""How exchanges, sessions and records are written in JSON: the forms, both ways.

Two texts of an exchange, the user's words and the answer's, lie in the fields of the seed; its form
has everything else. JSON has no place for half a character (a lone surrogate): a form with one is
written whole as base64 of what ``stores.codec`` makes of it, and the field of the seed shows U+FFFD.
"""

import base64
import re
from dataclasses import replace
from datetime import datetime
from typing import Any, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.message import Message, Part, Role, Text, part_from_dict, part_to_dict
from unabridged.domain.record import Record, RecordKind
from unabridged.domain.session import Session
from unabridged.stores.codec import pack, unpack
from unabridged.stores.content import Entry
from unabridged.stores.shelf import Packed

_HALVES = re.compile("[\ud800-\udfff]")
_WHOLE = {"type": "text"}
"""Stands for a text part that is the field of the seed, character for character."""


class Form(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True):
    """Anything of ours in a file. ``packed`` holds it all where JSON cannot hold it as it is."""

    packed: str = ""


class MessageForm(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True):
    """A message; what follows from its place in the exchange is left out."""

    id: str
    role: Role | None = None
    at: str = ""
    parent: str | UnsetType | None = UNSET
    tokens: int | None = None
    tokenizer: str | None = None
    parts: list[dict[str, Any]] | None = None


class ExchangeForm(Form):
    """An exchange without the two texts that the seed's fields hold.

    Attributes:
        alone: The seed's fields hold the user's words only: there is no answer.
    """

    id: str = ""
    parent: str | None = None
    opened_by: str | None = None
    state: ExchangeState = ExchangeState.COMPLETE
    at: str = ""
    mode: str = "chat"
    model: str | None = None
    alone: bool = False
    messages: list[MessageForm] = []


class SessionForm(Form):
    """A session's header."""

    id: str = ""
    title: str = ""
    created: str = ""
    updated: str = ""
    head: str | None = None
    source: str = "unabridged"
    foreign_id: str | None = None
    archived: str | None = None


class RecordForm(Form):
    """A record; its body is any plain data."""

    put: RecordKind | None = None
    id: str = ""
    at: str = ""
    exchanges: list[str] = []
    body: msgspec.Raw = msgspec.Raw(b"{}")


_F = TypeVar("_F", bound=Form)


def shown(text: str) -> str:
    """A text as JSON can show it."""
    return _HALVES.sub("\ufffd", text) if _HALVES.search(text) else text


def one_line(value: Any) -> bytes:
    """Write a value on one line, as people do."""
    return msgspec.json.format(msgspec.json.encode(value), indent=0)


def form_bytes(form: Form) -> bytes:
    """Write a form on one line."""
    try:
        data = msgspec.json.encode(form)
    except UnicodeEncodeError:
        whole = base64.b64encode(pack(msgspec.to_builtins(form))).decode("ascii")
        data = msgspec.json.encode(type(form)(packed=whole))
    return msgspec.json.format(data, indent=0)


def form_from(data: bytes | msgspec.Raw, kind: type[_F]) -> _F:
    """Read what ``form_bytes`` gave.

    Raises:
        ValueError: It is not of that kind.
    """
    return unpacked(msgspec.json.decode(data, type=kind))


def unpacked(form: _F) -> _F:
    """Give a form as it was before it was packed.

    Raises:
        ValueError: It is not of that kind.
    """
    if not form.packed:
        return form
    return msgspec.convert(unpack(base64.b64decode(form.packed, validate=True)), type(form))


# --- exchanges ----------------------------------------------------------------------------------


def said(exchange: Exchange) -> tuple[str, str | None]:
    """Give the two texts of a whole exchange that the seed's fields show."""
    answer = exchange.answer
    return exchange.user.text, None if answer is None else answer.text


def exchange_form(entry: Entry, texts: tuple[str, str | None] | None) -> ExchangeForm:
    """Give an exchange as it is kept.

    Args:
        entry: The exchange.
        texts: What the fields of the seed show of it; None where its form is to hold everything.
    """
    exchange = entry.exchange
    forms = []
    before = entry.opened_by
    last = exchange.answer
    for place, message in enumerate(exchange.messages):
        first = place == 0 and entry.opened_by is None
        seen = None
        if texts is not None and (first or message is last):
            seen = texts[0] if first else texts[1]
        role = Role.USER if first else Role.ASSISTANT
        forms.append(
            MessageForm(
                id=message.id,
                role=None if message.role is role else message.role,
                at="" if message.at == exchange.at else message.at.isoformat(),
                parent=UNSET if message.parent == before else message.parent,
                tokens=message.tokens,
                tokenizer=message.tokenizer,
                parts=_parts(message, seen),
            )
        )
        before = message.id
    return ExchangeForm(
        id=exchange.id,
        parent=exchange.parent,
        opened_by=entry.opened_by,
        state=exchange.state,
        at=exchange.at.isoformat(),
        mode=exchange.mode,
        model=exchange.model,
        alone=texts is not None and texts[1] is None,
        messages=forms,
    )


def entry_from(
    form: ExchangeForm, session: str, texts: tuple[str, str | None] | None = None
) -> Entry:
    """Read what ``exchange_form`` gave.

    Args:
        form: The form.
        session: The id of its session.
        texts: What the fields of the seed show.

    Raises:
        ValueError: It is no exchange.
    """
    at = _time(form.at)
    messages = []
    before = form.opened_by
    for place, said_form in enumerate(form.messages):
        first = place == 0 and form.opened_by is None
        seen = None if texts is None else texts[0 if first else 1]
        messages.append(
            Message(
                id=said_form.id,
                role=said_form.role or (Role.USER if first else Role.ASSISTANT),
                parts=_parts_from(said_form.parts, seen),
                at=_time(said_form.at) if said_form.at else at,
                parent=before if said_form.parent is UNSET else said_form.parent,
                tokens=said_form.tokens,
                tokenizer=said_form.tokenizer,
            )
        )
        before = said_form.id
    exchange = Exchange(
        id=form.id,
        session=session,
        parent=form.parent,
        state=form.state,
        messages=tuple(messages),
        at=at,
        mode=form.mode,
        model=form.model,
    )
    return Entry(exchange, form.opened_by)


def _parts(message: Message, seen: str | None) -> list[dict[str, Any]] | None:
    """The parts of a message; None, or a stand-in, for the one that the seed's field shows."""
    if seen is None or _HALVES.search(seen):
        return [part_to_dict(part) for part in message.parts]
    if message.parts == (Text(seen),):
        return None
    shows = Text(seen)
    texts = [part for part in message.parts if isinstance(part, Text)]
    stands = texts == [shows]
    return [_WHOLE if stands and part == shows else part_to_dict(part) for part in message.parts]


def _parts_from(parts: list[dict[str, Any]] | None, seen: str | None) -> tuple[Part, ...]:
    if parts is None or _WHOLE in parts:
        if seen is None:
            raise ValueError("a message without its words")
        if parts is None:
            return (Text(seen),)
    return tuple(Text(seen or "") if part == _WHOLE else part_from_dict(part) for part in parts)


# --- sessions and records -----------------------------------------------------------------------


def session_form(session: Session) -> SessionForm:
    """Give a header as it is kept."""
    return SessionForm(
        id=session.id,
        title=session.title,
        created=session.created.isoformat(),
        updated=session.updated.isoformat(),
        head=session.head,
        source=session.source,
        foreign_id=session.foreign_id,
        archived=None if session.archived is None else session.archived.isoformat(),
    )


def session_from(form: SessionForm) -> Session:
    """Read what ``session_form`` gave.

    Raises:
        ValueError: A time is none.
    """
    return Session(
        id=form.id,
        title=form.title,
        created=_time(form.created),
        updated=_time(form.updated),
        head=form.head,
        source=form.source,
        foreign_id=form.foreign_id,
        archived=None if form.archived is None else _time(form.archived),
    )


def record_bytes(kept: Packed) -> bytes:
    """Write a record on one line."""
    record, body = kept
    names = {"put": record.kind, "id": record.id, "at": record.at.isoformat()}
    data = {**names, "exchanges": list(record.exchanges)}
    try:
        body.decode("utf-8")
        return msgspec.json.encode(data | {"body": msgspec.Raw(body)})
    except UnicodeError:
        whole = data | {"put": record.kind.value, "body": unpack(body)}
        packed = base64.b64encode(pack(whole)).decode("ascii")
        return msgspec.json.encode(RecordForm(packed=packed))


def record_from(data: bytes) -> Packed:
    """Read what ``record_bytes`` gave.

    Raises:
        ValueError: It is no record.
    """
    form = msgspec.json.decode(data, type=RecordForm)
    body = bytes(form.body)
    if form.packed:
        whole = unpack(base64.b64decode(form.packed, validate=True))
        body = pack(whole.pop("body"))
        form = msgspec.convert(whole, RecordForm)
    if form.put is None:
        raise ValueError("a record of no kind")
    return Record(form.put, form.id, _time(form.at), {}, tuple(form.exchanges)), body


def _time(text: str) -> datetime:
    at = datetime.fromisoformat(text)
    if at.tzinfo is None:
        raise ValueError("a time without a zone")
    return at


def whole_exchange(entry: Entry, opening: Message | None) -> Exchange:
    """Give an exchange with the message in front that it shares."""
    if opening is None:
        return entry.exchange
    return replace(entry.exchange, messages=(opening, *entry.exchange.messages))
