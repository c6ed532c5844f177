"""Contexts over HTTP: preparing one, storing the user's message, tool rounds and the answer.

A context that was prepared is held by the server for half an hour, and known by its id. Nothing of
it is stored before it is begun; what was begun can be answered also after the server was started
anew.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from pydantic import Field
from starlette.responses import Response

from unabridged.domain.chat import ToolSpec, Usage
from unabridged.domain.context import Context
from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.message import Message, Role, Text
from unabridged.domain.permissions import Right
from unabridged.errors import InputError, NotFoundError
from unabridged.server.routes.api_calls import ApiCall, Asked, Id
from unabridged.server.routes.idempotency_key import IdempotentWrite, What, perform
from unabridged.server.routes.json_responses import given
from unabridged.server.routes.openapi import answers
from unabridged.server.routes.params import (
    LONGEST,
    Body,
    MessageBody,
    Name,
    PartBody,
    State,
    Title,
    UsageBody,
    parts_from,
    usage_from,
)
from unabridged.server.routes.pending_values import holding_of
from unabridged.server.routes.route import MemoryRoute
from unabridged.server.routes.route_results import RecordedExchange, recorded
from unabridged.space.idempotency import Done
from unabridged.space.space import Space
from unabridged.turn.conversation import Conversation
from unabridged.turn.record import (
    Recorded as Written,
    begin,
    record as record_answer,
    record_tools,
    resume,
)

router = APIRouter(
    prefix="/memory",
    tags=["contexts"],
    route_class=MemoryRoute,
    default_response_class=Response,
)


class ToolBody(Body):
    """A tool as a model sees it."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
    description: str = Field(default="", max_length=100_000)
    parameters: dict[str, Any] = Field(default_factory=dict)
    """JSON Schema of its arguments, an object."""


class Preparation(Body):
    """A message that a context is to be made for."""

    message: str = Field(default="", max_length=LONGEST)
    """The user's words."""
    session: Name | None = None
    """The id of the session; without it, a new one begins."""
    mode: Literal["chat", "tools"] | None = None
    """The mode; without it, that of the settings."""
    tools: list[ToolBody] | None = Field(default=None, max_length=256)
    """Tools to offer in tools mode, in place of those of the settings."""
    retry_of: Name | None = None
    """The id of an exchange whose message is answered again; then `message` is not looked at."""
    images: list[Annotated[str, Field(min_length=1, max_length=LONGEST)]] = Field(
        default_factory=list, max_length=64
    )
    """URIs of pictures that go with the message."""


class Beginning(Body):
    """How a context is begun."""

    title: Title | None = None
    """The title of a session that begins with it."""


class Round(Body):
    """A tool round: calls and their results together."""

    messages: list[MessageBody] = Field(min_length=1, max_length=256)


class AnswerBody(Body):
    """The answer to a context."""

    reply: str | None = Field(default=None, max_length=LONGEST)
    """The answer's words."""
    parts: list[PartBody] | None = Field(default=None, min_length=1, max_length=1000)
    """The answer's content parts, in place of `reply`."""
    state: State = "complete"
    usage: UsageBody | None = None


@router.post("/prepare", responses=answers(Context, "The context, with its ledger."))
async def prepare(
    call: Asked,
    body: Preparation,
    *,
    begin_now: Annotated[
        bool,
        Query(
            alias="begin",
            description="Whether the user's message is stored at once; needs `write`.",
        ),
    ] = False,
) -> Response:
    """Make the context for a message: what to send to the model, and an account of every token.

    The server holds it for half an hour; `manifest` and `shared` stay with it and are empty here.
    """
    if not begin_now:
        context = await call.run(lambda space: _prepared(call, space, body))
        return given(_shown(context))
    call.need(Right.WRITE)

    def plan(space: Space) -> What:
        return {"context": _prepared(call, space, body).id}

    def do(space: Space, what: What) -> What:
        held = _held(call, what["context"])
        if held is None:  # planned by a request that was killed
            held = _prepared(call, space, body)
        begin(space, held)
        return {"context": held.id}

    def show(_: Space, what: What) -> Context:
        if (held := _held(call, what["context"])) is None:
            raise NotFoundError(
                f"The context {what['context']} was begun, and is held no more.",
                hint="Read its ledger with GET /memory/contexts/ID; record its answer as usual.",
            )
        return _shown(held)

    def found(space: Space, done: Done) -> What | None:
        return done.what if space.log.has(done.what["context"]) else None

    return await perform(call, IdempotentWrite(do, show, plan, found))


@router.post(
    "/contexts/{context}/begin", responses=answers(RecordedExchange, "The exchange, open.")
)
async def begin_context(call: Asked, context: Id, body: Beginning | None = None) -> Response:
    """Store the user's message of a prepared context; afterwards it survives a power cut."""
    title = (body.title if body else None) or ""

    def do(space: Space, _: What) -> What:
        held = _held(call, context)
        if held is None:
            return {"exchange": _begun(call, space, context).id, "notes": []}
        return _noted(begin(space, held, title))

    return await perform(call, IdempotentWrite(do, recorded, found=_is_there(context)))


