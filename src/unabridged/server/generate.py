"""``/api/generate``: Ollama's older chat endpoint, with memory.

A prompt is one user message with an optional system prompt and pictures. It recalls and is recorded
as in a chat, and begins a new conversation. The answer's ``context``, sent back, continues that
conversation: it names the answer and contains none of its text. Requests that continue a text
(``raw``, ``suffix``, a ``template``), load a model or make a picture are neither recalled nor
recorded, and go to an Ollama unchanged.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from unabridged.domain.chat import StreamChunk
from unabridged.domain.message import Role, Text
from unabridged.errors import InputError
from unabridged.net.relay import UpstreamRelay
from unabridged.server.auxiliary_requests import side_request
from unabridged.server.chat_flow import answer, way_of
from unabridged.server.chat_ollama import LineWriter, request_options_of, streams
from unabridged.server.chat_request import AnswerInfo, ChatApiRequest, model_of, object_of
from unabridged.server.completions import WAY
from unabridged.server.error_responses import speaking
from unabridged.server.passthrough import lacking, pass_through
from unabridged.server.resolve_scope import scope_of
from unabridged.server.state import service_of
from unabridged.server.stored_responses import (
    AnswerName,
    StoredResponses,
    name_from,
    past_of,
    round_of,
)
from unabridged.server.text_completion import continued
from unabridged.server.usual_window import in_usual_window
from unabridged.wire import text_completion as wire
from unabridged.wire.incoming_message import IncomingMessage, merged
from unabridged.wire.lenient_json import text
from unabridged.wire.stream_lines import encode
from unabridged.wire.translate_options import options_for


async def generate(request: Request) -> Response:
    """Answer a request."""
    raw = await request.body()
    body = object_of(raw)
    relay = await service_of(request).relay()
    if not wire.is_conversation(body):
        return await _gone_on_with(request, body, relay, raw)
    drafts = wire.generate_drafts(body)
    rules = service_of(request).side_rules
    way = "off" if way_of(request) == "off" else side_request(drafts, body, rules)
    if relay is not None and relay.address.dialect == "ollama" and way:
        raw = raw if way == "off" else await in_usual_window(request, body)
        return await pass_through(request, relay, body=raw, more={"x-unabridged-way": way})
    past = await _past(request, body)
    before = past.drafts if past else ()
    asked = _asked(body, (*drafts[:-1], *before, drafts[-1]), past)
    return await answer(request, asked, GenerateWriter)


async def _past(request: Request, body: Mapping[str, Any]) -> StoredResponses | None:
    written = wire.name_in(body.get("context"))
    if written is None:
        return None
    name, scope = name_from(written), scope_of(request, model=model_of(body))
    found = None
    if name is not None:
        service = service_of(request)
        found = await service.run(scope, lambda space: past_of(space, name, scope.session))
    if found is None:
        raise InputError(
            "The context names no answer that is stored here.",
            hint="Leave it out once, then use the context of the next answer.",
        )
    return found


def _asked(
    body: Mapping[str, Any],
    drafts: tuple[IncomingMessage, ...],
    past: StoredResponses | None = None,
) -> ChatApiRequest:
    return ChatApiRequest(
        dialect="ollama",
        body=body,
        model=model_of(body),
        drafts=drafts,
        request_options=request_options_of(body),
        stream=streams(body),
        options=lambda upstream: options_for("ollama", upstream, body),
        session=past.exchange.session if past else None,
    )


async def _gone_on_with(
    request: Request, body: Mapping[str, Any], relay: UpstreamRelay | None, raw: bytes
) -> Response:
    there = relay.address.dialect if relay else "none"
    if relay is not None and there == "ollama":
        off = way_of(request) == "off"
        sent = raw if off else await in_usual_window(request, body)
        return await pass_through(request, relay, body=sent)
    if not body.get("prompt") and not body.get("suffix"):
        return _loaded(request, body)
    asked = _asked(body, (IncomingMessage(Role.USER, (Text(text(body.get("prompt"))),)),))
    if relay is not None and there == "openai":
        return await continued(request, relay, asked, wire.completions_body(body), GenerateWriter)
    for name in ("suffix", "template", "width", "height", "steps"):
        if body.get(name):
            raise lacking(f"answer to a request with {name}", there)
    return await answer(request, asked, GenerateWriter, bare=WAY)


def _loaded(request: Request, body: Mapping[str, Any]) -> Response:
    clock = service_of(request).clock
    moment = AnswerInfo(id="", at=clock.now(), model="", clock=clock)
    said = wire.generation(StreamChunk(done=True), model=model_of(body), created=moment.stamp())
    return JSONResponse({**said, "done_reason": "load"})


class GenerateWriter(LineWriter):
    """Writes an answer as ``/api/generate`` does."""

    def __init__(self, asked: ChatApiRequest, moment: AnswerInfo) -> None:
        super().__init__(asked, moment)
        name = AnswerName(moment.id, round_of(asked.drafts))
        self._context = wire.context_of(name.written)

    def piece(self, chunk: StreamChunk) -> bytes:
        """Return one line."""
        return encode(wire.generation(chunk, **self._said)) + b"\n"

    def end(self, last: StreamChunk) -> bytes:
        """Return the line with ``done`` and the context that continues the conversation."""
        return encode(self._last(last)) + b"\n"

    def whole(self, chunks: Sequence[StreamChunk]) -> Mapping[str, Any]:
        """Return the whole answer as one object."""
        return self._last(merged(chunks))

    def _last(self, chunk: StreamChunk) -> dict[str, Any]:
        known = {"context": self._context} if self._moment.stored else {}
        return {**wire.generation(chunk, **self._said), **known, **self._moment.own}


ROUTES = [Route("/api/generate", speaking("ollama", generate), methods=["POST"])]
