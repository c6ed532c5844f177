"""``/v1/chat/completions``: OpenAI's dialect, with memory."""

from collections.abc import Mapping, Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from unabridged.domain.chat import StreamChunk, Usage
from unabridged.domain.client_history import RequestEdits, RequestOptions
from unabridged.errors import InputError, UnabridgedError
from unabridged.server.chat_flow import answer
from unabridged.server.chat_request import (
    AnswerInfo,
    ChatApiRequest,
    messages_of,
    model_of,
    object_of,
)
from unabridged.server.error_responses import body_in, speaking
from unabridged.wire import openai as wire
from unabridged.wire.edit_messages import edited_items
from unabridged.wire.lenient_json import mapping, mappings, number, text
from unabridged.wire.originals import items_of
from unabridged.wire.stream_lines import encode

LIMITS = ("max_completion_tokens", "max_tokens")
"""The fields that limit an answer, the newest first."""


async def chat_completions(request: Request) -> Response:
    """Answer a chat request."""
    body = object_of(await request.body())
    return await answer(request, asked_of(body), OpenAIWriter)


def asked_of(body: Mapping[str, Any]) -> ChatApiRequest:
    """Read a chat request.

    Raises:
        InputError: It is invalid.
    """
    stream = body.get("stream")
    if stream not in (None, True, False):
        raise InputError("The field stream is neither true nor false.")
    limits = (number(body.get(name)) for name in LIMITS)
    return ChatApiRequest(
        dialect="openai",
        body=body,
        model=model_of(body),
        drafts=wire.drafts(messages_of(body)),
        request_options=RequestOptions(
            tools=tuple(wire.tool_spec(tool) for tool in mappings(body.get("tools"))),
            max_output=next((limit for limit in limits if limit), None),
        ),
        stream=bool(stream),
        user=text(body.get("user")),
        usage=bool(mapping(body.get("stream_options")).get("include_usage")),
        onward=lambda edits, _: _onward(body, edits),
    )


def _onward(body: Mapping[str, Any], edits: RequestEdits) -> dict[str, Any]:
    wire_body = {
        **body,
        "messages": edited_items(messages_of(body), edits, lambda m: items_of(m, "openai")),
    }
    if body.get("stream"):
        asked = mapping(body.get("stream_options"))
        wire_body["stream_options"] = {**asked, "include_usage": True}
    return wire_body


class EventWriter:
    """The common part of all answers as server-sent events in OpenAI's dialect."""

    media_type = "text/event-stream"
    prefix = "chatcmpl-"
    """The prefix of an answer's id."""

    def __init__(self, asked: ChatApiRequest, moment: AnswerInfo) -> None:
        self._usage = asked.usage
        self._own = moment.own
        self._said: dict[str, Any] = {
            "answer": f"{self.prefix}{moment.id}",
            "created": int(moment.at.timestamp()),
            "model": asked.model or moment.model,
        }

    def begin(self) -> bytes:
        """Return nothing: a stream has no beginning."""
        return b""

    def failed(self, error: UnabridgedError) -> bytes:
        """Return the event of an error."""
        return event_of(body_in("openai", error))


class OpenAIWriter(EventWriter):
    """Writes an answer in OpenAI's dialect."""

    _first = True

    def piece(self, chunk: StreamChunk) -> bytes:
        """Return one event."""
        first, self._first = self._first, False
        own = self._own if first else {}
        return event_of({**wire.event(chunk, **self._said, first=first), **own})

    def end(self, last: StreamChunk) -> bytes:
        """Return the last event, the usage if requested, and the end."""
        said = self.piece(last)
        if self._usage:
            said += event_of(wire.usage_event(last.usage or Usage(), **self._said))
        return said + b"data: [DONE]\n\n"

    def whole(self, chunks: Sequence[StreamChunk]) -> Mapping[str, Any]:
        """Return the whole answer as one object."""
        return {**wire.completion(chunks, **self._said), **self._own}


def event_of(body: Mapping[str, Any]) -> bytes:
    """Return a JSON object as a server-sent event."""
    return b"data: " + encode(body) + b"\n\n"


ROUTES = [Route("/v1/chat/completions", speaking("openai", chat_completions), methods=["POST"])]
