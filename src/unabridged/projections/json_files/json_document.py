"""One file: the seed's fields, our key ``unabridged``, and digests over both.

Our key has of each session its header, a form for each exchange (first those on the path that the
seed's fields show, then the other branches), and the texts of the branches. If the seed's fields
cannot show a session, our key also has its conversation.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import msgspec

from unabridged.domain.exchange import Exchange
from unabridged.domain.message import Message
from unabridged.domain.scope import SpaceId
from unabridged.projections.json_files import fields
from unabridged.projections.json_files.fields import ExchangeForm, FileHeader, SessionPart
from unabridged.projections.json_files.layout import FileFacts, Layout
from unabridged.projections.json_files.session_json import (
    INDENT,
    ExchangeJson,
    SessionJson,
    block,
    braces,
    digest_of,
    values_of,
)

FORMAT = 1
_DEEP = 10
"""The indent of values below our key."""


@dataclass(slots=True)
class JsonDocument:
    """A file, read.

    Attributes:
        about: Its description of itself.
        sessions: Its sessions, in their order.
        faults: Differences from what was written, as text.
    """

    about: FileHeader
    sessions: list[SessionJson] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def ids(self) -> set[str]:
        """Return the ids of all exchanges."""
        return {exchange.form.id for one in self.sessions for exchange in one}


def header_of(space: SpaceId, layout: str) -> FileHeader:
    """Return the description of a space's file."""
    names = {"user": space.user, "agent": space.agent, "model": space.model}
    return FileHeader(format=FORMAT, layout=layout, space=names)


def render(layout: Layout, facts: FileFacts, about: FileHeader) -> bytes:
    """Return the bytes of a file; the seed's fields show as many sessions as the layout allows."""
    heads, header = layout.heads(facts), fields.form_bytes(about)
    sessions = [one for one in facts.sessions if one.session.archived is None]
    parts = [_part(one, hidden=place >= layout.shows) for place, one in enumerate(sessions)]
    unabridged = {
        "about": header,
        "sessions": block(parts, 6),
        "digest": _quoted(_digest(heads, header, sessions)),
    }
    shown = [values_of(one.path, layout.indent) for one in sessions[: layout.shows]]
    file = layout.fields(heads, shown) | {"unabridged": braces(unabridged, 4)}
    return braces(file, 2) + b"\n"


def read(layout: Layout, data: bytes) -> JsonDocument | None:
    """Parse the output of ``render``; None if the file has nothing of ours.

    Raises:
        ValueError, TypeError, KeyError: It is invalid JSON, or has another layout.
    """
    file = layout.parse(data)
    if file.hidden is None:
        return None
    document = JsonDocument(file.hidden.header)
    rest = iter(file.conversations)
    for part in file.hidden.sessions:
        if part.conversation is msgspec.UNSET:
            shown = next(rest, None)
            values = [] if shown is None else list(map(bytes, shown.values))
        else:
            values = list(map(_undented, part.conversation))
        _read_session(layout, part, values, document)
    if any(one.values for one in rest):
        document.faults.append("exchanges of an unknown session")
    if _digest(file.heads, bytes(file.hidden.about), document.sessions) != file.hidden.digest:
        document.faults.append("fields around the exchanges")
    return document


def exchanges_of(layout: Layout, session: SessionJson) -> list[Exchange]:
    """Return the exchanges of a session of an intact file, parents before children.

    Raises:
        ValueError, TypeError, KeyError: They have another layout.
    """
    found: dict[str, Exchange] = {}
    messages: dict[str, Message] = {}
    for one in session:
        [turn] = layout.turns(one.shown, "$")
        texts = (turn.user, None if one.form.alone else turn.answer)
        exchange = fields.exchange_from(one.form, session.session.id, texts)
        found[exchange.id] = exchange
        messages.update((message.id, message) for message in exchange.messages)
    for one in session:
        if one.form.opened_by:
            half = found[one.form.id]
            opening = messages[one.form.opened_by]
            found[half.id] = replace(half, messages=(opening, *half.messages))
    return _parents_first(found)


def _part(one: SessionJson, *, hidden: bool) -> bytes:
    parts = {"session": one.header}
    if hidden:
        parts["conversation"] = values_of(one.path, _DEEP)
    if one.others:
        parts["branches"] = values_of(one.others, _DEEP)
    parts["exchanges"] = block([exchange.marked for exchange in one], _DEEP)
    return braces({**parts, "digest": _quoted(one.digest)}, 8)


def _digest(heads: Sequence[bytes], about: bytes, sessions: Sequence[SessionJson]) -> str:
    return digest_of([*heads, about, *(_quoted(one.digest) for one in sessions)])


def _quoted(digest: str) -> bytes:
    return b'"%s"' % digest.encode()


def _parents_first(exchanges: dict[str, Exchange]) -> list[Exchange]:
    order: dict[str, Exchange] = {}
    for one in exchanges.values():
        line = [one]
        while (parent := line[-1].parent) in exchanges and parent not in order:
            line.append(exchanges[str(parent)])
        order.update((each.id, each) for each in reversed(line))
    return list(order.values())


def _undented(value: msgspec.Raw) -> bytes:
    return bytes(value).replace(b"\n" + b" " * (_DEEP - INDENT), b"\n")


def _read_session(
    layout: Layout, part: SessionPart, on: list[bytes], document: JsonDocument
) -> None:
    header = bytes(part.session)
    session = fields.session_from(fields.form_from(header, fields.SessionForm))
    path: list[ExchangeJson] = []
    others: list[ExchangeJson] = []
    off = list(map(_undented, part.branches))
    at = behind = 0
    for mark, raw in part.exchanges:
        form = fields.form_from(raw, ExchangeForm)
        wanted = 2 if layout.splits and not form.alone else 1
        if at < len(on):
            place, mine, at = path, on[at : at + wanted], at + wanted
        else:
            place, mine, behind = others, off[behind : behind + wanted], behind + wanted
        if len(mine) < wanted or digest_of([*mine, bytes(raw)]) != mark:
            document.faults.append(f"exchange {form.id}")
            continue
        place.append(ExchangeJson.of(form, bytes(raw), mine, mark))
    if at < len(on) or behind < len(off):
        document.faults.append(f"unknown exchanges in session {session.id}")
    found = SessionJson(session, header, path, others)
    if found.digest != part.digest and not document.faults:
        document.faults.append(f"the header of session {session.id}")
    document.sessions.append(found)
