"""Reading the material for one message: the only place on the read path that asks the store."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from unabridged.context.manifest import previous_manifest
from unabridged.context.plan import Material, Plan
from unabridged.domain.exchange import Exchange
from unabridged.domain.intent import Intent
from unabridged.domain.record import RecordKind
from unabridged.ports import Store
from unabridged.retrieval.finder import Finder, Question

PAGE = 32
"""Exchanges that are read at once."""
EVIDENCE = 16
"""Pieces of evidence that are considered for one message."""
MORE_EVIDENCE = 48
"""The same, for a message that asks for the past and a window that may hold so many."""
BRIEF = 400
"""Tokens of a brief exchange: a window is thought to hold no more exchanges than of these."""
LARGER = 1.25
"""How much larger a window must be than the last one for the shown history to begin anew."""


FLOOR_SHARES: Mapping[Intent, float] = MappingProxyType(
    {
        Intent.VIVID_RECALL: 0.6,
        Intent.SUMMARY: 0.6,
        Intent.CONTEXTUAL: 1.0,
        Intent.CASUAL: 1.0,
    }
)
"""How much of the floor evidence must reach: who asks for the past wants what there is."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Where the message stands.

    Attributes:
        session: The session, or None for a new one.
        parent: The exchange that the new one will follow, or None for a session's first.
    """

    session: str | None
    parent: str | None


def gather(
    store: Store, finder: Finder, plan: Plan, question: Question, standing: Standing
) -> Material:
    """Read what a context is made from.

    Args:
        store: The space.
        finder: What finds exchanges in it.
        plan: The terms.
        question: The message as a question.
        standing: Where it stands.
    """
    session, parent = standing.session, standing.parent
    previous = previous_manifest(store, parent)
    began = _began(plan, previous)
    path = _path(store, session, parent, began, plan) if session and parent else []
    floor = FLOOR_SHARES[question.intent] * plan.floor
    casual = question.intent is Intent.CASUAL  # small talk asks nothing of memory
    found = [] if casual else finder.find(question, _most(plan, question.intent), floor=floor)
    beside = [e for e in found if _is_beside(e.exchange, session, parent)]
    totals = store.totals()
    return Material(
        path=path,
        began=began,
        pins=[r for r in store.records(RecordKind.FACT) if r.body.get("pinned")],
        evidence=[e for e in found if e not in beside],
        beside=beside,
        previous=previous,
        total_exchanges=totals.exchanges,
        total_tokens=totals.tokens,
    )


def _most(plan: Plan, intent: Intent) -> int:
    """How many pieces of evidence are considered."""
    if intent not in {Intent.VIVID_RECALL, Intent.SUMMARY}:
        return EVIDENCE
    return min(max(plan.window // BRIEF, EVIDENCE), MORE_EVIDENCE)


def _is_beside(exchange: Exchange, session: str | None, parent: str | None) -> bool:
    """Whether an exchange stands where the new one will stand: another branch of this message."""
    return exchange.session == session and exchange.parent == parent


def _began(plan: Plan, previous: Mapping[str, Any] | None) -> str | None:
    """Where the shown history began the last time, unless the window has grown since."""
    if previous is None or not previous["history"] or plan.window > LARGER * previous["window"]:
        return None
    first: str = previous["history"][0]["id"]
    return first


def _path(store: Store, session: str, parent: str, began: str | None, plan: Plan) -> list[Exchange]:
    """The session's exchanges up to ``parent``: back to ``began``, or as far as the window holds."""
    path: list[Exchange] = []
    room = plan.window
    before = None
    while room > 0:
        page = _page(store, session, parent, before)
        path[:0] = page
        if len(page) < PAGE or any(exchange.id == began for exchange in page):
            break
        room -= sum(m.tokens or plan.counter.message(m) for e in page for m in e.messages)
        before = page[0].id
    ids = [exchange.id for exchange in path]
    return path[ids.index(began) :] if began in ids else path


def _page(store: Store, session: str, parent: str, before: str | None) -> list[Exchange]:
    """One page of the path that ends in ``parent``, oldest first."""
    if before is not None:
        return store.recent(session, PAGE, before=before)
    last = store.get([parent])
    return [*store.recent(session, PAGE - 1, before=parent), *last.values()]
