"""``/v1/messages``: Anthropic's Messages API, with memory, and its counting of tokens."""

from collections.abc import Mapping, Sequence
from typing import Any

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from unabridged.domain.chat import ChatRequest, StreamChunk
from unabridged.domain.client_history import RequestEdits, RequestOptions
from unabridged.domain.message import Message
from unabridged.errors import InputError, UnabridgedError
from unabridged.server.chat_flow import answer
from unabridged.server.chat_request import (
    AnswerInfo,
    ChatApiRequest,
    messages_of,
    model_of,
    object_of,
)
from unabridged.server.client_credentials import upstream_headers
from unabridged.server.error_responses import body_in, speaking
from unabridged.server.passthrough import pass_through
from unabridged.server.resolve_scope import scope_of
from unabridged.server.state import service_of
from unabridged.server.stored_responses import AnswerName, round_of
from unabridged.space.space import Space
from unabridged.wire import anthropic as wire
from unabridged.wire.anthropic_answer import (
    PREFIX,
    AnswerHead,
    MessagesSpeaker,
    answer as whole_answer,
    frame,
)
from unabridged.wire.anthropic_request import tool_spec
from unabridged.wire.incoming_message import Wire
from unabridged.wire.lenient_json import mapping, mappings, number, text
from unabridged.wire.originals import items_of

LONG_WINDOW, LONG_BETA = 1_000_000, "context-1m"
"""The window that a client asks for with a beta header, and the beginning of that beta's name."""
_PROGRAM = ("user_", "{")
"""How Claude Code's ``metadata.user_id`` begins, which names a device and a session, no person."""
_NOT_THERE = (404, 405, 501)
"""The statuses of servers for a route that they lack."""


async def create(request: Request) -> Response:
    """Answer a request."""
    body = object_of(await request.body())
    return await answer(request, asked_of(body, request), MessagesWriter)


def asked_of(body: Mapping[str, Any], request: Request) -> ChatApiRequest:
    """Read a request.

    Raises:
        InputError: It is invalid.
    """
    stream = body.get("stream")
    if stream not in (None, True, False):
        raise InputError("The field stream is neither true nor false.")
    messages_of(body)
    drafts = wire.drafts(body)

    def onward(edits: RequestEdits, _: ChatRequest) -> dict[str, Any]:
        items = wire.edited(
            messages_of(body), drafts, edits, lambda inserted: items_of(inserted, wire.DIALECT)
        )
        return {**body, "messages": items}

    return ChatApiRequest(
        dialect=wire.DIALECT,
        body=body,
        model=model_of(body),
        drafts=drafts,
        request_options=RequestOptions(
            tools=tuple(tool_spec(tool) for tool in mappings(body.get("tools"))),
            window=_window(request.headers),
            max_output=number(body.get("max_tokens")) or None,
        ),
        stream=bool(stream),
        user=_user(text(mapping(body.get("metadata")).get("user_id"))),
        onward=onward,
        headers=upstream_headers(request),
        query=request.url.query,
    )


def _window(headers: Headers) -> int | None:
    betas = ",".join(headers.getlist("anthropic-beta")).split(",")
    return LONG_WINDOW if any(each.strip().startswith(LONG_BETA) for each in betas) else None


def _user(named: str) -> str:
    return "" if named.startswith(_PROGRAM) and "session" in named else named


async def count_tokens(request: Request) -> Response:
    """Answer the tokens that a request would take, without what memory would add."""
    raw = await request.body()
    service = service_of(request)
    relay = await service.relay()
    if relay is not None and relay.address.dialect == wire.DIALECT:
        passed = await pass_through(request, relay, body=raw)
        if passed.status_code not in _NOT_THERE:
            return passed
        await passed.drop()
    body = object_of(raw)
    asked = asked_of({**body, "stream": False}, request)
    model = await service.think(lambda: service.upstreams.model(asked.model))
    now = service.clock.now()
    messages = [Message("", draft.role, draft.parts, now) for draft in asked.drafts]

    def counted(space: Space) -> int:
        counter = space.counter(space.info(model or space.shared(Space.quoting)))
        tools = sum(map(counter.tool, asked.request_options.tools))
        return sum(map(counter.sent, messages)) + tools + counter.opening()

    scope = scope_of(request, asked.user, asked.model)
    return JSONResponse({"input_tokens": await service.run(scope, counted, create=False)})


class MessagesWriter:
    """Writes an answer in Anthropic's dialect."""

    media_type = "text/event-stream"

    def __init__(self, asked: ChatApiRequest, moment: AnswerInfo) -> None:
        # Each answer of a tool loop has its own id: clients join those that share one.
        name = AnswerName(moment.id, round_of(asked.drafts))
        self._head = AnswerHead(
            f"{PREFIX}{name.written}", asked.model or moment.model, own=moment.own
        )
        self._speaker = MessagesSpeaker(self._head)

    def begin(self) -> bytes:
        """Return the events of the beginning."""
        return _framed(self._speaker.begin())

    def piece(self, chunk: StreamChunk) -> bytes:
        """Return the events of a piece."""
        return _framed(self._speaker.feed(chunk))

    def end(self, last: StreamChunk) -> bytes:
        """Return the events of the last piece and of the end."""
        return _framed(self._speaker.end(last))

    def failed(self, error: UnabridgedError) -> bytes:
        """Return the event of an error."""
        return frame(body_in(wire.DIALECT, error))

    def whole(self, chunks: Sequence[StreamChunk]) -> Mapping[str, Any]:
        """Return the whole answer as one object."""
        return whole_answer(chunks, self._head)


def _framed(events: Sequence[Wire]) -> bytes:
    return b"".join(frame(event) for event in events)


ROUTES = [
    Route("/v1/messages", speaking(wire.DIALECT, create), methods=["POST"]),
    Route("/v1/messages/count_tokens", speaking(wire.DIALECT, count_tokens), methods=["POST"]),
]
