"""Read the material for one message: the only part of the read path that queries the store."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from unabridged.annotations.annotation_records import annotations_of, ids_of
from unabridged.condense.history_summary import HistorySummary, earlier_from_data
from unabridged.condense.session_view import PERIOD, SessionView, name_of, view_of
from unabridged.context.earlier_blocks import ClientManifests, Reach, block_in, earlier_blocks
from unabridged.context.facts import MOST as MOST_FACTS
from unabridged.context.fit_request import before_of, fit_request
from unabridged.context.manifest import previous_manifest
from unabridged.context.neighbors import with_around
from unabridged.context.session_path import (
    first_shown,
    narrowed,
    older_than,
    shown_before,
)
from unabridged.context.tiers import TierDraft
from unabridged.context.types import (
    Candidates,
    FittedRequest,
    PromptPlan,
    PromptRequest,
    Stored,
)
from unabridged.context.working_folders import nearest_first
from unabridged.domain.annotation import Scheme
from unabridged.domain.condensation import Condensation, CondenseSource, Level
from unabridged.domain.exchange import Exchange
from unabridged.domain.fact import Fact
from unabridged.domain.intent import Intent
from unabridged.domain.record import RecordKind
from unabridged.knowledge.fact_relevance import RelevantFact
from unabridged.knowledge.facts import Facts
from unabridged.knowledge.requirements import Requirements
from unabridged.language.edited import is_edited
from unabridged.ports import Store
from unabridged.retrieval.relevance import Relevance
from unabridged.retrieval.search import Search, SearchQuery

EVIDENCE = 16
"""Recalled exchanges that are considered for one message."""
MORE_EVIDENCE = 48
"""The same, for a message that asks for the past and a window that may hold this many."""
BRIEF = 400
"""Tokens of a short exchange; the window divided by it bounds the recalled exchanges."""
MOST_MONTHS = 3
"""Months whose condensations are considered for an overview of a whole memory."""
MOST_OVERVIEWS = 12
"""Conversations whose condensations are considered for one message."""
PAGE = 128
"""Exchanges that are read at once from before the path."""
LARGER = 1.25
"""How much larger memory must be than the last time for the shown history to start again."""


FLOOR_SHARES: Mapping[Intent, float] = MappingProxyType(
    {
        Intent.VIVID_RECALL: 0.6,
        Intent.SUMMARY: 0.6,
        Intent.CONTEXTUAL: 1.0,
        Intent.CASUAL: 1.0,
    }
)
"""The share of the floor that relevance must reach: messages that ask for the past want more."""


@dataclass(frozen=True, slots=True)
class Sources:
    """The sources of a context.

    Attributes:
        facts: The facts of the space.
        requirements: The requirements of the space.
        scheme: The categories of its annotations.
        manifests: The manifests of exchanges that clients began.
    """

    store: Store
    search: Search
    facts: Facts
    requirements: Requirements
    scheme: Scheme
    manifests: ClientManifests


def gather(
    sources: Sources, plan: PromptPlan, request: PromptRequest, intent: Intent
) -> Candidates:
    """Read the material of a context."""
    store = sources.store
    previous = previous_manifest(store, request.parent)
    earlier = _earlier(store, previous)
    frozen = frozen_exchange(sources, request)
    fitted = _fitted(sources, plan, request, previous, frozen)
    if frozen is not None:
        return Candidates(path=(), request=fitted)
    before = shown_before(previous, request.parent, earlier)
    anew = _is_anew(plan, previous, earlier)
    shown = [] if anew else before
    path = older_than(store, plan, request, shown)
    path = path[first_shown(path, shown) :]
    if request.client is not None:
        path = _with_originals(store, path)
    order = [exchange.id for exchange in path]
    if request.path:
        earlier = None
    elif earlier is not None and anew:
        earlier = narrowed(earlier, path, before)
    elif earlier is not None:
        path = [exchange for exchange in path if exchange.id not in earlier.inner]
    found = _found(sources, plan, request, intent)
    evidence, beside = _apart(sources, plan, request, intent, found)
    totals = store.totals()
    return Candidates(
        path=path,
        order=order,
        pins=_pins(sources, plan, fitted),
        facts=_facts(sources.facts, plan, request, intent, found),
        overviews=_overviews(store, plan, request, intent, found),
        evidence=evidence,
        beside=beside,
        previous=previous,
        earlier=earlier,
        total_exchanges=totals.exchanges,
        total_tokens=totals.tokens,
        request=fitted,
    )


def _with_originals(store: Store, path: Sequence[Exchange]) -> list[Exchange]:
    found = store.originals(message.id for exchange in path for message in exchange.messages)
    if not found:
        return list(path)

    def whole(exchange: Exchange) -> Exchange:
        messages = tuple(replace(m, original=found.get(m.id)) for m in exchange.messages)
        return replace(exchange, messages=messages)

    return [whole(exchange) for exchange in path]


def frozen_exchange(sources: Sources, request: PromptRequest) -> Exchange | None:
    """Return the exchange whose block a client's request keeps, or None.

    A tool loop keeps the block with which it began, and a message that is answered again the block
    of the first answer, if it had one: the upstream's cache of the prompt stays valid.
    """
    if request.client is None:
        return None
    if request.client.synced.open is not None:
        return request.client.synced.open
    if request.retry_of is None:
        return None
    again = sources.store.get([request.retry_of]).get(request.retry_of)
    held = sources.manifests.of([again]).get(again.id) if again is not None else None
    return again if held is not None and block_in(held) else None


def _fitted(
    sources: Sources,
    plan: PromptPlan,
    request: PromptRequest,
    previous: Mapping[str, Any] | None,
    frozen: Exchange | None,
) -> FittedRequest | None:
    if request.client is None:
        return None
    store, path = sources.store, request.path
    if frozen is not None:
        path = (*path, frozen)
        previous = previous_manifest(store, frozen.id)
    reach = Reach(plan.only, plan.closed)
    made = earlier_blocks(store, sources.manifests.of(path), request.scope.session, reach)
    blocks = {n: made[one.id] for n, one in enumerate(path) if one.id in made}
    before = before_of(previous, _earlier(store, previous))
    return fit_request(plan, request.client, blocks, before, request.id)


def with_session_notes(sources: Sources, draft: TierDraft, session: str | None) -> TierDraft:
    """Return a draft with the session's stored notes, if its shown history moves."""
    if not draft.before.moves:
        return draft
    material = draft.material
    fresh = material.earlier is None
    known = session_notes(sources.store, sources.scheme, session, material.path, fresh=fresh)
    return replace(draft, material=replace(material, stored=known))


