"""What was said around what was found: who asks "remember …?" wants the whole of it.

A project is talked about in exchanges that do not name it ("88 % on the sixty!"), so no search finds
them. They stand beside those that do, within the hour.
"""

from collections.abc import Sequence
from datetime import timedelta

from unabridged.domain.exchange import Exchange
from unabridged.ports import Store
from unabridged.retrieval.relevance import Relevance

STRONG_SHARE = 0.35
"""Of the best evidence: what bears on the message less has nothing fetched around it."""
MOST = 8
"""Pieces of evidence around which is looked."""
REACH = 6
"""Exchanges before and behind one, at the most."""
PAUSE = timedelta(hours=1)
"""Without a word, after which another talk begins."""


def with_around(store: Store, evidence: Sequence[Relevance]) -> list[Relevance]:
    """Put what was said around the strong evidence behind it, and before the weak."""
    if not evidence:
        return []
    least = STRONG_SHARE * evidence[0].score
    strong = [found for found in evidence if found.score >= least]
    known = {found.exchange.id for found in evidence}
    beside: dict[str, Exchange] = {}
    for found in strong[:MOST]:
        for exchange in (*_before(store, found.exchange), *_behind(store, found.exchange)):
            beside[exchange.id] = exchange
    around = [Relevance(one, 0.0, around=True) for name, one in beside.items() if name not in known]
    return [*strong, *around, *evidence[len(strong) :]]


def _before(store: Store, exchange: Exchange) -> list[Exchange]:
    found: list[Exchange] = []
    at = exchange.at
    for one in reversed(store.recent(exchange.session, REACH, exchange.id)):
        if at - one.at > PAUSE:
            break
        found.append(one)
        at = one.at
    return found


def _behind(store: Store, exchange: Exchange) -> list[Exchange]:
    found: list[Exchange] = []
    last = exchange
    for one in store.scan(exchange.id, REACH):
        if one.at - last.at > PAUSE:
            break
        if one.session == exchange.session and one.parent == last.id:
            found.append(one)
            last = one
    return found
