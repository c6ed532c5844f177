"""The content of our key ``unabridged``: exchanges and headers, to and from JSON.

The fields of the seed contain two texts of an exchange: the user's and the answer's. Its form has
everything else. JSON does not allow half a character (a lone surrogate): a form with one is written
as base64, and the field of the seed shows U+FFFD.
"""

import base64
import json
from datetime import datetime
from typing import Any, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.message import Message, Part, Role, Text, part_from_dict, part_to_dict
from unabridged.domain.scope import SpaceId
from unabridged.domain.session import Session
from unabridged.language.lazy_pattern import lazy_pattern

_HALVES = lazy_pattern("[\ud800-\udfff]")
_WHOLE = {"type": "text"}
"""Replaces a text part that equals the field of the seed."""


class JsonForm(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True):
    """A value of ours in a file. ``packed`` has it all if JSON cannot represent it."""

    packed: str = ""


class MessageForm(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True):
    """A message, without what follows from its place in the exchange."""

    id: str
    role: Role | None = None
    at: str = ""
    parent: str | UnsetType | None = UNSET
    tokens: int | None = None
    tokenizer: str | None = None
    parts: list[dict[str, Any]] | None = None


class ExchangeForm(JsonForm):
    """An exchange without the two texts in the seed's fields.

    Attributes:
        opened_by: The id of its first message, which is in another exchange of the file.
        alone: The seed's fields have the user's text only: there is no answer.
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


class SessionForm(JsonForm):
    """A session's header."""

    id: str = ""
    title: str = ""
    created: str = ""
    updated: str = ""
    head: str | None = None
    source: str = "unabridged"
    foreign_id: str | None = None
    archived: str | None = None


class FileHeader(JsonForm):
    """A file's description of itself.

    Attributes:
        format: The format of ``unabridged``.
        space: The names of the space.
    """

    format: int = 0
    layout: str = ""
    space: dict[str, str] = {}

    def __post_init__(self) -> None:
        SpaceId(**self.space)  # msgspec names the place of what is raised here

    @property
    def named(self) -> SpaceId:
        """Return the space of the file."""
        return SpaceId(**self.space)


class SessionPart(msgspec.Struct, forbid_unknown_fields=True):
    """A session: its header, its exchanges with digests, and what the seed does not show."""

    session: msgspec.Raw
    exchanges: list[tuple[str, msgspec.Raw]]
    digest: str = ""
    conversation: list[msgspec.Raw] | UnsetType = UNSET
    branches: list[msgspec.Raw] = []


class HiddenPart(msgspec.Struct, forbid_unknown_fields=True):
    """The content of our key."""

    about: msgspec.Raw
    sessions: list[SessionPart]
    digest: str = ""

    @property
    def header(self) -> FileHeader:
        """The file's description of itself."""
        return form_from(self.about, FileHeader, "$.unabridged.about")


_T = TypeVar("_T")
_F = TypeVar("_F", bound=JsonForm)


def shown(text: str) -> str:
    """Return a text in valid JSON."""
    return _HALVES.sub("\ufffd", text) if _HALVES.search(text) else text


def one_line(value: Any) -> bytes:
    """Return a value as readable JSON on one line."""
    return msgspec.json.format(msgspec.json.encode(value), indent=0)


def form_bytes(form: JsonForm) -> bytes:
    """Return a form as JSON on one line."""
    try:
        data = msgspec.json.encode(form)
    except UnicodeEncodeError:
        text = json.dumps(msgspec.to_builtins(form), ensure_ascii=False)
        whole = base64.b64encode(text.encode("utf-8", "surrogatepass")).decode("ascii")
        data = msgspec.json.encode(type(form)(packed=whole))
    return msgspec.json.format(data, indent=0)


def decode_at(value: bytes | msgspec.Raw, kind: type[_T], place: str) -> _T:
    """Decode a part of a file.

    Args:
        value: The part.
        kind: Its expected type.
        place: Where it is in the file: ``$.history[3]``.

    Raises:
        msgspec.ValidationError: It has another type; the error names the place in the file.
    """
    try:
        return msgspec.json.decode(value, type=kind)
    except msgspec.ValidationError as error:
        reason, _, below = str(error).partition(" - at `")
        inner = below.removesuffix("`").removeprefix("key in ").removeprefix("$")
        raise msgspec.ValidationError(f"{reason} - at `{place}{inner}`") from error