def session_notes(
    store: Store, scheme: Scheme, session: str | None, path: Sequence[Exchange], *, fresh: bool
) -> Stored:
    """Return what maintenance stored about a session, None for a new one.

    ``path`` are its exchanges that may be shown, oldest first; ``fresh`` is whether nothing
    replaces those before them yet.
    """
    found = store.records(RecordKind.CONDENSATION, ids=[name_of(session)]) if session else []
    view = view_of(found[0]) if found else SessionView("")
    names = ids_of(exchange.id for exchange in path)
    judged = annotations_of(store.records(RecordKind.READING, ids=names), scheme)
    weights = {
        name: reading.importance
        for one in judged.values()
        for name, reading in one.messages.items()
    }
    known = Stored(annotations=judged, sentences=view.sentences(), importance=weights)
    return _with_older(known, store, view, path) if fresh and path else known


def _with_older(known: Stored, store: Store, view: SessionView, path: Sequence[Exchange]) -> Stored:
    made = view.at(Level.EXCHANGES)
    held = {exchange.id for exchange in path}
    before = _before(store, path[0], {name for one in made for name in one.covers} - held)
    older: list[CondenseSource] = []
    drawn: list[str] = []
    for one in made:
        if any(name not in before for name in one.covers) and any(
            line.role is None for line in one.lines
        ):
            continue  # its source exchanges are shown, or from another branch
        for line in one.lines:
            exchange = before.get(line.exchange)
            if line.role is None:
                at = one.since
                older.append(CondenseSource(one.id, line.index, None, line.text, at))
                drawn += one.covers
            elif exchange is not None:
                at = exchange.at
                older.append(CondenseSource(exchange.id, line.index, line.role, line.text, at))
    named = {name for one in made for name in one.covers if name in before} if older else set()
    return replace(
        known,
        older=older,
        older_drawn=tuple(dict.fromkeys(drawn)),
        older_count=len(named),
        older_tokens=sum(m.tokens or 0 for name in named for m in before[name].messages),
    )


def _before(store: Store, first: Exchange, wanted: Collection[str]) -> dict[str, Exchange]:
    left = set(wanted)
    found: dict[str, Exchange] = {}
    before = first.id
    while left and (page := store.recent(first.session, PAGE, before=before)):
        found |= {exchange.id: exchange for exchange in page if exchange.id in left}
        left -= found.keys()
        before = page[0].id
    return found


def _found(
    sources: Sources, plan: PromptPlan, request: PromptRequest, intent: Intent
) -> list[Relevance]:
    if intent is Intent.CASUAL:
        return []
    question = SearchQuery(request.user.text, request.at, intent, plan.only, telling=True)
    floor = FLOOR_SHARES[intent] * plan.floor
    found = sources.search.find(question, _most(plan, intent), floor=floor)
    folder = request.client.synced.folder if request.client else ""
    return nearest_first(sources.store, found, folder, floor)


