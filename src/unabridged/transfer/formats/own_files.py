"""Unabridged's own readable files: other programs' layouts, with an ``unabridged`` key.

A file of the layout ``model`` looks like WorkspaceAI's memory, one of ``agent`` like Dana's, one of
``user`` like ReqVIBE's, and an archive has only that key. It holds what those layouts have no field
for: the header of each session, a form for each exchange (ids, times, branches, tool calls, model),
and the text of branches and sessions that the layout does not show. Together they restore every
exchange of every branch with its ids, so importing a file into its own memory adds nothing. Digests
are not checked here: hand-edited text is read as it is. Facts, condensations and other records are
not in these files.

The form is that of ``projections/json_files`` (json_document.py, fields.py), version 1.
"""

import base64
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from unabridged.domain.exchange import Exchange
from unabridged.domain.message import Message, Part, Role, Text
from unabridged.domain.session import Session
from unabridged.errors import TransferError
from unabridged.transfer.build_conversation import in_order
from unabridged.transfer.foreign_format import Format, each_record, signs
from unabridged.transfer.lenient_fields import as_list, as_object, as_text
from unabridged.transfer.native_jsonl import ExportedExchange, ExportedSession, Pile, checked_part
from unabridged.transfer.reader import Item
from unabridged.transfer.records import JsonRecord
from unabridged.transfer.times import written_time

KEY = "unabridged"
VERSION = 1

_UNREADABLE = (ValueError, TypeError, KeyError, msgspec.ValidationError)


class _MessageForm(msgspec.Struct):
    id: str
    role: Role | None = None
    at: str = ""
    parent: str | msgspec.UnsetType | None = msgspec.UNSET
    tokens: int | None = None
    tokenizer: str | None = None
    parts: list[dict[str, Any]] | None = None


class _ExchangeForm(ExportedExchange, kw_only=True):
    opened_by: str | None = None
    alone: bool = False
    messages: list[_MessageForm] = msgspec.field(default_factory=list)


def is_ours(value: Any) -> bool:
    """Return whether Unabridged wrote a readable file, given its JSON."""
    return isinstance(as_object(as_object(value).get(KEY)).get("sessions"), list)


def read_one(record: JsonRecord) -> Iterator[Item]:
    """Read the conversations of one file.

    Raises:
        TransferError: A newer version wrote it.
    """
    if not is_ours(record.value):
        yield record.unread("not a readable file of Unabridged: it lists no sessions")
        return
    hidden = record.value[KEY]
    about = as_object(hidden.get("about"))
    version = about.get("format")
    if isinstance(version, int) and version != VERSION:
        raise TransferError(
            f"The file has version {version}; this program reads up to {VERSION}.",
            hint="Update unabridged and try again.",
        )
    shown = _shown(record.value)
    for number, block in enumerate(map(as_object, hidden["sessions"]), start=1):
        where = f"{record.where}, session {number}"
        own = block.get("conversation")
        on = as_list(own) if own is not None else next(shown, [])
        try:
            form = msgspec.convert(_unpacked(block.get("session")), ExportedSession)
            session = form.session()
        except _UNREADABLE as error:
            yield replace(record, where=where, value=block).unread(_told(error))
            continue
        yield from _conversation(JsonRecord(where, block), session, on)


def _shown(value: Mapping[str, Any]) -> Iterator[list[Any]]:
    for name in ("current_conversation", "history"):
        if name in value:
            yield as_list(value[name])
    for each in as_list(value.get("sessions")):
        yield as_list(as_object(each).get("messages"))


def _conversation(record: JsonRecord, session: Session, on: list[Any]) -> Iterator[Item]:
    forms: dict[str, tuple[_ExchangeForm, list[Any]]] = {}
    off = list(as_list(record.value.get("branches")))
    rest = list(on)
    for number, marked in enumerate(as_list(record.value.get("exchanges")), start=1):
        source = rest or off
        split = bool(source) and "role" in as_object(source[0])
        try:
            raw = _unpacked(marked[1])
            wanted = 2 if split and as_object(raw).get("alone") is not True else 1
            values = [source.pop(0) for _ in source[:wanted]]
            form = msgspec.convert(raw, _ExchangeForm)
        except (*_UNREADABLE, IndexError) as error:
            own = record.where + f", exchange {number}"
            yield replace(record, where=own, value=marked).unread(_told(error))
            continue
        forms[form.id] = form, values
    yield from _whole(record, session, forms)


