"""Resuming an exchange whose context nobody keeps any more: a server was restarted."""

from collections.abc import Sequence
from dataclasses import asdict, replace

from unabridged.budget.count import Counter
from unabridged.domain.chat import Usage
from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.message import Message
from unabridged.domain.record import Record, RecordKind
from unabridged.ports import Store
from unabridged.recording.forgotten_filter import Recorded
from unabridged.recording.record import extend_exchange
from unabridged.recording.sessions import weighed
from unabridged.space.space import Space


def resume(
    space: Space,
    exchange: Exchange,
    messages: Sequence[Message],
    state: ExchangeState,
    usage: Usage | None = None,
) -> Recorded:
    """Add messages to a stored exchange, as ``record`` does to that of a context.

    Nothing is learned about the model's tokens, since the prompt is not known any more.

    Args:
        space: The space.
        exchange: The exchange, as stored.
        messages: New messages.
        state: How far it has come then.
        usage: What the server reported.

    Raises:
        InputError: It was answered already.
        HeadMovedError: Another writer added to it.
    """
    store = space.dependencies.store
    counter = Counter(space.dependencies.tokenizer)
    counted = [weighed(message, counter) for message in messages]
    records = _reported(store, exchange.id, usage) if usage else []
    at = space.clock.now()
    return space.forgotten.extend(
        Recorded(exchange),
        counted,
        state,
        lambda new, state: extend_exchange(
            store, exchange, new, state=state, at=at, records=records
        ),
    )


def _reported(store: Store, context: str, usage: Usage) -> list[Record]:
    held = store.records(RecordKind.CONTEXT, ids=[context])
    return [replace(one, body={**one.body, "usage": asdict(usage)}) for one in held]
