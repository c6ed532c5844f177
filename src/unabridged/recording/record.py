"""Recording: first the user's message, then tool rounds, then the whole answer.

Each step is one ``append`` with compare-and-swap on the session's head: when it returns, what it
wrote survives a power cut.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

from unabridged.domain.context import Context
from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.message import Message
from unabridged.domain.record import Record
from unabridged.domain.session import Session, title_from
from unabridged.domain.write import Batch
from unabridged.errors import HeadMovedError, InputError, NotFoundError
from unabridged.ports import Store

ATTEMPTS = 20
"""How often to try adding to an exchange while others move its session."""


def open_exchange(store: Store, context: Context, records: Sequence[Record]) -> Exchange:
    """Store the user's message of a context, with the context's records.

    Args:
        store: The space.
        context: As ``assemble`` made it.
        records: The context's own records: manifest, ledger, condensed texts.

    Returns:
        The exchange, open.

    Raises:
        HeadMovedError: The session changed since the context was prepared.
    """
    session = _header(store, context)
    shared = context.retry_of is not None
    user = context.user if shared else replace(context.user, parent=context.follows)
    exchange = Exchange(
        id=context.id,
        session=session.id,
        parent=context.parent,
        state=ExchangeState.OPEN,
        messages=() if shared else (user,),
        at=context.at,
        mode=context.mode.value,
        model=context.scope.model,
    )
    batch = Batch(
        session=replace(session, head=user.id, updated=context.at),
        exchange=exchange,
        opened_by=user.id if shared else None,
        records=tuple(records),
        originals={} if shared else originals_of([user]),
    )
    if context.placed:
        _append_anywhere(store, lambda: _at_head(store, batch, context))
    else:
        store.append(batch, None if context.new_session else context.head)
    return replace(exchange, messages=(user,))


def originals_of(messages: Sequence[Message]) -> dict[str, bytes]:
    """Return the originals of new messages by message id, as stores keep them."""
    return {m.id: m.original for m in messages if m.original is not None}


def _append_anywhere(store: Store, batch_now: Callable[[], tuple[Batch, str | None]]) -> None:
    for attempt in range(ATTEMPTS):
        batch, head = batch_now()
        try:
            store.append(batch, head)
        except HeadMovedError:
            if attempt == ATTEMPTS - 1:
                raise
        else:
            return


def _at_head(store: Store, batch: Batch, context: Context) -> tuple[Batch, str | None]:
    session = _header(store, context)
    updated = max(context.at, session.updated)
    there = replace(session, head=batch.session.head, updated=updated)
    return replace(batch, session=there), session.head


def _header(store: Store, context: Context) -> Session:
    session_id = context.scope.session
    if session_id is None:
        raise NotFoundError("The context belongs to no session.", hint="Prepare the message again.")
    stored = store.session(session_id)
    if stored is not None:
        title = stored.title or title_from(context.user.text)
        return replace(stored, title=title, archived=None)  # it becomes active again
    return Session(
        id=session_id,
        title=title_from(context.user.text),
        created=context.at,
        updated=context.at,
    )


def extend_exchange(
    store: Store,
    exchange: Exchange,
    messages: Sequence[Message],
    *,
    state: ExchangeState,
    at: datetime,
    records: Sequence[Record] = (),
) -> Exchange:
    """Add messages to an exchange, and set its state.

    Args:
        store: The space.
        exchange: As stored, with all its messages so far.
        messages: New messages; their parents are set here. An empty list only closes it.
        state: The state afterwards.
        at: The time.
        records: Records to put in the same transaction.

    Raises:
        InputError: It is answered already.
        HeadMovedError: Another writer added to the same exchange.
        NotFoundError: The session was forgotten.
    """
    if exchange.state is ExchangeState.COMPLETE:
        raise InputError(
            f"The exchange {exchange.id} is already answered.",
            hint="To answer the same message again: prepare(retry_of=…).",
        )
    session = _session_of(store, exchange)
    head = exchange.messages[-1].id
    chained: list[Message] = []
    last = head
    for message in messages:
        chained.append(replace(message, parent=last))
        last = message.id
    batch = Batch(
        session=replace(session, head=last, updated=max(at, session.updated), archived=None),
        exchange=replace(exchange, messages=tuple(chained), state=state),
        records=tuple(records),
        originals=originals_of(chained),
    )
    try:
        store.append(batch, head)
    except HeadMovedError:
        _append_anywhere(store, lambda: _behind_head(store, batch, exchange, at))
    return exchange.extended(tuple(chained), state)


def _behind_head(
    store: Store, batch: Batch, exchange: Exchange, at: datetime
) -> tuple[Batch, str | None]:
    session = _session_of(store, exchange)
    stored = store.get([exchange.id]).get(exchange.id)
    # By ids: a forgetting of what they follow gives messages another parent.
    if stored is None or _ids(stored) != _ids(exchange):
        raise HeadMovedError(session.id, exchange.messages[-1].id, session.head)
    there = replace(session, updated=max(at, session.updated))
    return replace(batch, session=there), session.head


def _ids(exchange: Exchange) -> list[str]:
    return [message.id for message in exchange.messages]


def _session_of(store: Store, exchange: Exchange) -> Session:
    session = store.session(exchange.session)
    if session is None:
        raise NotFoundError(
            f"Session {exchange.session} does not exist.", hint="It was forgotten. Begin a new one."
        )
    return session
