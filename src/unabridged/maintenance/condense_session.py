"""One run over one session: what stays, what is condensed, and whether the result is usable.

Nothing is read or written here.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from unabridged.condense.coherence import CoherenceCheck, Names, check
from unabridged.condense.session_view import SessionView, condensation_id
from unabridged.condense.verbatim_selection import Candidate, Key, Selection, select
from unabridged.domain.annotation import Annotation, ExchangeReading, Scheme
from unabridged.domain.condensation import (
    Coherence,
    Condensation,
    CondensationDraft,
    CondenseSource,
    Level,
)
from unabridged.domain.exchange import Exchange
from unabridged.domain.message import Message
from unabridged.ports import Condenser

CONDENSED_SHARE = 0.25
"""The share of the condensed tokens that a condensation may take."""
LEAST_LIMIT = 40
"""Tokens that a condensation may always take, up to half of its sources."""
RESCUES = 3
"""How often a run spares messages to keep a critical name."""
_UNJUDGED = Annotation("", 0.5)


@dataclass(frozen=True, slots=True)
class Trigger:
    """When a run is due, and what it spares.

    Attributes:
        tokens: Tokens of the view above which a run is due.
        messages: Messages under which no run is due.
        spared: The newest messages, which are never condensed.
    """

    tokens: int = 25_000
    messages: int = 20
    spared: int = 5


@dataclass(frozen=True, slots=True)
class CondenseTools:
    """What a run works with."""

    scheme: Scheme
    condenser: Condenser
    names: Names
    count: Callable[[str], int]


@dataclass(frozen=True, slots=True)
class Worked:
    """The result of a run over a session.

    Attributes:
        usable: Whether it may be stored: it loses no critical name, keeps every share, saves tokens.
    """

    view: SessionView
    selection: Selection
    made: tuple[Condensation, ...]
    coherence: Coherence
    usable: bool
    reason: str = ""


def spoken(exchange: Exchange) -> list[tuple[int, Message]]:
    """Return the messages with words, which can be condensed, with their place."""
    return [(i, m) for i, m in exchange.spoken if m.text.strip()]


def tokens_of(message: Message, count: Callable[[str], int]) -> int:
    """Return the tokens of a message: the stored count if there is one."""
    return message.tokens if message.tokens is not None else count(message.text)


def candidates_of(path: Sequence[Exchange], spared: int) -> list[Exchange]:
    """Return the exchanges before those of the newest messages.

    ``spared`` counts messages with words.
    """
    left = spared
    cut = len(path)
    while cut and left > 0:
        cut -= 1
        left -= len(spoken(path[cut]))
    return list(path[:cut])


def work_out(
    path: Sequence[Exchange],
    annotations: Mapping[str, ExchangeReading],
    view: SessionView,
    trigger: Trigger,
    terms: CondenseTools,
) -> Worked | None:
    """Work out a run; None if there is nothing to condense."""
    known: dict[str, frozenset[str]] = {}  # a run that spares messages looks at all again

    def names(text: str) -> frozenset[str]:
        if text not in known:
            known[text] = terms.names(text)
        return known[text]

    run = _run(path, annotations, view, trigger, replace(terms, names=names))
    candidates = [
        Candidate(key, source.category, source.importance) for key, source in run.sources.items()
    ]
    before = run.view.condensed()
    spared: set[Key] = set()
    worked = None
    for _ in range(RESCUES):
        selection = select(candidates, terms.scheme, before.keys(), spared)
        if not selection.condense:
            return worked
        worked = _worked(run, selection)
        if not worked.coherence.lost_critical:
            break
        spared |= _holders(run, selection, worked.coherence.lost_critical)
    return worked


@dataclass(frozen=True, slots=True)
class _Run:
    """The data of one run.

    Attributes:
        newest: The texts of the messages that are spared.
        sizes: Message to tokens, of the whole session.
        view: The result of earlier runs.
        made: Condensations from the last attempt, if messages are spared in another.
    """

    sources: Mapping[Key, CondenseSource]
    newest: Sequence[str]
    sizes: Mapping[Key, int]
    view: SessionView
    session: str
    terms: CondenseTools
    made: dict[tuple[Key, ...], Condensation | None] = field(default_factory=dict)


def _run(
    path: Sequence[Exchange],
    annotations: Mapping[str, ExchangeReading],
    view: SessionView,
    trigger: Trigger,
    terms: CondenseTools,
) -> _Run:
    older = candidates_of(path, trigger.spared)
    return _Run(
        sources={(s.exchange, s.index): s for s in sources_of(older, annotations, terms.scheme)},
        newest=[m.text for exchange in path[len(older) :] for _, m in spoken(exchange)],
        sizes={(e.id, i): tokens_of(m, terms.count) for e in path for i, m in spoken(e)},
        view=_still_there(view, {exchange.id for exchange in older}),
        session=path[-1].session if path else "",
        terms=terms,
    )


def looked_at(
    path: Sequence[Exchange], view: SessionView, trigger: Trigger, terms: CondenseTools
) -> SessionView:
    """Return the view after a run without result: how far it looked, and its tokens."""
    older = candidates_of(path, trigger.spared)
    if not older:
        return view
    sizes = sum(tokens_of(m, terms.count) for exchange in older for _, m in spoken(exchange))
    standing = _still_there(view, {exchange.id for exchange in older}).at(Level.EXCHANGES)
    return replace(view, upto=older[-1].id, tokens=sizes - _saved(standing))


def _still_there(view: SessionView, held: Collection[str]) -> SessionView:
    on_path = [one for one in view.at(Level.EXCHANGES) if all(name in held for name in one.covers)]
    return view.replaced(Level.EXCHANGES, on_path)


def sources_of(
    exchanges: Sequence[Exchange], annotations: Mapping[str, ExchangeReading], scheme: Scheme
) -> list[CondenseSource]:
    """Return every message that may be condensed, as a condenser sees it."""
    found: list[CondenseSource] = []
    for exchange in exchanges:
        judged = annotations[exchange.id].messages if exchange.id in annotations else {}
        for index, message in spoken(exchange):
            reading = judged.get(message.id, _UNJUDGED)
            category = scheme.category(reading.category)
            found.append(
                CondenseSource(
                    exchange=exchange.id,
                    index=index,
                    role=message.role,
                    text=message.text,
                    at=exchange.at,
                    importance=reading.importance,
                    category=category.name,
                    critical=category.critical,
                )
            )
    return found


def _worked(run: _Run, selection: Selection) -> Worked:
    made = _made(run, selection)
    selection = _settled(selection, {key for one in made for key in one.messages}, run.sources)
    old = run.view.at(Level.EXCHANGES)
    before = sum(run.sizes.values()) - _saved(old)
    after = before - _saved(made)
    condensed = run.view.condensed()
    fresh = [source for key, source in run.sources.items() if key not in condensed]
    standing = [*run.newest, *(line.text for one in old for line in one.lines)]
    outcome = CoherenceCheck(selection, fresh, made, before, after)
    coherence = check(outcome, run.terms.scheme, run.terms.names, standing)
    upto = [*run.sources][-1][0] if run.sources else ""
    left = run.view.replaced(Level.EXCHANGES, (*old, *made))
    newest = sum(size for key, size in run.sizes.items() if key not in run.sources)
    left = replace(left, upto=upto, tokens=after - newest, coherence=coherence)
    reason = _refusal(made, coherence)
    return Worked(left, selection, tuple(made), coherence, usable=not reason, reason=reason)


def _made(run: _Run, selection: Selection) -> list[Condensation]:
    found = []
    for name, keys in selection.condense.items():
        if keys not in run.made:
            run.made[keys] = _condensed(run, name, keys)
        one = run.made[keys]
        if one is not None:
            found.append(one)
    return found


def _condensed(run: _Run, category: str, keys: Sequence[Key]) -> Condensation | None:
    own = [run.sources[key] for key in keys]
    size = sum(run.sizes[key] for key in keys)
    limit = max(int(CONDENSED_SHARE * size), min(LEAST_LIMIT, size // 2))
    draft = run.terms.condenser.condense(own, limit)
    if draft is None or draft.tokens >= size:
        return None
    return _condensation(run.session, own, size, draft, category)


def _settled(selection: Selection, done: Collection[Key], order: Iterable[Key]) -> Selection:
    gone = {name: keys for name, keys in selection.condense.items() if keys and keys[0] in done}
    places = {key: place for place, key in enumerate(order)}
    keep = {}
    for name in dict.fromkeys([*selection.keep, *selection.condense]):
        undone = () if name in gone else selection.condense.get(name, ())
        keys = (*selection.keep.get(name, ()), *undone)
        keep[name] = tuple(sorted(keys, key=places.__getitem__))
    return Selection(keep, gone, selection.before)


def _condensation(
    session: str, own: Sequence[CondenseSource], size: int, draft: CondensationDraft, category: str
) -> Condensation:
    covers = tuple(dict.fromkeys(source.exchange for source in own))
    messages = tuple((source.exchange, source.index) for source in own)
    texts = [line.text for line in draft.lines]
    return Condensation(
        id=condensation_id(Level.EXCHANGES, session, messages, texts),
        level=Level.EXCHANGES,
        session=session,
        covers=covers,
        since=own[0].at,
        until=own[-1].at,
        lines=draft.lines,
        tokens=draft.tokens,
        source_tokens=size,
        by=draft.by,
        category=category,
        messages=messages,
        notes=draft.notes,
    )


def _saved(made: Sequence[Condensation]) -> int:
    return sum(one.source_tokens - one.tokens for one in made)


def _refusal(made: Sequence[Condensation], coherence: Coherence) -> str:
    if not made:
        return "Nothing of it could be made shorter."
    if coherence.lost_critical:
        return f"It would lose critical names: {', '.join(coherence.lost_critical)}."
    if not coherence.shares_kept or not coherence.in_order:
        return "It would not keep the shares or the order."
    return ""


def _holders(run: _Run, selection: Selection, lost: Collection[str]) -> set[Key]:
    gone = [run.sources[key] for keys in selection.condense.values() for key in keys]
    held = [(s, run.terms.names(s.text)) for s in gone if s.critical]
    found: set[Key] = set()
    for name in lost:
        holders = [source for source, names in held if name in names]
        if holders:
            best = max(holders, key=lambda source: source.importance)
            found.add((best.exchange, best.index))
    return found
