"""The current path of a conversation: the one that a person sees."""

from unabridged.domain.exchange import Exchange
from unabridged.domain.results import Transcript


def current_path(conversation: Transcript) -> list[Exchange]:
    """Give the exchanges from the first to the one that holds the session's head, in order.

    Where siblings share the head (an answer regenerated before any came), the last of them is
    taken; without a head, the last exchange.
    """
    by_id = {exchange.id: exchange for exchange in conversation.exchanges}
    head = conversation.session.head
    holds = [e for e in conversation.exchanges if e.messages[-1].id == head]
    within = [e for e in conversation.exchanges if any(m.id == head for m in e.messages)]
    last = (holds or within or list(conversation.exchanges))[-1:]
    path: list[Exchange] = []
    exchange = last[0] if last else None
    while exchange is not None and len(path) < len(by_id):
        path.append(exchange)
        exchange = by_id.get(exchange.parent or "")
    return path[::-1]
