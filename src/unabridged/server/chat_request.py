"""A client's request in any dialect, and the writer of its answer."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Protocol

import msgspec

from unabridged.domain.chat import ChatRequest, StreamChunk
from unabridged.domain.client_history import RequestEdits, RequestOptions
from unabridged.errors import InputError, UnabridgedError
from unabridged.ports import Clock
from unabridged.wire.incoming_message import IncomingMessage


@dataclass(frozen=True, slots=True)
class ChatApiRequest:
    """A request for an answer.

    Attributes:
        dialect: Its dialect, for errors: ``anthropic``, ``ollama`` or ``openai``.
        body: The request as it was sent.
        model: The model it names; empty for the upstream's choice.
        drafts: Its messages.
        stream: Whether the answer must come in pieces.
        user: The ``user`` field of OpenAI's dialect, ``metadata.user_id`` of Anthropic's, or empty.
        usage: Whether a stream ends with the usage, in OpenAI's dialect.
        options: Returns its options for an upstream (``ollama`` or ``openai``) if its body is not a
            chat body; None to read them from the body.
        session: The session it continues, if it names a stored answer; else None.
        onward: Returns the request for an upstream of the same dialect, given what memory changes
            in its messages; None if no upstream has its dialect and it is always translated.
        headers: Its headers that an upstream of the same dialect gets.
        query: The query of its address, which that upstream gets too.
        notes: Remarks for people on how it was read.
        raw: The bytes of the request; empty if they are not known.
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
    onward: Callable[[RequestEdits, ChatRequest], dict[str, Any]] | None = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    query: str = ""
    notes: tuple[str, ...] = ()
    raw: bytes = b""


@dataclass(frozen=True, slots=True)
class AnswerInfo:
    """The id, model and time of an answer.

    Attributes:
        id: The exchange's id, or a new one if nothing is recorded.
        model: The full name of the model that answers.
        stored: Whether the answer is stored.
        own: Fields of ours in the object that is the answer.
    """

    id: str
    at: datetime
    model: str
    clock: Clock
    stored: bool = False
    own: Mapping[str, Any] = field(default_factory=dict)

    def stamp(self) -> str:
        """The time now, as RFC 3339."""
        return self.clock.now().astimezone(UTC).isoformat().replace("+00:00", "Z")

    def seconds(self) -> float:
        """Seconds since the request came."""
        return max(0.0, (self.clock.now() - self.at).total_seconds())


class Writer(Protocol):
    """Writes an answer in the client's dialect, streamed or whole."""

    @property
    def media_type(self) -> str:
        """The content type of a stream."""
        ...

    def begin(self) -> bytes:
        """Return what a stream sends before the first piece."""
        ...

    def piece(self, chunk: StreamChunk) -> bytes:
        """Return one piece that is not the last."""
        ...

    def end(self, last: StreamChunk) -> bytes:
        """Return the last piece and the end of the stream, once the answer is stored."""
        ...

    def failed(self, error: UnabridgedError) -> bytes:
        """Return what is sent if the answer broke off."""
        ...

    def whole(self, chunks: Sequence[StreamChunk]) -> Mapping[str, Any]:
        """Return the whole answer as one object."""
        ...


def object_of(raw: bytes) -> dict[str, Any]:
    """Read a request's body.

    Raises:
        InputError: It is not a JSON object.
    """
    try:
        body = msgspec.json.decode(raw or b"null")
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(
            f"The request is invalid JSON: {error}.", hint="Send a JSON object in UTF-8."
        ) from error
    if not isinstance(body, dict):
        raise InputError("The request is not a JSON object.", hint='Send an object: {"model": …}.')
    return body


def model_of(body: Mapping[str, Any]) -> str:
    """Read the name of the model.

    Raises:
        InputError: It is not a text.
    """
    name = body.get("model")
    if name is None:
        return ""
    if not isinstance(name, str) or not name.strip():
        raise InputError("The request names no model.", hint='Send it as a text: "model": "…".')
    return name


def messages_of(body: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Read the list of messages.

    Raises:
        InputError: It is not a list of objects, or is empty.
    """
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        raise InputError("The request has no messages.", hint='Send them: "messages": [{…}].')
    for place, message in enumerate(messages):
        if not isinstance(message, dict):
            raise InputError(f"Message {place + 1} is not an object.")
    return messages
