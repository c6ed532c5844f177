"""Planning a forgetting: what goes, what stays, and what says it once more elsewhere."""

from collections import Counter as Multiset
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from unabridged.condense.session_view import PERIOD, view_of
from unabridged.domain.exchange import Exchange
from unabridged.domain.fact import Fact
from unabridged.domain.forgetting import Duplicate, ForgetPlan, OutOfReach, PlannedRemoval
from unabridged.domain.record import Record, RecordKind
from unabridged.domain.session import Session
from unabridged.forgetting.duplicates import Traces
from unabridged.forgetting.revealing_titles import telling_titles
from unabridged.forgetting.shared_copies import copies
from unabridged.knowledge.evidence import leaving, states_one_of, support
from unabridged.knowledge.origin import provenance_of
from unabridged.log.iterate import everything
from unabridged.ports import Store

EXCERPT = 72
"""Characters of a text's first words in a list."""
_BY_EXCHANGE = (RecordKind.CONTEXT, RecordKind.READING)
"""Kinds whose records bear the id of their exchange."""
_BY_LINEAGE = (
    RecordKind.OVERVIEW,
    RecordKind.FACT,
    RecordKind.REQUIREMENT,
    RecordKind.CONDENSATION,
)
_GIVEN = {RecordKind.FACT: "fact", RecordKind.REQUIREMENT: "requirement"}


@dataclass(frozen=True, slots=True)
class ForgetSelection:
    """What shall be forgotten.

    Attributes:
        what: What was asked for: ``exchanges``, ``session``, ``fact`` or ``search``.
        exchanges: The ids of exchanges; those that name nothing are passed over.
        facts: Facts that are taken back, whatever becomes of the exchanges that they rest on.
        with_repeats: Whether what says it once more elsewhere goes too.
    """

    what: str
    exchanges: tuple[str, ...] = ()
    facts: tuple[Fact, ...] = ()
    with_repeats: bool = False


def plan(
    store: Store,
    wanted: ForgetSelection,
    plan_id: str,
    at: datetime,
    outside: Callable[[datetime | None], OutOfReach],
) -> ForgetPlan:
    """Plan a forgetting; only reads.

    Args:
        store: The space.
        wanted: What shall be forgotten.
        plan_id: A fresh id.
        at: The time.
        outside: Names what is not reached, given since when the oldest of it was stored.
    """
    chosen = store.get(wanted.exchanges)
    traces = Traces(m.text for e in chosen.values() for m in e.messages if m.text)
    repeats, shared = _elsewhere(store, traces, chosen) if chosen else ([], ())
    given: tuple[PlannedRemoval, ...] = ()
    if wanted.with_repeats:
        chosen |= store.get(r.id for r in repeats if r.kind == "exchange")
        kinds = {name: kind for kind, name in _GIVEN.items()}
        given = tuple(
            PlannedRemoval(kinds[r.kind], r.id, r.text) for r in repeats if r.kind in kinds
        )
        shared = _elsewhere(store, traces, chosen)[1] if repeats else shared
        repeats = []
    gone = {name: chosen[name] for name in sorted(chosen)}
    going, condensed, periods = _going(store, gone)
    carried = provenance_of(store.records(RecordKind.SHARE), store.space.name)
    known = support(store.records(RecordKind.FACT), gone.keys(), carried)
    sessions, titles = _sessions(store, gone)
    facts = {one.id for one in going if one.kind is RecordKind.FACT} | {f.id for f in wanted.facts}
    since = min((exchange.at for exchange in gone.values()), default=None)
    return ForgetPlan(
        id=plan_id,
        at=at,
        what=wanted.what,
        exchanges=tuple(gone.values()),
        facts=tuple(f for f in wanted.facts if f.id not in {g.id for g in known.going}),
        given=given,
        sessions=sessions,
        titles=titles,
        going=tuple(going),
        staying=known.staying,
        repeats=tuple(repeats),
        outside=replace(outside(since), shared=copies(store, gone, facts)),
        pins=known.pins,
        sources=_sources(store, gone),
        shared=shared,
        condensed=condensed,
        periods=periods,
    )


