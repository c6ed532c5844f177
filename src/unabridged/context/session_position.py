"""Where a message stands: the path that leads to it, by the store or by what a client sent."""

from collections.abc import Sequence
from dataclasses import dataclass

from unabridged.condense.history_summary import HistorySummary
from unabridged.context.history_start import first_shown, narrowed
from unabridged.context.types import PromptPlan
from unabridged.domain.exchange import Exchange
from unabridged.ports import Store

PAGE = 32
"""Exchanges that are read at once."""


@dataclass(frozen=True, slots=True)
class SessionPosition:
    """Where the message stands.

    Attributes:
        session: The session, or None for a new one.
        parent: The exchange that the new one will follow, or None for a session's first.
        path: What a client sent before its message, oldest first; None where there is no client.
    """

    session: str | None
    parent: str | None
    path: Sequence[Exchange] | None = None


def older_than(
    store: Store, plan: PromptPlan, standing: SessionPosition, shown: Sequence[str]
) -> list[Exchange]:
    """The stored exchanges before what a client sent; the whole path where there is no client.

    Read from the first that was shown and is still there; where none was, as far back as the
    window holds.

    Args:
        store: The space.
        plan: The terms.
        standing: Where the message stands.
        shown: Ids of what belonged to the shown history; none where it begins anew.
    """
    session, parent = standing.session, standing.parent
    if session is None or parent is None:
        return []
    room = plan.window
    before = None
    if sent := standing.path:
        before = _joint(store, sent)
        if before is None or (shown and any(exchange.id == shown[0] for exchange in sent)):
            return []
        room -= _tokens(plan, sent)
    path: list[Exchange] = []
    while len(path) < len(shown) if shown else room > 0:
        page = _page(store, session, parent, before)
        path[:0] = page
        if len(page) < PAGE or any(exchange.id == shown[0] for exchange in page if shown):
            break
        room -= _tokens(plan, page)
        before = page[0].id
    return path[first_shown(path, shown) :]


def _joint(store: Store, sent: Sequence[Exchange]) -> str | None:
    # The first stored one of what a client sent, where others stand before it; else None.
    n = next((n for n, exchange in enumerate(sent) if exchange.parent is not None), None)
    if n is None or (n and sent[n].parent == sent[n - 1].id):
        return None
    if store.get(exchange.id for exchange in sent[:n]):
        return None
    return sent[n].id


def _tokens(plan: PromptPlan, exchanges: Sequence[Exchange]) -> int:
    return sum(m.tokens or plan.counter.message(m) for e in exchanges for m in e.messages)


def _page(store: Store, session: str, parent: str, before: str | None) -> list[Exchange]:
    if before is not None:
        return store.recent(session, PAGE, before=before)
    last = store.get([parent])
    return [*store.recent(session, PAGE - 1, before=parent), *last.values()]


def everything_sent(
    older: Sequence[Exchange],
    sent: Sequence[Exchange],
    earlier: HistorySummary | None,
    before: Sequence[str],
) -> tuple[list[Exchange], HistorySummary | None]:
    """The path with all that a client sent, and what still stands for exchanges before it."""
    path = [*older, *sent]
    if earlier is None:
        return path, None
    reaches = first_shown(path, before) or any(e.id in set(earlier.inner) for e in path)
    return path, narrowed(earlier, path, before) if reaches else earlier
