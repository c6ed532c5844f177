"""``/v1/responses``: OpenAI's Responses API, with memory.

``previous_response_id`` continues from what is stored: a response is an answer in an exchange, and
its id contains the exchange's. ``store: false`` does not turn memory off, since memory is this
server's purpose; for that a client sends ``X-Unabridged: readonly`` or ``off``.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from unabridged.domain.chat import StreamChunk
from unabridged.domain.exchange import ExchangeState
from unabridged.domain.message import ToolCall
from unabridged.errors import InputError, NotFoundError, UnabridgedError
from unabridged.server.chat_flow import answer, way_of
from unabridged.server.chat_request import AnswerInfo, ChatApiRequest, model_of, object_of
from unabridged.server.error_responses import code_of, message_in, speaking
from unabridged.server.passthrough import pass_through
from unabridged.server.resolve_scope import scope_of
from unabridged.server.state import service_of
from unabridged.server.stored_responses import (
    AnswerName,
    StoredResponses,
    name_from,
    past_of,
    round_of,
)
from unabridged.space.space import Space
from unabridged.wire import responses as wire
from unabridged.wire.incoming_message import IncomingMessage, Wire
from unabridged.wire.lenient_json import mappings, text
from unabridged.wire.responses_answer import (
    PREFIX,
    ResponseHead,
    Speaker,
    frame,
    input_items,
    output_items,
    response,
)
from unabridged.wire.translate_options import to_ollama

_NOT_THERE = (404, 405, 501)
"""The statuses of servers for a route that they lack."""
_CODES = {"context_length_exceeded": "invalid_prompt"}
"""Our codes as codes of a failed response; all others are ``server_error``."""


async def create(request: Request) -> Response:
    """Answer a request."""
    raw = await request.body()
    body = object_of(raw)
    if way_of(request) == "off" and (untouched := await _untouched(request, raw)) is not None:
        return untouched
    model = model_of(body)
    past, found = await _kept(request, body)
    before = past.drafts if past else ()
    names = {
        part.id: part.name for draft in before for part in draft.parts if isinstance(part, ToolCall)
    }
    read = wire.asked(body, names=names, find=found.get)
    rules = _rules(read.drafts)
    new = read.drafts[len(rules) :]
    if not new:
        raise InputError("The request has no input.", hint='Send it: "input": "…".')
    asked = ChatApiRequest(
        dialect="openai",
        body=body,
        model=model,
        drafts=(*rules, *before, *new),
        request_options=read.request_options,
        stream=read.stream,
        user=text(body.get("user")),
        options=lambda upstream: (
            to_ollama(read.request_options.options)
            if upstream == "ollama"
            else read.request_options.options
        ),
        session=past.exchange.session if past else None,
        notes=read.notes,
    )
    return await answer(request, asked, lambda a, m: ResponsesWriter(a, m, read))


async def _untouched(request: Request, raw: bytes) -> Response | None:
    relay = await service_of(request).relay()
    if relay is None or relay.address.dialect != "openai":
        return None
    passed = await pass_through(request, relay, body=raw, more={"x-unabridged-way": "off"})
    if passed.status_code not in _NOT_THERE:
        return passed
    await passed.drop()
    return None


def _rules(drafts: Sequence[IncomingMessage]) -> tuple[IncomingMessage, ...]:
    return tuple(draft for draft in drafts[:1] if draft.role.value == "system")


async def _kept(
    request: Request, body: Mapping[str, Any]
) -> tuple[StoredResponses | None, dict[str, list[Wire]]]:
    named = body.get("previous_response_id")
    if named is not None and not isinstance(named, str):
        raise InputError(
            "The field previous_response_id is not a text.", hint="Send a response's id."
        )
    previous = text(named)
    given = mappings(body.get("input"))
    refers = {
        text(i.get("id")) for i in given if i.get("type") == "item_reference" or set(i) == {"id"}
    }
    if not previous and not refers:
        return None, {}
    scope = scope_of(request, text(body.get("user")), text(body.get("model")))
    name = name_from(previous.removeprefix(PREFIX)) if previous else None

    def looked(space: Space) -> tuple[StoredResponses | None, dict[str, list[Wire]]]:
        past = past_of(space, name, scope.session) if name else None
        items = {each: _item(space, each, scope.session) for each in refers}
        return past, {each: found for each, found in items.items() if found is not None}

    past, found = await service_of(request).run(scope, looked)
    if previous and past is None:
        raise InputError(
            f"Previous response with id {previous!r} not found.",
            hint="Send the whole history as input: the response was forgotten or never recorded.",
        )
    return past, found


def _item(space: Space, wanted: str, session: str | None) -> list[Wire] | None:
    kind, _, rest = wanted.partition("_")
    name = name_from(rest.rpartition("_")[0])
    past = past_of(space, name, session, before=False) if name else None
    if name is None or past is None or past.answer is None:
        return None
    items = output_items([past.answer], name.written)
    return [item for item in items if item["id"] == wanted] or ([] if kind == "rs" else None)


# ---- what is stored ---------------------------------------------------------------------------


async def _stored(request: Request) -> tuple[str, StoredResponses]:
    wanted = str(request.path_params["response"])
    scope = scope_of(request)
    name = name_from(wanted.removeprefix(PREFIX)) if wanted.startswith(PREFIX) else None
    past = None
    if name is not None:
        service = service_of(request)
        past = await service.run(
            scope, lambda space: past_of(space, name, scope.session, before=False)
        )
    if past is None:
        raise NotFoundError(
            f"Response with id {wanted!r} not found.", hint="It was forgotten or never recorded."
        )
    return wanted, past


async def retrieve(request: Request) -> Response:
    """Answer a stored response.

    Raises:
        InputError: It is requested as a stream.
    """
    if request.query_params.get("stream") in ("true", "1"):
        raise InputError("A stored response cannot be streamed.", hint="Leave stream out.")
    wanted, past = await _stored(request)
    exchange = past.exchange
    head = ResponseHead(wanted, exchange.model or "", int(exchange.at.timestamp()), wire.echoed())
    items = output_items([past.answer], head.key) if past.answer else []
    status = _status(past)
    failed = {"code": "server_error", "message": "There is no answer."}
    error = {"error": failed} if status == "failed" else {}
    return JSONResponse(response(head, status, output=items, **error))


def _status(past: StoredResponses) -> str:
    if past.answer is None:
        return "in_progress" if past.exchange.state is ExchangeState.OPEN else "failed"
    cut = past.last and past.exchange.state is ExchangeState.INCOMPLETE
    return "incomplete" if cut else "completed"


async def list_input(request: Request) -> Response:
    """Answer the input of a stored response."""
    _, past = await _stored(request)
    items = input_items(past.heard)
    if request.query_params.get("order", "desc") == "desc":
        items.reverse()
    return JSONResponse(
        {
            "object": "list",
            "data": items,
            "first_id": items[0]["id"] if items else None,
            "last_id": items[-1]["id"] if items else None,
            "has_more": False,
        }
    )


async def delete(request: Request) -> Response:
    """Refuse, and name the way to forget: an exchange is more than one response.

    Raises:
        InputError: Always, if there is such a response.
    """
    _, past = await _stored(request)
    raise InputError(
        "Responses are not deleted one by one here: memory stores whole exchanges.",
        hint=f"Forget the exchange: POST /memory/forget, or `unabridged forget {past.exchange.id}`.",
    )


class ResponsesWriter:
    """Writes an answer as events of the Responses API, with an echo of the request."""

    media_type = "text/event-stream"

    def __init__(
        self, asked: ChatApiRequest, moment: AnswerInfo, read: wire.ResponsesRequest
    ) -> None:
        self._moment = moment
        name = AnswerName(moment.id, round_of(asked.drafts))
        head = ResponseHead(
            f"{PREFIX}{name.written}",
            asked.model or moment.model,
            int(moment.at.timestamp()),
            {**read.echo, **moment.own},
            read.custom,
            read.spaces,
        )
        self._speaker = Speaker(head)

    def begin(self) -> bytes:
        """Return the events of the beginning."""
        return _framed(self._speaker.begin())

    def piece(self, chunk: StreamChunk) -> bytes:
        """Return the events of a piece."""
        return _framed(self._speaker.feed(chunk))

    def end(self, last: StreamChunk) -> bytes:
        """Return the events of the last piece, and the whole response."""
        return _framed([*self._speaker.feed(last), *self._speaker.end(self._now())])

    def failed(self, error: UnabridgedError) -> bytes:
        """Return the event of an answer that broke off."""
        code = _CODES.get(code_of(error), "server_error")
        return _framed(self._speaker.fail(message_in("openai", error), code))

    def whole(self, chunks: Sequence[StreamChunk]) -> Mapping[str, Any]:
        """Return the whole response as one object."""
        for chunk in chunks:
            self._speaker.feed(chunk)
        return self._speaker.whole(self._now())

    def _now(self) -> int:
        return int(self._moment.clock.now().timestamp())


def _framed(events: Sequence[Wire]) -> bytes:
    return b"".join(frame(event) for event in events)


ROUTES = [
    Route("/v1/responses", speaking("openai", create), methods=["POST"]),
    Route("/v1/responses/{response}", speaking("openai", retrieve), methods=["GET"]),
    Route("/v1/responses/{response}", speaking("openai", delete), methods=["DELETE"]),
    Route("/v1/responses/{response}/input_items", speaking("openai", list_input), methods=["GET"]),
]
