"""The write path of a turn: the user's message first, tool rounds as they happen, then the answer."""

from collections.abc import Sequence
from dataclasses import asdict, replace

from unabridged.budget.count import Counter
from unabridged.context.manifest import context_record, context_records
from unabridged.domain.chat import Usage
from unabridged.domain.context import Context
from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.message import Message, Role
from unabridged.domain.record import Record, RecordKind
from unabridged.errors import HeadMovedError
from unabridged.ports import ChatModel, Store
from unabridged.recording import sessions as sessions_of
from unabridged.recording.forgotten_filter import Recorded
from unabridged.recording.record import extend_exchange, open_exchange
from unabridged.space.space import Space
from unabridged.turn.prepare import lesson

__all__ = ["Recorded", "begin", "begin_behind", "record", "record_tools", "resume"]

ATTEMPTS = 20
"""Attempts to store an exchange after a head that other writers move."""


def begin(
    space: Space, context: Context, title: str = "", *, begun: Recorded | None = None
) -> Recorded:
    """Store the user's message of a context; when this returns, it survives a power cut.

    Forgotten text is not stored; the notes report it. An exchange that was begun before is
    returned as it is. ``title`` is for a new session; empty to take it from the message.

    Raises:
        HeadMovedError: The session has changed since the context was prepared.
    """
    if begun is not None and not begun.stored:
        return begun
    if (known := space.forgotten.opened(context, begun=begun is not None)) is not None:
        return known
    store = space.dependencies.store
    exchange = open_exchange(store, context, context_records(store, context))
    session = space.sessions.get(exchange.session) if title and context.new_session else None
    if session is not None:
        space.sessions.rename(session, title)
    return Recorded(exchange)


def begin_behind(space: Space, context: Context, title: str = "") -> tuple[Context, Recorded]:
    """Store the user's message of a context after what others stored since.

    Returns:
        The context with its actual place, and the exchange.

    Raises:
        HeadMovedError: Others changed the session at every attempt.
    """
    try:
        return context, begin(space, context, title)
    except HeadMovedError:
        pass  # others were faster: try after the new head
    with space.editing:
        for _ in range(ATTEMPTS - 1):
            context = _behind(space, context)
            try:
                return context, begin(space, context, title)
            except HeadMovedError:
                continue
        return context, begin(space, _behind(space, context), title)


def _behind(space: Space, context: Context) -> Context:
    session = space.sessions.get(context.scope.session or "")
    if context.retry_of is not None:  # it keeps its place: only the head has moved
        return replace(context, head=session.head, new_session=False) if session else context
    if session is None:  # forgotten meanwhile: it begins again
        return replace(context, head=None, parent=None, follows=None, new_session=True)
    newest = sessions_of.current_exchange(space.dependencies.store, session)
    return replace(
        context,
        head=session.head,
        parent=newest.id if newest else None,
        follows=session.head,
        new_session=False,
    )


def record_tools(
    space: Space, context: Context, messages: Sequence[Message], begun: Recorded | None = None
) -> Recorded:
    """Store a tool round of an exchange: calls and results together."""
    return _extend(space, context, messages, ExchangeState.OPEN, begun=begun)


def record(
    space: Space,
    context: Context,
    answer: Message | None,
    *,
    state: ExchangeState = ExchangeState.COMPLETE,
    usage: Usage | None = None,
    model: ChatModel | None = None,
    begun: Recorded | None = None,
) -> Recorded:
    """Store the answer to a context (None if none came), and begin it if it was not begun.

    Without an answer, a complete exchange is stored as unanswered or incomplete.

    Raises:
        InputError: It was answered already. An exchange of a client's history gets another
            answer on a branch instead, since two requests may have asked the same.
        HeadMovedError: The session has changed since the context was prepared, before it was
            begun; or another writer answered it.
    """
    records = [context_record(context, usage)] if usage else []
    if usage is not None and usage.prompt is not None:
        records.append(lesson(space, space.info(model), context, usage.prompt))
    messages = [answer] if answer is not None else []
    if context.placed and answer is not None and _is_answered(space, context):
        context = _begun_again(space, context)
        records, begun = [], None
    return _extend(space, context, messages, state, records, model=model, begun=begun)


def _is_answered(space: Space, context: Context) -> bool:
    stored = space.dependencies.store.get([context.id]).get(context.id)
    return stored is not None and stored.state is ExchangeState.COMPLETE


def _begun_again(space: Space, context: Context) -> Context:
    stored = space.log.get(context.id)
    again = replace(context, id=space.clock.new_id(), retry_of=context.id, user=stored.user)
    begin(space, again)
    upto = max((n for n, m in enumerate(stored.messages) if m.results), default=0) + 1
    rounds = [replace(m, id=space.clock.new_id()) for m in stored.messages[1:upto]]
    if rounds:
        _extend(space, again, rounds, ExchangeState.OPEN)
    return again


def _extend(
    space: Space,
    context: Context,
    messages: Sequence[Message],
    state: ExchangeState,
    records: Sequence[Record] = (),
    *,
    model: ChatModel | None = None,
    begun: Recorded | None = None,
) -> Recorded:
    so_far = begin(space, context, begun=begun)
    # Stored counts are from before calibration.
    counter = Counter(space.info(model).tokenizer)
    counted = [sessions_of.weighed(message, counter) for message in messages]
    at = space.clock.now()
    done = space.forgotten.extend(
        so_far,
        counted,
        _reached(so_far.exchange, messages, state),
        lambda new, state: extend_exchange(
            space.dependencies.store, so_far.exchange, new, state=state, at=at, records=records
        ),
    )
    notes = so_far.notes if so_far is not begun else ()
    return replace(done, notes=(*notes, *done.notes))


def _reached(
    exchange: Exchange, messages: Sequence[Message], state: ExchangeState
) -> ExchangeState:
    # An exchange without an answer is not complete, whatever the caller says.
    if state is not ExchangeState.COMPLETE:
        return state
    last = [*exchange.messages, *messages][-1]
    if last.role is Role.ASSISTANT and not last.calls:
        return state
    begun = len(exchange.messages) + len(messages) > 1
    return ExchangeState.INCOMPLETE if begun else ExchangeState.UNANSWERED


def resume(
    space: Space,
    exchange: Exchange,
    messages: Sequence[Message],
    state: ExchangeState,
    usage: Usage | None = None,
) -> Recorded:
    """Add messages to an exchange without its context, after a server's restart.

    It calibrates nothing, since the prompt is no longer known.

    Raises:
        InputError: It was answered already.
        HeadMovedError: Another writer added to it.
    """
    store = space.dependencies.store
    counter = Counter(space.dependencies.tokenizer)
    counted = [sessions_of.weighed(message, counter) for message in messages]
    records = _reported(store, exchange.id, usage) if usage else []
    at = space.clock.now()
    return space.forgotten.extend(
        Recorded(exchange),
        counted,
        _reached(exchange, messages, state),
        lambda new, state: extend_exchange(
            store, exchange, new, state=state, at=at, records=records
        ),
    )


def _reported(store: Store, context: str, usage: Usage) -> list[Record]:
    held = store.records(RecordKind.CONTEXT, ids=[context])
    return [replace(one, body={**one.body, "usage": asdict(usage)}) for one in held]
