"""Contexts: prepare one, then store the user's message, tool rounds and the answer.

The server keeps a prepared context for half an hour. Nothing of it is stored before it is begun.
Once begun, it can be answered also after a restart of the server.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Literal

from msgspec import Meta

from unabridged.domain.chat import Usage
from unabridged.domain.context import Context
from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.message import Message, Role, Text
from unabridged.domain.permissions import Right
from unabridged.errors import InputError, NotFoundError
from unabridged.operations.call import Call, What, need
from unabridged.operations.messages import (
    MessageBody,
    PartBody,
    State,
    ToolBody,
    UsageBody,
    parts_from,
    tools_from,
    usage_from,
)
from unabridged.operations.operation import (
    LONGEST_TEXT,
    Effect,
    Name,
    Once,
    Params,
    Title,
    operation,
)
from unabridged.operations.operation_results import RecordedExchange, recorded
from unabridged.space.idempotency import Done
from unabridged.turn.conversation import Conversation
from unabridged.turn.messages import answered_outside
from unabridged.turn.record import (
    Recorded as Written,
    begin,
    begin_behind,
    record as record_answer,
    record_tools,
    resume,
)
from unabridged.wire.incoming_message import IncomingMessage


class Preparation(Params):
    """A message that needs a context.

    Attributes:
        message: The user's message, whole.
        session: The id of the session; without it, a new one begins.
        mode: The mode; by default that of the settings.
        tools: Tools to offer in tools mode, instead of those of the settings.
        retry_of: The id of an exchange to answer again; `message` is then ignored.
        images: URIs of images that belong to the message.
        parts: The content parts of the message, instead of `message` and `images`.
        begin: Whether to store the user's message at once; needs the right `write`.
    """

    message: Annotated[str, Meta(max_length=LONGEST_TEXT)] = ""
    session: Name | None = None
    mode: Literal["chat", "tools"] | None = None
    tools: Annotated[list[ToolBody], Meta(max_length=256)] | None = None
    retry_of: Name | None = None
    images: Annotated[
        tuple[Annotated[str, Meta(min_length=1, max_length=LONGEST_TEXT)], ...], Meta(max_length=64)
    ] = ()
    parts: Annotated[list[PartBody], Meta(min_length=1, max_length=1000)] | None = None
    begin: bool = False


def _planned(call: Call, params: Preparation) -> What:
    return {"context": _prepared(call, params).id}


def _shown_context(call: Call, _: Preparation, what: What) -> Context:
    if (held := _held(call, what["context"])) is None:
        raise NotFoundError(
            f"The context {what['context']} was begun and is no longer kept.",
            hint="Read its ledger as that of any context; record its answer as usual.",
        )
    return _without_manifest(held)


def _begun_context(call: Call, _: Preparation, done: Done) -> What | None:
    return done.what if call.space.log.has(done.what["context"]) else None


_CONTEXT_ONCE = Once(
    note=lambda _, __, context: {"context": context.id},
    show=_shown_context,
    plan=_planned,
    found=_begun_context,
    applies=lambda params: params.begin,
)


@operation(
    "contexts.prepare",
    "POST /prepare",
    "The context, with its ledger.",
    effect=Effect.READS,
    once=_CONTEXT_ONCE,
    query=("begin",),
    tool="prepare",
)
def prepare(call: Call, params: Preparation) -> Context:
    """Prepare the context for a message: what to send to the model, with a ledger of every token.

    It has the session so far, facts about the user and what other sessions said about it, within
    the window. No message is ever cut. A session of an unknown id begins with it. The server keeps it for half an hour; `manifest` and
    `shared` stay there and are empty here.
    """
    if not params.begin:
        return _without_manifest(_prepared(call, params))
    need(call.grant, Right.WRITE)
    # A request that was killed may have planned a context that is no longer kept.
    held = _held(call, call.planned["context"]) or _prepared(call, params)
    begin(call.space, answered_outside(held))
    return _without_manifest(held)


class Beginning(Params):
    """How to begin a context.

    Attributes:
        context: The id of the context.
        title: The title of a new session.
    """

    context: Name
    title: Title | None = None


def _recorded(call: Call, _: Params, what: What) -> RecordedExchange:
    return recorded(call.space, what)


def _note(_: Call, params: "Beginning | Round | AnswerBody", made: RecordedExchange) -> What:
    return {"exchange": params.context, "notes": [*made.notes]}


def _is_there(call: Call, params: Beginning, _: Done) -> What | None:
    there = call.space.log.has(params.context)
    return {"exchange": params.context, "notes": []} if there else None


@operation(
    "contexts.begin",
    "POST /contexts/{context}/begin",
    "The exchange, open.",
    Right.WRITE,
    once=Once(note=_note, show=_recorded, found=_is_there),
    bare=True,
)
def begin_context(call: Call, params: Beginning) -> RecordedExchange:
    """Store the user's message of a prepared context. Afterwards it survives a power cut."""
    held = _held(call, params.context)
    if held is None:
        what: What = {"exchange": _begun(call, params.context).id, "notes": []}
    else:
        what = _noted(begin(call.space, held, params.title or ""))
    return recorded(call.space, what)


class Round(Params):
    """A tool round: calls and results together.

    Attributes:
        context: The id of the context.
        messages: The messages, in order.
    """

    context: Name
    messages: Annotated[list[MessageBody], Meta(min_length=1, max_length=256)]


