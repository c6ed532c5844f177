"""``/api/chat``: Ollama's dialect, with memory."""

from collections.abc import Mapping, Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from unabridged.domain.chat import ChatRequest, StreamChunk, ToolSpec
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
from unabridged.server.passthrough import pass_through
from unabridged.server.state import service_of
from unabridged.server.usual_window import in_usual_window
from unabridged.wire import ollama as wire
from unabridged.wire.edit_messages import edited_items
from unabridged.wire.lenient_json import mapping, mappings, number
from unabridged.wire.openai import tool_spec
from unabridged.wire.originals import items_of
from unabridged.wire.stream_lines import encode


async def chat(request: Request) -> Response:
    """Answer a chat request."""
    raw = await request.body()
    body = object_of(raw)
    if not body.get("messages"):
        return await _loaded(request, body)
    return await answer(request, asked_of(body), OllamaWriter)


async def _loaded(request: Request, body: Mapping[str, Any]) -> Response:
    relay = await service_of(request).relay()
    if relay is None or relay.address.dialect != "ollama":
        raise InputError("The request has no messages.", hint='Send them: "messages": [{…}].')
    return await pass_through(request, relay, body=await in_usual_window(request, body))


def asked_of(body: Mapping[str, Any]) -> ChatApiRequest:
    """Read a chat request.

    Raises:
        InputError: It is invalid.
    """
    tools = tuple(tool_spec(tool) for tool in mappings(body.get("tools")))
    return ChatApiRequest(
        dialect="ollama",
        body=body,
        model=model_of(body),
        drafts=wire.drafts(messages_of(body)),
        request_options=request_options_of(body, tools),
        stream=streams(body),
        onward=lambda edits, sent: _onward(body, edits, sent),
    )


def request_options_of(body: Mapping[str, Any], tools: tuple[ToolSpec, ...] = ()) -> RequestOptions:
    """Read the window and the limit that a request of this dialect asks for."""
    options = mapping(body.get("options"))
    return RequestOptions(
        tools=tools,
        window=number(options.get("num_ctx")) or None,
        max_output=number(options.get("num_predict")) or None,
    )


def streams(body: Mapping[str, Any]) -> bool:
    """Return whether to stream the answer; yes by default.

    Raises:
        InputError: The field is not a boolean.
    """
    stream = body.get("stream", True)
    if not isinstance(stream, bool):
        raise InputError("The field stream is neither true nor false.")
    return stream


def _onward(body: Mapping[str, Any], edits: RequestEdits, sent: ChatRequest) -> dict[str, Any]:
    options = {**mapping(body.get("options")), "num_ctx": sent.window}
    if options.get("num_predict") is None and sent.max_output is not None:
        options["num_predict"] = sent.max_output
    items = edited_items(messages_of(body), edits, lambda m: items_of(m, "ollama"))
    wire_body = {**body, "messages": items, "options": options}
    return wire_body | {"truncate": False, "shift": False, "stream": body.get("stream", True)}


class LineWriter:
    """The common part of all answers as JSON lines in Ollama's dialect."""

    media_type = "application/x-ndjson"

    def __init__(self, asked: ChatApiRequest, moment: AnswerInfo) -> None:
        self._model = asked.model or moment.model
        self._moment = moment

    def begin(self) -> bytes:
        """Return nothing: a stream has no beginning."""
        return b""

    def failed(self, error: UnabridgedError) -> bytes:
        """Return the line of an error."""
        return encode(body_in("ollama", error)) + b"\n"

    @property
    def _said(self) -> dict[str, Any]:
        moment = self._moment
        return {"model": self._model, "created": moment.stamp(), "seconds": moment.seconds()}


class OllamaWriter(LineWriter):
    """Writes an answer in Ollama's dialect."""

    def piece(self, chunk: StreamChunk) -> bytes:
        """Return one line."""
        return encode(wire.line(chunk, **self._said)) + b"\n"

    def end(self, last: StreamChunk) -> bytes:
        """Return the line with ``done``."""
        return encode({**wire.line(last, **self._said), **self._moment.own}) + b"\n"

    def whole(self, chunks: Sequence[StreamChunk]) -> Mapping[str, Any]:
        """Return the whole answer as one object."""
        return {**wire.answer(chunks, **self._said), **self._moment.own}


ROUTES = [Route("/api/chat", speaking("ollama", chat), methods=["POST"])]