def _elsewhere(
    store: Store, traces: Traces, gone: Mapping[str, Exchange]
) -> tuple[list[Duplicate], tuple[str, ...]]:
    repeats: list[Duplicate] = []
    shared: dict[str, None] = {}
    own = {message.id for exchange in gone.values() for message in exchange.messages}
    for exchange in everything(store):
        if exchange.id in gone:
            continue
        shared |= dict.fromkeys(m.id for m in exchange.messages if m.id in own)
        for message in exchange.messages:
            if reason := traces.repeated_in(message.text):
                text = first_words(message.text)
                found = (exchange.id, "exchange", text, reason, exchange.session, exchange.at)
                repeats.append(Duplicate(*found))
                break
    return [*repeats, *_given(store, traces)], tuple(shared)


def _given(store: Store, traces: Traces) -> Iterator[Duplicate]:
    for kind, name in _GIVEN.items():
        for record in store.records(kind):
            text = str(record.body.get("text", ""))
            reason = traces.repeated_in(text)
            if reason and not record.exchanges:
                yield Duplicate(record.id, name, first_words(text), reason, "", record.at)


def _going(
    store: Store, gone: Collection[str]
) -> tuple[list[PlannedRemoval], dict[str, tuple[str, ...]], tuple[str, ...]]:
    ids = list(gone)
    found = [r for kind in _BY_EXCHANGE for r in store.records(kind, ids=ids)]
    if gone:
        for kind in _BY_LINEAGE:
            found += [r for r in store.records(kind) if not set(r.exchanges).isdisjoint(gone)]
    condensed: dict[str, tuple[str, ...]] = {}
    periods: list[str] = []
    for record in found:
        if record.kind is not RecordKind.CONDENSATION:
            continue
        view = view_of(record)
        if record.id.startswith(PERIOD):
            periods.append(record.id.removeprefix(PERIOD))
        elif view.condensations:
            levels = {one.level.value: None for one in view.condensations}
            condensed[view.condensations[0].session] = tuple(levels)
    return [PlannedRemoval(r.kind, r.id, _words(r)) for r in found], condensed, tuple(periods)


def _words(record: Record) -> str:
    return first_words(str(record.body.get("text", ""))) if record.kind in _GIVEN else ""


def _sessions(
    store: Store, gone: Mapping[str, Exchange]
) -> tuple[tuple[Session, ...], tuple[Session, ...]]:
    if not gone:
        return (), ()
    going = Multiset(exchange.session for exchange in gone.values())
    counts = store.counts()
    sessions = store.sessions()
    empty = [s for s in sessions if s.id in going and counts.get(s.id, 0) == going[s.id]]
    held = [session for session in sessions if session not in empty]
    return tuple(empty), telling_titles(store, held, gone)


def _sources(store: Store, gone: Collection[str]) -> tuple[str, ...]:
    cards = leaving(store.records(RecordKind.REQUIREMENT), gone) if gone else []
    cards = [card for card in cards if not card.requirement.withdrawn]
    if not cards:
        return ()
    return tuple(e.id for e in everything(store) if e.id not in gone and states_one_of(e, cards))


def first_words(text: str) -> str:
    """The beginning of a text, in one line."""
    line = " ".join(text.split())
    return line if len(line) <= EXCERPT else line[: EXCERPT - 1] + "…"


def matching(store: Store, terms_of: Callable[[str], Sequence[str]], query: str) -> list[str]:
    """Every exchange that has all the words of a query, in any order, by either side.

    Args:
        store: The space.
        terms_of: Gives the terms of a text.
        query: The words.
    """
    wanted = set(terms_of(query))
    if not wanted:
        return []
    return [e.id for e in everything(store) if wanted <= set(terms_of(_all_words(e)))]


def _all_words(exchange: Exchange) -> str:
    return "\n".join(message.text for message in exchange.messages)
