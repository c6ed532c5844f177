"""Neighbours of recalled exchanges: "remember …?" asks for the whole conversation.

Exchanges about a project often do not name it ("88 % on the sixty!"), so no search finds them. They
are next to those that do, within the hour.
"""

from collections.abc import Sequence
from datetime import timedelta

from unabridged.domain.exchange import Exchange
from unabridged.ports import Store
from unabridged.retrieval.relevance import Relevance

STRONG_SHARE = 0.35
"""Of the best relevance: weaker exchanges get no neighbours."""
MOST = 8
"""Recalled exchanges that get neighbours."""
REACH = 6
"""Exchanges before and after one, at most."""
PAUSE = timedelta(hours=1)
"""A pause after which another conversation begins."""


def with_around(store: Store, evidence: Sequence[Relevance]) -> list[Relevance]:
    """Insert the neighbours of strong exchanges after these, and before weak ones."""
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