def form_from(data: bytes | msgspec.Raw, kind: type[_F], place: str = "$") -> _F:
    """Parse the output of ``form_bytes``.

    Raises:
        ValueError: It has another type; the error names the place in the file.
    """
    form = decode_at(data, kind, place)
    if not form.packed:
        return form
    whole = base64.b64decode(form.packed, validate=True)
    return msgspec.convert(json.loads(whole.decode("utf-8", "surrogatepass")), kind)


# --- exchanges ----------------------------------------------------------------------------------


def said(exchange: Exchange) -> tuple[str, str | None]:
    """Return the two texts of an exchange that the seed's fields show."""
    answer = exchange.answer
    return exchange.user.text, None if answer is None else answer.text


def seen(exchange: Exchange) -> tuple[str, str]:
    """Return the two texts as a file shows them; the answer is empty if there is none."""
    user, answer = said(exchange)
    return shown(user), shown(answer or "")


def exchange_form(exchange: Exchange, opened_by: str | None) -> ExchangeForm:
    """Return the form of an exchange, whose first message may be in another one."""
    texts = said(exchange)
    forms = []
    before = opened_by
    last = exchange.answer
    own = exchange.messages if opened_by is None else exchange.messages[1:]
    for place, message in enumerate(own):
        first = place == 0 and opened_by is None
        text = texts[0] if first else texts[1] if message is last else None
        role = Role.USER if first else Role.ASSISTANT
        forms.append(
            MessageForm(
                id=message.id,
                role=None if message.role is role else message.role,
                at="" if message.at == exchange.at else message.at.isoformat(),
                parent=UNSET if message.parent == before else message.parent,
                tokens=message.tokens,
                tokenizer=message.tokenizer,
                parts=_parts(message, text),
            )
        )
        before = message.id
    return ExchangeForm(
        id=exchange.id,
        parent=exchange.parent,
        opened_by=opened_by,
        state=exchange.state,
        at=exchange.at.isoformat(),
        mode=exchange.mode,
        model=exchange.model,
        alone=texts[1] is None,
        messages=forms,
    )


def exchange_from(form: ExchangeForm, session: str, texts: tuple[str, str | None]) -> Exchange:
    """Parse the output of ``exchange_form``, without a first message in another exchange.

    Raises:
        ValueError: It is not an exchange.
    """
    at = _time(form.at)
    messages = []
    before = form.opened_by
    for place, one in enumerate(form.messages):
        first = place == 0 and form.opened_by is None
        messages.append(
            Message(
                id=one.id,
                role=one.role or (Role.USER if first else Role.ASSISTANT),
                parts=_parts_from(one.parts, texts[0 if first else 1]),
                at=_time(one.at) if one.at else at,
                parent=before if one.parent is UNSET else one.parent,
                tokens=one.tokens,
                tokenizer=one.tokenizer,
            )
        )
        before = one.id
    return Exchange(
        id=form.id,
        session=session,
        parent=form.parent,
        state=form.state,
        messages=tuple(messages),
        at=at,
        mode=form.mode,
        model=form.model,
    )


def _parts(message: Message, text: str | None) -> list[dict[str, Any]] | None:
    if text is None or _HALVES.search(text):
        return [part_to_dict(part) for part in message.parts]
    if message.parts == (Text(text),):
        return None
    shows = Text(text)
    is_one = [part for part in message.parts if isinstance(part, Text)] == [shows]
    return [_WHOLE if is_one and part == shows else part_to_dict(part) for part in message.parts]


def _parts_from(parts: list[dict[str, Any]] | None, text: str | None) -> tuple[Part, ...]:
    if parts is None or _WHOLE in parts:
        if text is None:
            raise ValueError("a message without its text")
        if parts is None:
            return (Text(text),)
    return tuple(Text(text or "") if part == _WHOLE else part_from_dict(part) for part in parts)


# --- sessions -----------------------------------------------------------------------------------


def session_form(session: Session) -> SessionForm:
    """Return the form of a header."""
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
    """Parse the output of ``session_form``.

    Raises:
        ValueError: A time is invalid.
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


def _time(text: str) -> datetime:
    at = datetime.fromisoformat(text)
    if at.tzinfo is None:
        raise ValueError("a time without a zone")
    return at
