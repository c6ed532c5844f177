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
from unabridged.forgetting.find_words import WITH_WORDS
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
_BY_EXCHANGE = WITH_WORDS[:4]
"""Kinds whose records have the id of their exchange."""
_BY_LINEAGE = WITH_WORDS[4:]
_RUN = 5
"""Words in a row that are compared; shorter texts are not repeats by themselves."""
_LONG_RUN = 8
"""Words in a row that no two people write by chance."""
_SHARE = 0.5
"""Of a text's runs: from this share on the whole text is a repeat."""
_LEAST_STATED = 2
"""Words of a fact that another text must have in a row to repeat it."""
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
        records: Records to remove whatever happens to their exchanges.
        titles: The ids of sessions whose title is cleared.
        within: The ids of exchanges that are listed as repeats.
        words: The words that were searched for; the files are searched for them in the end.
        with_repeats: Whether to remove repeats elsewhere too.
    """

    what: str
    exchanges: tuple[str, ...] = ()
    facts: tuple[Fact, ...] = ()
    records: tuple[PlannedRemoval, ...] = ()
    titles: tuple[str, ...] = ()
    within: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    with_repeats: bool = False


class _Traces:
    """The words of messages to forget, to compare texts with."""

    def __init__(self, texts: Iterable[str], facts: Iterable[Fact] = ()) -> None:
        self._runs: set[tuple[str, ...]] = set()
        self._sentences: set[tuple[str, ...]] = set()
        self._words: set[str] = set()
        stated = (f" {' '.join(words(fold(t)))} " for f in facts for t in (f.text, f.quote))
        self._stated = {text for text in stated if text.count(" ") > _LEAST_STATED}
        for text in texts:
            said = words(fold(text))
            self._words.update(said)
            self._runs.update(_runs_of(said))
            self._sentences.update(_sentences_of(text))

    def repeated_in(self, text: str) -> str:
        """Return how a text repeats them, in words; empty if it does not."""
        said = words(fold(text))
        if self._stated:
            line = f" {' '.join(said)} "
            if any(statement in line for statement in self._stated):
                return "says it"
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
    texts = (m.text for e in chosen.values() for m in own_messages(e) if m.text)
    traces = _Traces(texts, wanted.facts)
    repeats, shared = _elsewhere(store, traces, chosen) if chosen or wanted.facts else ([], ())
    own = {fact.id for fact in wanted.facts}
    repeats = [*(r for r in repeats if r.id not in own), *_within(store, wanted.within, repeats)]
    given = wanted.records
    if wanted.with_repeats:
        chosen |= store.get(r.id for r in repeats if r.kind == "exchange")
        kinds = {name: kind for kind, name in _GIVEN.items()}
        given += tuple(
            PlannedRemoval(kinds[r.kind], r.id, r.text) for r in repeats if r.kind in kinds
        )
        shared = _elsewhere(store, traces, chosen)[1] if repeats else shared
        repeats = []
    gone = {name: chosen[name] for name in sorted(chosen)}
    going, condensed, periods = _going(store, gone)
    carried = provenance_of(store.records(RecordKind.SHARE), store.space.name)
    known = support(store.records(RecordKind.FACT), gone.keys(), carried)
    sessions, titles = _sessions(store, gone, wanted.titles)
    given = tuple(dict.fromkeys(one for one in given if one not in going))
    facts = {one.id for one in going if one.kind is RecordKind.FACT} | {f.id for f in wanted.facts}
    return ForgetPlan(
        id=plan_id,
        at=at,
        what=wanted.what,
        exchanges=tuple(gone.values()),
        facts=tuple(f for f in wanted.facts if f.id not in {g.id for g in known.going}),
        given=given,
        words=wanted.words,
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


def _within(store: Store, ids: Iterable[str], listed: Iterable[Duplicate]) -> Iterator[Duplicate]:
    known = {one.id for one in listed}
    for one in store.get(name for name in ids if name not in known).values():
        text = first_words(one.user.text)
        yield Duplicate(one.id, "exchange", text, "inside other words", one.session, one.at)


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
    store: Store, gone: Mapping[str, Exchange], named: Collection[str]
) -> tuple[tuple[Session, ...], tuple[Session, ...]]:
    if not gone and not named:
        return (), ()
    going = Multiset(exchange.session for exchange in gone.values())
    counts = store.counts()
    sessions = store.sessions()
    empty = [s for s in sessions if s.id in going and counts.get(s.id, 0) == going[s.id]]
    held = [session for session in sessions if session not in empty]
    telling = {session.id for session in _telling_titles(store, held, gone)} | set(named)
    return tuple(empty), tuple(session for session in held if session.id in telling)


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
    if not gone:
        return ()
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
