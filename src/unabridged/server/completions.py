"""``/v1/completions``: continue a text, without recall and recording.

An OpenAI-compatible upstream gets the request unchanged, Ollama as ``/api/generate``; a model
inside this process answers it as one user message.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from unabridged.domain.chat import StreamChunk, Usage
from unabridged.domain.client_history import RequestOptions
from unabridged.domain.message import Role, Text
from unabridged.server.chat_flow import answer
from unabridged.server.chat_openai import EventWriter, event_of
from unabridged.server.chat_request import ChatApiRequest, model_of, object_of
from unabridged.server.error_responses import speaking
from unabridged.server.passthrough import lacking, pass_through
from unabridged.server.state import service_of
from unabridged.server.text_completion import continued
from unabridged.wire import text_completion as wire
from unabridged.wire.incoming_message import IncomingMessage, merged
from unabridged.wire.lenient_json import mapping, number, text

WAY = "completion"
"""The value of the header ``X-Unabridged-Way``."""


async def complete(request: Request) -> Response:
    """Continue a text."""
    raw = await request.body()
    relay = await service_of(request).relay()
    if relay is not None and relay.address.dialect == "openai":
        return await pass_through(request, relay, body=raw)
    body = object_of(raw)
    asked = _asked(body)
    if relay is not None and relay.address.dialect == "ollama":
        return await continued(request, relay, asked, wire.generate_body(body), CompletionWriter)
    if text(body.get("suffix")):
        there = relay.address.dialect if relay else "none"
        raise lacking("completion between two texts", there)
    return await answer(request, asked, CompletionWriter, bare=WAY)


def _asked(body: Mapping[str, Any]) -> ChatApiRequest:
    return ChatApiRequest(
        dialect="openai",
        body=body,
        model=model_of(body),
        drafts=(IncomingMessage(Role.USER, (Text(wire.prompt_of(body)),)),),
        request_options=RequestOptions(max_output=number(body.get("max_tokens")) or None),
        stream=body.get("stream") is True,
        user=text(body.get("user")),
        usage=bool(mapping(body.get("stream_options")).get("include_usage")),
    )


class CompletionWriter(EventWriter):
    """Writes a continued text in OpenAI's dialect."""

    prefix = "cmpl-"

    def piece(self, chunk: StreamChunk) -> bytes:
        """Return one event; this dialect has no field for thinking."""
        return event_of(wire.completion(chunk, **self._said)) if chunk.text or chunk.done else b""

    def end(self, last: StreamChunk) -> bytes:
        """Return the last event, the usage if requested, and the end."""
        said = self.piece(last)
        if self._usage:
            told = wire.completion(last, **self._said, usage=last.usage or Usage())
            said += event_of({**told, "choices": []})
        return said + b"data: [DONE]\n\n"

    def whole(self, chunks: Sequence[StreamChunk]) -> Mapping[str, Any]:
        """Return the whole answer as one object."""
        last = merged(chunks)
        return wire.completion(last, **self._said, usage=last.usage or Usage())


ROUTES = [Route("/v1/completions", speaking("openai", complete), methods=["POST"])]