def _apart(
    sources: Sources,
    plan: PromptPlan,
    request: PromptRequest,
    intent: Intent,
    found: Sequence[Relevance],
) -> tuple[list[Relevance], list[Relevance]]:
    held = {exchange.text: exchange.id for exchange in request.path}

    def is_beside(one: Relevance) -> bool:
        exchange = one.exchange
        if exchange.session == request.session and exchange.parent == request.parent:
            # Two conversations of a client may share their beginning, as "Hi" and its answer.
            own = request.client is None
            return own or is_edited(exchange.user.text, request.user.text)
        return held.get(exchange.text, exchange.id) != exchange.id

    beside = [e for e in found if is_beside(e)]
    evidence = [e for e in found if e not in beside]
    if plan.around and intent is Intent.VIVID_RECALL:
        evidence = [e for e in with_around(sources.store, evidence) if not is_beside(e)]
    programs = _of_programs(sources.store, [e.exchange.id for e in evidence])
    return [e for e in evidence if e.exchange.id not in programs], beside


def _of_programs(store: Store, ids: Sequence[str]) -> set[str]:
    # Texts that a program wrote: its openings, and its summaries of what is stored whole.
    kinds = (RecordKind.OPENING, RecordKind.COMPACTION)
    return {record.id for kind in kinds for record in store.records(kind, ids=ids)}


def _pins(sources: Sources, plan: PromptPlan, fitted: FittedRequest | None) -> list[Fact]:
    if plan.closed:
        return []
    told = fitted.told if fitted else ()
    pins = (*sources.facts.pinned(), *sources.requirements.pinned())
    return [pin for pin in pins if pin.id not in told]


def _facts(
    facts: Facts,
    plan: PromptPlan,
    request: PromptRequest,
    intent: Intent,
    found: Sequence[Relevance],
) -> list[RelevantFact]:
    if plan.closed or intent is Intent.CASUAL:
        return []
    recalled = {evidence.exchange.id for evidence in found}
    told = facts.bearing(request.user.text, MOST_FACTS, recalled, plan.only)
    against = [one for one in _against_pins(facts) if facts.reaches(one.fact, plan.only)]
    known = {one.fact.id for one in against}
    return [*against, *(b for b in told if not b.fact.pinned and b.fact.id not in known)]


def _against_pins(facts: Facts) -> list[RelevantFact]:
    # Contradictions of a pinned fact from another space: the prompt must not tell one side only.
    pinned = {fact.id: fact for fact in facts.pinned() if fact.disputed_by}
    others = {name: facts.get(name) for fact in pinned.values() for name in fact.disputed_by}
    return [
        RelevantFact(fact, 1.0, "says otherwise than what is pinned")
        for fact in others.values()
        if not fact.pinned
        and (fact.origin or any(pinned[n].origin for n in fact.disputed_by if n in pinned))
    ]


def _overviews(
    store: Store,
    plan: PromptPlan,
    request: PromptRequest,
    intent: Intent,
    found: Sequence[Relevance],
) -> list[Condensation]:
    if plan.closed or plan.only is not None or intent is not Intent.SUMMARY:
        return []
    here = request.session
    sessions = list(dict.fromkeys(e.exchange.session for e in found if e.exchange.session != here))
    months: list[str] = []
    if not found:
        every = [session for session in store.sessions() if session.id != here]
        sessions = [session.id for session in every[:MOST_OVERVIEWS]]
        older = (f"{PERIOD}{session.updated:%Y-%m}" for session in every[MOST_OVERVIEWS:])
        months = list(dict.fromkeys(older))[:MOST_MONTHS]
    names = [*map(name_of, sessions[:MOST_OVERVIEWS]), *months]
    held = {r.id: view_of(r) for r in store.records(RecordKind.CONDENSATION, ids=names)}
    level = {name: Level.PERIOD if name in months else Level.CONVERSATION for name in names}
    return [one for name in names if name in held for one in held[name].at(level[name])]


def _earlier(store: Store, previous: Mapping[str, Any] | None) -> HistorySummary | None:
    name = previous["earlier"] if previous else None
    found = store.records(RecordKind.OVERVIEW, ids=[name]) if name else []
    return earlier_from_data(found[0].body) if found else None


def _most(plan: PromptPlan, intent: Intent) -> int:
    if intent not in {Intent.VIVID_RECALL, Intent.SUMMARY}:
        return EVIDENCE
    return min(max(plan.window // BRIEF, EVIDENCE), MORE_EVIDENCE)


def _is_anew(
    plan: PromptPlan, previous: Mapping[str, Any] | None, earlier: HistorySummary | None
) -> bool:
    if previous is None:
        return True
    if plan.reach > LARGER * previous["reach"]:
        return True
    return earlier is None and bool(previous["earlier"] or not previous["history"])
