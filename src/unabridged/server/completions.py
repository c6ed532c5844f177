"""``/v1/completions``: going on with a text. Neither recalled nor recorded.

To an OpenAI-compatible upstream it goes as it is; to Ollama as ``/api/generate``; inside this
process it is answered as one user message.
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
"""What the header ``X-Unabridged-Way`` says of it."""


async def complete(request: Request) -> Response:
    """Go on with a text."""
    raw = await request.body()
    relay = await service_of(request).relay()
    if relay is not None and relay.address.dialect == "openai":
        return await pass_through(request, relay, body=raw)
    body = object_of(raw)
    asked = _asked(body)
    if relay is not None:
        return await continued(request, relay, asked, wire.generate_body(body), CompletionWriter)
    if text(body.get("suffix")):
        raise lacking("completion between two texts", "none")
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
    """Says a text that goes on, in OpenAI's dialect."""

    prefix = "cmpl-"

    def piece(self, chunk: StreamChunk) -> bytes:
        """One event; thinking has no place in this dialect."""
        return event_of(wire.completion(chunk, **self._said)) if chunk.text or chunk.done else b""

    def end(self, last: StreamChunk) -> bytes:
        """The last event, the usage where it was asked for, and the end."""
        said = self.piece(last)
        if self._usage:
            told = wire.completion(last, **self._said, usage=last.usage or Usage())
            said += event_of({**told, "choices": []})
        return said + b"data: [DONE]\n\n"

    def whole(self, chunks: Sequence[StreamChunk]) -> Mapping[str, Any]:
        """The whole answer as one object."""
        last = merged(chunks)
        return wire.completion(last, **self._said, usage=last.usage or Usage())


ROUTES = [Route("/v1/completions", speaking("openai", complete), methods=["POST"])]
