"""The current path of a conversation, the one that a person sees, and its branches."""

from unabridged.domain.exchange import Exchange
from unabridged.domain.results import Transcript


def current_path(conversation: Transcript) -> list[Exchange]:
    """Return the exchanges from the first to the session's head, in order.

    If siblings share the head (an answer regenerated before any came), the last of them ends the
    path; without a head, the last exchange does.
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


def other_branches(conversation: Transcript) -> list[list[Exchange]]:
    """Return the other branches: runs of consecutive exchanges."""
    seen = {exchange.id for exchange in current_path(conversation)}
    runs: list[list[Exchange]] = []
    for exchange in conversation.exchanges:
        if exchange.id in seen:
            continue
        run = next((run for run in runs if run[-1].id == exchange.parent), None)
        if run is None:
            runs.append([exchange])
        else:
            run.append(exchange)
    return runs
