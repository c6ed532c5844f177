"""Plan a forgetting: what is removed, what stays, what repeats it, and which titles quote it."""

from collections import Counter as Multiset
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from unabridged.condense.session_view import PERIOD, view_of
from unabridged.domain.exchange import Exchange
from unabridged.domain.fact import Fact
from unabridged.domain.forgetting import Duplicate, ForgetPlan, OutOfReach, PlannedRemoval
from unabridged.domain.record import Record, RecordKind
from unabridged.domain.session import Session, title_from
from unabridged.errors import InputError
from unabridged.forgetting.shared_copies import copies
from unabridged.knowledge.evidence import leaving, states_one_of, support
from unabridged.knowledge.origin import provenance_of
from unabridged.language.sentences import sentences
from unabridged.language.words import fold, query_terms, terms, words
from unabridged.log.entrances import texts_of_message
from unabridged.log.iterate import everything
from unabridged.ports import Store
from unabridged.retrieval.echo_filter import own_messages

_EXCERPT = 72
"""Characters of a text's first words in a list."""
_BY_EXCHANGE = (
    RecordKind.CONTEXT,
    RecordKind.READING,
    RecordKind.OPENING,
    RecordKind.COMPACTION,
)
"""Kinds whose records have the id of their exchange."""
_BY_LINEAGE = (
    RecordKind.OVERVIEW,
    RecordKind.FACT,
    RecordKind.REQUIREMENT,
    RecordKind.CONDENSATION,
    RecordKind.FOLDER,
)
_RUN = 5
"""Words in a row that are compared; shorter texts are not repeats by themselves."""
_LONG_RUN = 8
"""Words in a row that no two people write by chance."""
_SHARE = 0.5
"""Of a text's runs: from this share on the whole text is a repeat."""
_LEAST_TITLE_WORDS = 3
"""Words of a title that must be in a row in a text for the title to quote it."""
_GIVEN = {RecordKind.FACT: "fact", RecordKind.REQUIREMENT: "requirement"}


@dataclass(frozen=True, slots=True)
class ForgetSelection:
    """The selection of what to forget.

    Attributes:
        what: The kind of the selection: ``exchanges``, ``session``, ``fact`` or ``search``.
        exchanges: The ids of exchanges; unknown ones are ignored.
        facts: Facts to withdraw, whatever happens to their source exchanges.
        with_repeats: Whether to remove repeats elsewhere too.
    """

    what: str
    exchanges: tuple[str, ...] = ()
    facts: tuple[Fact, ...] = ()
    with_repeats: bool = False


