"""What a client asks, whichever dialect it speaks, and how it is told the answer."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Protocol

import msgspec

from unabridged.domain.chat import ChatRequest, StreamChunk
from unabridged.domain.client_history import RequestOptions
from unabridged.domain.context import Context
from unabridged.errors import InputError, UnabridgedError
from unabridged.ports import Clock
from unabridged.wire.incoming_message import IncomingMessage


@dataclass(frozen=True, slots=True)
class ChatApiRequest:
    """A request for an answer.

    Attributes:
        dialect: The dialect that it speaks, for errors: ``ollama`` or ``openai``.
        body: The request as it came.
        model: The model that it names; empty for the upstream's choice.
        drafts: Its messages.
        stream: Whether the answer must come in pieces.
        user: The ``user`` field of OpenAI's dialect, or empty.
        usage: Whether a stream shall tell the usage at its end, in OpenAI's dialect.
        options: Gives its options in the words of an upstream (``ollama`` or ``openai``), where its
            body is none of a chat; None to read them from the body.
        session: The session that it goes on in, where it names an answer that is stored; else None.
        onward: Gives the request as it goes on to an upstream of the same dialect; None where there
            is none, and it is always translated.
        notes: What a person should know of how it was read.
    """

    dialect: str
    body: Mapping[str, Any]
    model: str
    drafts: tuple[IncomingMessage, ...]
    request_options: RequestOptions
    stream: bool
    user: str = ""
    usage: bool = False
    options: Callable[[str], Mapping[str, Any]] | None = None
    session: str | None = None
    onward: Callable[[Context, ChatRequest], dict[str, Any]] | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AnswerInfo:
    """When and under which id an answer is given.

    Attributes:
        id: The exchange's id, or a fresh one where nothing is recorded.
        model: The model that answers, by its full name.
        stored: Whether the answer is recorded.
    """

    id: str
    at: datetime
    model: str
    clock: Clock
    stored: bool = False

    def stamp(self) -> str:
        """The time now, as RFC 3339."""
        return self.clock.now().astimezone(UTC).isoformat().replace("+00:00", "Z")

    def seconds(self) -> float:
        """Seconds since the request came."""
        return max(0.0, (self.clock.now() - self.at).total_seconds())


class Writer(Protocol):
    """Says an answer in the client's dialect, piece by piece or whole."""

    @property
    def media_type(self) -> str:
        """The content type of a stream."""
        ...

    def begin(self) -> bytes:
        """What stands before the first piece."""
        ...

    def piece(self, chunk: StreamChunk) -> bytes:
        """One piece; not the last."""
        ...

    def end(self, last: StreamChunk) -> bytes:
        """The last piece and what ends a stream; said when the answer is stored."""
        ...

    def failed(self, error: UnabridgedError) -> bytes:
        """What is said where the answer broke off."""
        ...

    def whole(self, chunks: Sequence[StreamChunk]) -> Mapping[str, Any]:
        """The whole answer as one object."""
        ...


def object_of(raw: bytes) -> dict[str, Any]:
    """Read a request's body.

    Raises:
        InputError: It is not a JSON object.
    """
    try:
        body = msgspec.json.decode(raw or b"null")
    except (msgspec.DecodeError, RecursionError) as error:
        raise InputError(
            f"The request is not JSON: {error}.", hint="Send a JSON object in UTF-8."
        ) from error
    if not isinstance(body, dict):
        raise InputError("The request is not a JSON object.", hint='Send an object: {"model": …}.')
    return body


def model_of(body: Mapping[str, Any]) -> str:
    """Read the name of the model.

    Raises:
        InputError: It is no text.
    """
    name = body.get("model")
    if name is None:
        return ""
    if not isinstance(name, str) or not name.strip():
        raise InputError("The request names no model.", hint='Give it as text: "model": "…".')
    return name


def messages_of(body: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Read the list of messages.

    Raises:
        InputError: It is no list of objects, or empty.
    """
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        raise InputError("The request has no messages.", hint='Give them: "messages": [{…}].')
    for place, message in enumerate(messages):
        if not isinstance(message, dict):
            raise InputError(f"Message {place + 1} is no object.")
    return messages


def chosen_tools(body: dict[str, Any], context: Context) -> dict[str, Any]:
    """A request's body with those of its tools that the window has room for, as they came."""
    offered = body.get("tools")
    if not isinstance(offered, list) or context.tools is None:
        return body
    names = {tool.name for tool in context.tools}
    kept = [tool for tool in offered if _name_of(tool) in names]
    return body if len(kept) == len(offered) else {**body, "tools": kept}


def _name_of(tool: Any) -> Any:
    match tool:
        case {"function": {"name": name}}:
            return name
        case _:
            return None
