"""Going on with an exchange whose context nobody holds any more: a server was started anew."""

from collections.abc import Sequence
from dataclasses import asdict, replace

from unabridged.budget.count import Counter
from unabridged.domain.chat import Usage
from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.message import Message
from unabridged.domain.record import Record, RecordKind
from unabridged.ingest.record import extend_exchange
from unabridged.ingest.sessions import weighed
from unabridged.memory.facade import Memory
from unabridged.ports import Store


def go_on(
    memory: Memory,
    exchange: Exchange,
    messages: Sequence[Message],
    state: ExchangeState,
    usage: Usage | None = None,
) -> Exchange:
    """Add messages to a stored exchange, as ``step`` and ``record`` do to that of a context.

    Nothing is learned about the model's tokens, since the prompt is not known any more.

    Args:
        memory: The memory that holds it.
        exchange: The exchange, as stored.
        messages: New messages.
        state: How far it has come then.
        usage: What the server reported.

    Raises:
        InputError: It was answered already.
        HeadMovedError: Another writer added to it.
    """
    parts = memory._parts  # this is the facade's own room
    counter = Counter(parts.tokenizer)
    counted = [weighed(message, counter) for message in messages]
    records = _reported(parts.store, exchange.id, usage) if usage else []
    at = parts.clock.now()
    return memory._passing.extend(
        exchange,
        counted,
        state,
        lambda new, state: extend_exchange(
            parts.store, exchange, new, state=state, at=at, records=records
        ),
    )


def _reported(store: Store, context: str, usage: Usage) -> list[Record]:
    """The stored record of a context, with what the server reported."""
    held = store.records(RecordKind.CONTEXT, ids=[context])
    return [replace(one, body={**one.body, "usage": asdict(usage)}) for one in held]
