"""One file: the seed's fields, our key ``unabridged``, and the digests that tie them together.

Our key holds of each session its header, a form for each exchange in the order of the path that the
seed's fields show and then of the other branches, and the branches' own texts. If the seed's fields
have no room for a session at all, it also holds its conversation in the same words.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b

import msgspec

from unabridged.domain.exchange import Exchange
from unabridged.domain.message import Message
from unabridged.domain.scope import SpaceId
from unabridged.domain.session import Session
from unabridged.projections.json_files import fields
from unabridged.projections.json_files.exchange_json import (
    DIGEST_BYTES,
    ExchangeJson,
    digest_of,
    read_exchange,
)
from unabridged.projections.json_files.layout import Layout, ParsedFile, Raws
from unabridged.projections.json_files.rendered_exchanges import HOME, RenderedPath

FORMAT = 1
_DEEP = 10
"""The indent of values below our key."""


class FileHeader(fields.JsonForm):
    """What a file says of itself.

    Attributes:
        format: The version of what is under ``unabridged``.
        layout: ``model``, ``agent`` or ``user``.
        space: The names of the space.
    """

    format: int = 0
    layout: str = ""
    space: dict[str, str] = msgspec.field(default_factory=dict)

    @property
    def named(self) -> SpaceId:
        """The space that the file holds."""
        return SpaceId(**self.space)


class _SessionPart(msgspec.Struct, forbid_unknown_fields=True):
    session: msgspec.Raw
    exchanges: list[tuple[str, msgspec.Raw]]
    digest: str
    conversation: Raws | msgspec.UnsetType = msgspec.UNSET
    branches: Raws = []


class _Hidden(msgspec.Struct, forbid_unknown_fields=True):
    about: msgspec.Raw
    sessions: list[_SessionPart]
    digest: str


@dataclass(slots=True)
class SessionJson:
    """A session, written.

    Attributes:
        session: Its header.
        header: The header as JSON.
        path: The exchanges on its path.
        others: Those on other branches.
        digest: Over all of it.
    """

    session: Session
    header: bytes
    path: RenderedPath
    others: RenderedPath
    digest: str = ""

    def __post_init__(self) -> None:
        marks = f"{len(self.path)}\n{self.path.marks}{self.others.marks}"
        said = msgspec.json.format(self.header, indent=-1) + b"\n" + marks.encode()
        self.digest = blake2b(said, digest_size=DIGEST_BYTES).hexdigest()

    def __iter__(self) -> Iterator[ExchangeJson]:
        yield from self.path
        yield from self.others


@dataclass(slots=True)
class JsonDocument:
    """A file, read.

    Attributes:
        about: What it says of itself.
        sessions: Its sessions, in their order.
        faults: What is not as it was written, in words.
        digest: Over all of it, as the file says.
    """

    about: FileHeader
    sessions: list[SessionJson] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    digest: str = ""

    def ids(self) -> set[str]:
        """Return the ids of all exchanges."""
        return {exchange.id for one in self.sessions for exchange in one}


def header_of(space: SpaceId, layout: str) -> FileHeader:
    """Return what a file of a space says of itself."""
    names = {"user": space.user, "agent": space.agent, "model": space.model}
    return FileHeader(format=FORMAT, layout=layout, space=names)


def render(
    layout: Layout,
    heads: Sequence[bytes],
    about: FileHeader,
    sessions: Sequence[SessionJson],
) -> bytes:
    """Write a file.

    Args:
        layout: How it looks.
        heads: What is made from the rest.
        about: What it says of itself.
        sessions: Its sessions; the seed's fields hold as many of them as the layout shows.
    """
    shows = min(layout.shows, len(sessions))
    told = fields.form_bytes(about)
    marks = (b'"%s"' % one.digest.encode() for one in sessions)
    whole = digest_of([*heads, told, *marks])
    hidden = list(_hidden(told, sessions, shows, whole))
    seen = [one.path.shown for one in sessions[:shows]]
    return b"".join(layout.render(heads, seen, hidden))


def _hidden(
    told: bytes, sessions: Sequence[SessionJson], shows: int, digest: str
) -> Iterator[bytes]:
    yield b'{\n    "about": ' + told + b',\n    "sessions": ['
    for place, one in enumerate(sessions):
        yield b",\n      {" if place else b"\n      {"
        yield b'\n        "session": ' + one.header
        if place >= shows:
            yield b',\n        "conversation": '
            yield from one.path.shown(_DEEP)
        if len(one.others):
            yield b',\n        "branches": '
            yield from one.others.shown(_DEEP)
        yield b',\n        "exchanges": '
        if len(one.path) and len(one.others):
            yield from one.path.marked(_DEEP)[:-1]
            yield b",\n" + b" " * _DEEP
            yield from one.others.marked(_DEEP)[1:]
        else:
            yield from (one.path if len(one.path) else one.others).marked(_DEEP)
        yield b',\n        "digest": "' + one.digest.encode() + b'"\n      }'
    yield b"\n    " * bool(sessions) + b'],\n    "digest": "' + digest.encode() + b'"\n  }'


def read(layout: Layout, data: bytes, *, trusted: bool = False) -> JsonDocument | None:
    """Read what ``render`` wrote; None where the file has nothing of ours.

    Args:
        layout: How it looks.
        data: The file.
        trusted: Whether its bytes are known to be those that were written.

    Raises:
        ValueError, TypeError, KeyError: It is no JSON, or not laid out like that.
    """
    file = layout.read(data)
    if file.hidden is None:
        return None
    hidden = msgspec.json.decode(file.hidden, type=_Hidden)
    document = JsonDocument(fields.form_from(hidden.about, FileHeader), digest=hidden.digest)
    rest = iter(file.shown)
    for part in hidden.sessions:
        values = next(rest, []) if part.conversation is msgspec.UNSET else part.conversation
        _read_session(layout, part, values, document, trusted=trusted)
    if trusted:
        return document
    if any(rest):
        document.faults.append("exchanges of a session that is not known")
    marks = (b'"%s"' % one.digest.encode() for one in document.sessions)
    if digest_of([*file.heads, bytes(hidden.about), *marks]) != hidden.digest:
        document.faults.append("what stands around the exchanges")
    return document


def read_header(layout: Layout, data: bytes) -> FileHeader | None:
    """Read only what a file says of itself; None where it has nothing of ours.

    Raises:
        ValueError, TypeError, KeyError: It is no JSON, or not laid out like that.
    """
    file: ParsedFile = layout.read(data)
    if file.hidden is None:
        return None
    hidden = msgspec.json.decode(file.hidden, type=_Hidden)
    return fields.form_from(hidden.about, FileHeader)


def read_digest(layout: Layout, data: bytes) -> str:
    """Read only the digest over a file; empty where it has nothing of ours.

    Raises:
        ValueError, TypeError, KeyError: It is no JSON, or not laid out like that.
    """
    file: ParsedFile = layout.read(data)
    return "" if file.hidden is None else msgspec.json.decode(file.hidden, type=_Hidden).digest


def exchanges_of(layout: Layout, session: SessionJson) -> list[Exchange]:
    """Return the exchanges of a sound file's session, parents before children.

    Raises:
        ValueError, TypeError, KeyError: They are not as they are written.
    """
    found: dict[str, Exchange] = {}
    messages: dict[str, Message] = {}
    forms = {one.id: fields.form_from(one.form, fields.ExchangeForm) for one in session}
    for one in session:
        form = forms[one.id]
        user, answer = layout.texts([msgspec.json.decode(value) for value in one.shown])
        texts = (user, None if form.alone else answer)
        found[one.id] = fields.exchange_from(form, session.session.id, texts)
        messages.update((message.id, message) for message in found[one.id].messages)
    whole = {
        name: fields.with_opening(one, messages[opened] if opened else None)
        for name, one in found.items()
        for opened in [forms[name].opened_by]
    }
    return _parents_first(whole)


def _parents_first(exchanges: dict[str, Exchange]) -> list[Exchange]:
    order: dict[str, Exchange] = {}
    for one in exchanges.values():
        line = [one]
        while (parent := line[-1].parent) in exchanges and parent not in order:
            line.append(exchanges[str(parent)])
        order.update((each.id, each) for each in reversed(line))
    return list(order.values())


def _home(value: msgspec.Raw) -> bytes:
    return bytes(value).replace(b"\n" + b" " * (_DEEP - HOME), b"\n")


def _read_session(
    layout: Layout, part: _SessionPart, values: Raws, document: JsonDocument, *, trusted: bool
) -> None:
    header = bytes(part.session)
    session = fields.session_from(fields.form_from(header, fields.SessionForm))
    path: list[ExchangeJson] = []
    others: list[ExchangeJson] = []
    here = part.conversation is msgspec.UNSET
    on = [bytes(value) if here else _home(value) for value in values]
    off = list(map(_home, part.branches))
    at = behind = 0
    for mark, raw in part.exchanges:
        form = fields.form_from(raw, fields.ExchangeForm)
        wanted = 2 if layout.splits and not form.alone else 1
        if at < len(on):
            place, mine, at = path, on[at : at + wanted], at + wanted
        else:
            place, mine, behind = others, off[behind : behind + wanted], behind + wanted
        plain = bytes(raw)
        if not trusted and (len(mine) < wanted or digest_of([*mine, plain]) != mark):
            document.faults.append(f"exchange {form.id}")
            continue
        place.append(read_exchange(form, plain, mine, mark))
    if at < len(on) or behind < len(off):
        document.faults.append(f"exchanges in session {session.id} that are not known")
    found = SessionJson(session, header, RenderedPath(path), RenderedPath(others))
    if found.digest != part.digest and not document.faults:
        document.faults.append(f"the header of session {session.id}")
    document.sessions.append(found)