def _whole(
    record: JsonRecord, session: Session, forms: Mapping[str, tuple[_ExchangeForm, list[Any]]]
) -> Iterator[Item]:
    said: dict[str, list[Message]] = {}
    messages: dict[str, Message] = {}
    for name, (form, values) in forms.items():
        try:
            said[name] = list(_messages(form, *_texts(values)))
        except _UNREADABLE as error:
            where = f"{record.where}, exchange {name}"
            held = {"form": msgspec.to_builtins(form), "shown": values}
            yield JsonRecord(where, held).unread(_told(error))
            continue
        messages.update({each.id: each for each in said[name]})
    order, _ = in_order({name: forms[name][0].parent for name in said})
    chain = _Chain(Pile(session))
    for name in order:
        form, own = forms[name][0], said[name]
        opening = messages.get(form.opened_by or "")
        try:
            if form.opened_by is not None and opening is None:
                raise ValueError("the message it shares is missing")
            chain.add(form.exchange(session.id, [opening, *own] if opening else own))
        except _UNREADABLE as error:
            held = {"form": msgspec.to_builtins(form), "shown": forms[name][1]}
            yield JsonRecord(f"{record.where}, exchange {name}", held).unread(_told(error))
    yield from chain.pile.finished()


@dataclass(slots=True)
class _Chain:
    """Attaches each exchange to its parent, whatever the parents of single messages are."""

    pile: Pile
    seen: dict[str, Message] = field(default_factory=dict)
    instead: dict[str, str | None] = field(default_factory=dict)

    def add(self, exchange: Exchange) -> None:
        parent = exchange.parent
        if parent is not None and parent not in self.pile.exchanges:
            last = next(reversed(self.pile.exchanges), None)
            parent = self.instead.setdefault(parent, last)
        above = None if parent is None else self.pile.exchanges[parent].messages[-1].id
        messages: list[Message] = []
        for each in exchange.messages:
            messages.append(each if each.parent == above else replace(each, parent=above))
            above = each.id
        first, *rest = messages
        names = {each.id for each in messages}
        if len(names) < len(messages) or any(each.id in self.seen for each in rest):
            raise ValueError("a message with a repeated id")
        if self.seen.get(first.id, first) != first:
            raise ValueError("it shares a message from another place")
        self.pile.add(replace(exchange, parent=parent, messages=tuple(messages)))
        self.seen.update({each.id: each for each in messages})


def _texts(values: list[Any]) -> tuple[str | None, str | None]:
    first = as_object(values[0]) if values else {}
    if "role" in first:
        texts = [as_text(as_object(each).get("content")) for each in values]
        return texts[0], texts[1] if len(texts) > 1 else None
    if "user_input" in first:
        return as_text(first.get("user_input")), as_text(first.get("agent_response"))
    if "user" in first:
        sides = (as_object(first.get(side)) for side in ("user", "assistant"))
        user, answer = (as_text(side.get("content")) for side in sides)
        return user, answer
    return None, None


def _messages(form: _ExchangeForm, user: str | None, answer: str | None) -> Iterator[Message]:
    at = written_time(form.at)
    before = form.opened_by
    for place, each in enumerate(form.messages):
        first = place == 0 and form.opened_by is None
        yield Message(
            id=each.id,
            role=each.role or (Role.USER if first else Role.ASSISTANT),
            parts=_parts(each.parts, user if first else answer),
            at=written_time(each.at) if each.at else at,
            parent=before if each.parent is msgspec.UNSET else each.parent,
            tokens=each.tokens,
            tokenizer=each.tokenizer,
        )
        before = each.id


def _parts(parts: list[dict[str, Any]] | None, seen: str | None) -> tuple[Part, ...]:
    listed = [{"type": "text"}] if parts is None else parts
    return tuple(_part(each, seen) for each in listed)


def _part(data: dict[str, Any], seen: str | None) -> Part:
    if data == {"type": "text"}:
        if seen is None:
            raise ValueError("a message without its text")
        return Text(seen)
    return checked_part(data)


def _unpacked(form: Any) -> Any:
    # Return a form; one with lone surrogates is written whole, as base64 of JSON.
    packed = as_text(as_object(form).get("packed"))
    if not packed:
        return form
    data = base64.b64decode(packed, validate=True)
    return json.loads(data.decode("utf-8", "surrogatepass"))


def _told(error: Exception) -> str:
    return f"changed since it was written: {str(error)[:200]}"


FORMAT = Format(
    "files",
    "Unabridged's readable JSON files",
    signs("unabridged/about unabridged/sessions"),
    each_record(read_one),
)