class _Traces:
    """The words of messages to forget, to compare texts with."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._runs: set[tuple[str, ...]] = set()
        self._sentences: set[tuple[str, ...]] = set()
        self._words: set[str] = set()
        for text in texts:
            said = words(fold(text))
            self._words.update(said)
            self._runs.update(_runs_of(said))
            self._sentences.update(_sentences_of(text))

    def repeated_in(self, text: str) -> str:
        """Return how a text repeats them, in words; empty if it does not."""
        said = words(fold(text))
        if sum(word in self._words for word in said) < _RUN:
            return ""  # true of almost every text, and ten times as fast as comparing runs
        runs = _runs_of(said)
        shared = [run in self._runs for run in runs]
        if not any(shared):
            return ""
        if sum(shared) >= _SHARE * len(runs):
            return "says the same"
        if any(sentence in self._sentences for sentence in _sentences_of(text)):
            return "repeats a sentence"
        longest = _longest(shared)
        return f"repeats {longest} words in a row" if longest >= _LONG_RUN else ""


def plan(
    store: Store,
    wanted: ForgetSelection,
    plan_id: str,
    at: datetime,
    outside: Callable[[Sequence[Exchange]], OutOfReach],
) -> ForgetPlan:
    """Plan a forgetting; only reads.

    ``outside`` names what is not reached, given the exchanges.
    """
    chosen = store.get(wanted.exchanges)
    traces = _Traces(m.text for e in chosen.values() for m in own_messages(e) if m.text)
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
        outside=replace(outside(tuple(gone.values())), shared=copies(store, gone, facts)),
        pins=known.pins,
        sources=_sources(store, gone),
        shared=shared,
        condensed=condensed,
        periods=periods,
        space=store.space.name,
    )


def check_plan(store: Store, planned: ForgetPlan) -> None:
    """Refuse a plan of another space, or one that is no longer what would be removed.

    Raises:
        InputError: It cannot be carried out here.
    """
    if planned.space != store.space.name:
        raise InputError(
            f"This plan is for the memory {planned.space!r}, not for {store.space.name!r}.",
            hint="Carry it out with the memory that made it.",
        )
    here = store.get(exchange.id for exchange in planned.exchanges)
    same = all(
        exchange.id in here
        and [message.id for message in here[exchange.id].messages]
        == [message.id for message in exchange.messages]
        for exchange in planned.exchanges
    )
    facts = {fact.id for fact in planned.facts}
    held = (
        {record.id for record in store.records(RecordKind.FACT, ids=sorted(facts))}
        if facts
        else set()
    )
    if not same or held != facts:
        raise InputError(
            "Something changed since this plan was made, or it is of another memory.",
            hint="Plan it again: plan_forget().",
        )


def _elsewhere(
    store: Store, traces: _Traces, gone: Mapping[str, Exchange]
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


def _given(store: Store, traces: _Traces) -> Iterator[Duplicate]:
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
    return tuple(empty), _telling_titles(store, held, gone)


def _sources(store: Store, gone: Collection[str]) -> tuple[str, ...]:
    cards = leaving(store.records(RecordKind.REQUIREMENT), gone) if gone else []
    cards = [card for card in cards if not card.requirement.withdrawn]
    if not cards:
        return ()
    return tuple(e.id for e in everything(store) if e.id not in gone and states_one_of(e, cards))


def first_words(text: str) -> str:
    """Return the beginning of a text, in one line."""
    line = " ".join(text.split())
    return line if len(line) <= _EXCERPT else line[: _EXCERPT - 1] + "…"


def matching(store: Store, terms_of: Callable[[str], Sequence[str]], query: str) -> list[str]:
    """Return every exchange whose two sides contain all the words of a query, in any order."""
    wanted = set(terms_of(query))
    if not wanted:
        return []
    # Most texts lack a word by its first letters already; cutting all of them takes much longer.
    starts = [term[: max(1, len(term) - 2)] for term in wanted if term.isalpha()]
    found = []
    for exchange in everything(store):
        text = _all_words(exchange)
        if _may_hold(starts, text) and wanted <= set(terms_of(text)):
            found.append(exchange.id)
    return found


def _may_hold(starts: Sequence[str], text: str) -> bool:
    if "_" in text:
        return True  # an identifier is found by its parts too
    folded = fold(text).replace("'", "")
    return all(start in folded for start in starts)


def _all_words(exchange: Exchange) -> str:
    return "\n".join(message.text for message in exchange.messages)


def _runs_of(said: Sequence[str]) -> list[tuple[str, ...]]:
    return [tuple(said[i : i + _RUN]) for i in range(len(said) - _RUN + 1)]


def _sentences_of(text: str) -> list[tuple[str, ...]]:
    found = (tuple(words(fold(sentence))) for sentence in sentences(text))
    return [said for said in found if len(said) >= _RUN]


def _longest(shared: Sequence[bool]) -> int:
    best = row = 0
    for one in shared:
        row = row + 1 if one else 0
        best = max(best, row)
    return best + _RUN - 1 if best else 0


def _telling_titles(
    store: Store, sessions: Iterable[Session], gone: Mapping[str, Exchange]
) -> tuple[Session, ...]:
    # A title that is the beginning of a message that stays reveals nothing more. Else it is cleared
    # if its words are in a row in what is removed, or if one of its words is only there.
    texts = [text for e in gone.values() for m in e.messages for text in texts_of_message(m)]
    said = {term for text in texts for term in terms(text)}
    named = {s.id: said.intersection(query_terms(s.title)) for s in sessions if s.title}
    held = [session for session in sessions if named.get(session.id)]
    if not held:
        return ()
    waiting = set().union(*(named[session.id] for session in held))
    begun: set[tuple[str, str]] = set()
    for exchange in everything(store):
        if exchange.id not in gone:
            begun.add((exchange.session, title_from(exchange.user.text)))
            if waiting:
                waiting -= _terms_of(exchange)
    runs = [words(fold(text)) for text in texts]
    return tuple(
        session
        for session in held
        if (session.id, session.title) not in begun
        and (named[session.id] & waiting or _is_quoted(session.title, runs))
    )


def _terms_of(exchange: Exchange) -> set[str]:
    return {term for m in exchange.messages for text in texts_of_message(m) for term in terms(text)}


def _is_quoted(title: str, runs: Collection[list[str]]) -> bool:
    said = words(fold(title.rstrip("…")))
    size = len(said)
    if size < _LEAST_TITLE_WORDS:
        return False
    return any(run[i : i + size] == said for run in runs for i in range(len(run) - size + 1))