def _length_before(call: Call, params: Round) -> What:
    held = call.space.log.has(params.context)
    return {"before": len(call.space.log.get(params.context).messages) if held else 0}


def _is_longer(call: Call, params: Round, done: Done) -> What | None:
    if not call.space.log.has(params.context):
        return None
    now = len(call.space.log.get(params.context).messages)
    longer = now >= done.what["before"] + len(params.messages)
    return {"exchange": params.context, "notes": []} if longer else None


@operation(
    "contexts.step",
    "POST /contexts/{context}/step",
    "The exchange, open.",
    Right.WRITE,
    once=Once(note=_note, show=_recorded, plan=_length_before, found=_is_longer),
)
def step(call: Call, params: Round) -> RecordedExchange:
    """Store a tool round of a context: calls and results together."""
    messages = [
        call.space.message(Role(each.role), parts_from(each.parts)) for each in params.messages
    ]
    what = _extended(call, params.context, messages, ExchangeState.OPEN)
    return recorded(call.space, what)


class AnswerBody(Params):
    """The answer to a context.

    Attributes:
        context: The id of the context.
        reply: The text of the answer.
        parts: The content parts of the answer, instead of `reply`.
        state: How far the answer came.
        usage: The tokens that the model server reported.
        behind: Whether to store it behind what others recorded in its session since; else that is
            refused.
    """

    context: Name
    reply: Annotated[str, Meta(max_length=LONGEST_TEXT)] | None = None
    parts: Annotated[list[PartBody], Meta(min_length=1, max_length=1000)] | None = None
    state: State = "complete"
    usage: UsageBody | None = None
    behind: bool = False


def _is_answered(call: Call, params: AnswerBody, _: Done) -> What | None:
    log, name = call.space.log, params.context
    if not log.has(name) or log.get(name).state is ExchangeState.OPEN:
        return None
    return {"exchange": name, "notes": []}


@operation(
    "contexts.record",
    "POST /contexts/{context}/record",
    "The exchange.",
    Right.WRITE,
    once=Once(note=_note, show=_recorded, found=_is_answered),
    records=True,
)
def record(call: Call, params: AnswerBody) -> RecordedExchange:
    """Store the answer to a context; also the user's message, if it is not stored yet."""
    if params.reply is not None and params.parts is not None:
        raise InputError("An answer is either `reply` or `parts`.", hint="Omit one of the two.")
    parts = parts_from(params.parts) if params.parts else []
    if params.reply is not None:
        parts = [Text(params.reply)]
    said = [call.space.message(Role.ASSISTANT, parts)] if parts else []
    state, usage = ExchangeState(params.state), usage_from(params.usage)
    what = _extended(call, params.context, said, state, usage, behind=params.behind)
    return recorded(call.space, what)


def _prepared(call: Call, params: Preparation) -> Context:
    named = call.session_to_write(params.session)
    if params.parts is not None and (params.message or params.images):
        raise InputError("A message is `message` or `parts`.", hint="Omit one of the two.")
    parts = params.parts and IncomingMessage(Role.USER, tuple(parts_from(params.parts)))
    context = Conversation(call.space, named).prepare(
        parts or params.message,
        mode=params.mode,
        tools=tools_from(params.tools),
        retry_of=call.exchange(params.retry_of).id if params.retry_of else None,
        images=params.images,
        reach=named if call.grant.session or call.is_narrow else None,
    )
    call.pending.contexts.put(call.owner, context.id, context)
    return context


def _without_manifest(context: Context) -> Context:
    return replace(context, manifest={}, shared={})


def _held(call: Call, context: str) -> Context | None:
    held = call.pending.contexts.get(call.owner, context)
    if held is None or not call.reaches(held.scope.session or ""):
        return None
    return answered_outside(held)


def _begun(call: Call, context: str) -> Exchange:
    if call.space.log.has(context):
        return call.exchange(context)
    raise NotFoundError(
        f"There is no context {context!r}, or it is no longer kept.",
        hint="A prepared context is kept for half an hour: prepare the message again.",
    )


def _extended(
    call: Call,
    context: str,
    messages: Sequence[Message],
    state: ExchangeState,
    usage: Usage | None = None,
    *,
    behind: bool = False,
) -> What:
    space, held = call.space, _held(call, context)
    stored = space.log.get(context) if space.log.has(context) else None
    _check_results([*(stored.messages if stored else ()), *messages])
    if held is None:
        return _noted(resume(space, _begun(call, context), messages, state, usage))
    placed, begun = begin_behind(space, held) if behind else (held, begin(space, held))
    if state is ExchangeState.OPEN:
        return _noted(begun, record_tools(space, placed, messages, begun))
    reply = messages[0] if messages else None
    return _noted(begun, record_answer(space, placed, reply, state=state, usage=usage, begun=begun))


def _check_results(messages: Sequence[Message]) -> None:
    called = {call.id for message in messages for call in message.calls}
    orphans = {r.call_id for message in messages for r in message.results} - called
    if orphans:
        raise InputError(
            f"The tool result {min(orphans)!r} has no call.",
            hint="Send the call in the same round, before its result.",
        )


def _noted(*written: Written) -> What:
    notes = dict.fromkeys(note for one in written for note in one.notes)
    return {"exchange": written[-1].exchange.id, "notes": [*notes]}