@router.post("/contexts/{context}/step", responses=answers(RecordedExchange, "The exchange, open."))
async def step(call: Asked, context: Id, body: Round) -> Response:
    """Store a tool round of a context: calls and their results together."""

    def plan(space: Space) -> What:
        held = space.log.has(context)
        return {"before": len(space.log.get(context).messages) if held else 0}

    def do(space: Space, _: What) -> What:
        messages = [
            space.message(Role(each.role), parts_from(each.parts)) for each in body.messages
        ]
        return _extended(call, space, context, messages, ExchangeState.OPEN)

    def found(space: Space, done: Done) -> What | None:
        if not space.log.has(context):
            return None
        longer = len(space.log.get(context).messages) >= done.what["before"] + len(body.messages)
        return {"exchange": context, "notes": []} if longer else None

    return await perform(call, IdempotentWrite(do, recorded, plan, found))


@router.post("/contexts/{context}/record", responses=answers(RecordedExchange, "The exchange."))
async def record(call: Asked, context: Id, body: AnswerBody) -> Response:
    """Store the answer to a context, and begin it where it was not begun."""
    if body.reply is not None and body.parts is not None:
        raise InputError("An answer is `reply` or `parts`.", hint="Leave one of the two out.")

    def do(space: Space, _: What) -> What:
        parts = parts_from(body.parts) if body.parts else []
        if body.reply is not None:
            parts = [Text(body.reply)]
        said = [space.message(Role.ASSISTANT, parts)] if parts else []
        usage = usage_from(body.usage)
        return _extended(call, space, context, said, ExchangeState(body.state), usage)

    def found(space: Space, _: Done) -> What | None:
        if not space.log.has(context) or space.log.get(context).state is ExchangeState.OPEN:
            return None
        return {"exchange": context, "notes": []}

    answer = await perform(call, IdempotentWrite(do, recorded, found=found))
    call.recorded()
    return answer


def _prepared(call: ApiCall, space: Space, body: Preparation) -> Context:
    retry_of = call.exchange(space, body.retry_of).id if body.retry_of else None
    named = call.named(space, body.session)
    tools = None
    if body.tools is not None:
        tools = [ToolSpec(t.name, t.description, t.parameters) for t in body.tools]
    context = Conversation(space, named).prepare(
        body.message,
        mode=body.mode,
        tools=tools,
        retry_of=retry_of,
        images=body.images,
        reach=named if call.grant.session else None,
    )
    holding_of(call.request).contexts.put(call.owner, context.id, context)
    return context


def _shown(context: Context) -> Context:
    return replace(context, manifest={}, shared={})


def _held(call: ApiCall, context: str) -> Context | None:
    held = holding_of(call.request).contexts.get(call.owner, context)
    return held if held is not None and call.reaches(held.scope.session or "") else None


def _begun(call: ApiCall, space: Space, context: str) -> Exchange:
    if space.log.has(context):
        return call.exchange(space, context)
    raise NotFoundError(
        f"There is no context {context!r} any more.",
        hint="A prepared context is held for half an hour: prepare the message again.",
    )


def _extended(  # noqa: PLR0917 - all of it is what is written
    call: ApiCall,
    space: Space,
    context: str,
    messages: Sequence[Message],
    state: ExchangeState,
    usage: Usage | None = None,
) -> What:
    held = _held(call, context)
    stored = space.log.get(context) if space.log.has(context) else None
    _check_results([*(stored.messages if stored else ()), *messages])
    if held is None:
        return _noted(resume(space, _begun(call, space, context), messages, state, usage))
    begun = begin(space, held)
    if state is ExchangeState.OPEN:
        return _noted(begun, record_tools(space, held, messages, begun))
    reply = messages[0] if messages else None
    return _noted(begun, record_answer(space, held, reply, state=state, usage=usage, begun=begun))


def _check_results(messages: Sequence[Message]) -> None:
    called = {call.id for message in messages for call in message.calls}
    orphans = {r.call_id for message in messages for r in message.results} - called
    if orphans:
        raise InputError(
            f"There is a tool result without its call: {min(orphans)!r}.",
            hint="Send the call in the same round, before its result.",
        )


def _noted(*written: Written) -> What:
    notes = dict.fromkeys(note for one in written for note in one.notes)
    return {"exchange": written[-1].exchange.id, "notes": [*notes]}


def _is_there(exchange: str) -> Callable[[Space, Done], What | None]:
    def found(space: Space, _: Done) -> What | None:
        return {"exchange": exchange, "notes": []} if space.log.has(exchange) else None

    return found
