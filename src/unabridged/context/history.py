"""The shown history: a run of this session's exchanges, after a condensation of earlier ones.

Its beginning does not move from request to request, so that the prompt keeps its prefix. When the
history outgrows its room the beginning moves once, in a block, down to 75 % of the room. Exchanges
without salience, other than the five newest, go first, then the oldest; the condensation replaces
both.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from unabridged.budget.tiers import ExchangeLimits, exchange_limits
from unabridged.condense.history_summary import (
    HistorySummary,
    Stands,
    drafted,
    sources_again,
    sources_of,
)
from unabridged.condense.salience import salient_exchanges
from unabridged.condense.topic_density import NEUTRAL, richness
from unabridged.context.excerpt import excerpt
from unabridged.context.manifest import places_of
from unabridged.context.render import earlier_text, in_history
from unabridged.context.types import Candidates, Item, Places, PromptPlan, Selected, Stored
from unabridged.domain import reasons
from unabridged.domain.exchange import Exchange
from unabridged.domain.message import Role

IMMEDIATE_EXCHANGES = 5
"""The newest exchanges that are shown whole while their share has room for them."""
BLOCK_SHARE = 0.75
"""How full the history's room is after its boundary moved."""
EARLIER_SHARE = 0.1
"""Of the memory budget: the most for the condensation of exchanges that are no longer shown."""
WORDS_SHARE = 0.85
"""Of its tokens: about what the words themselves take; the rest are names and dates before them."""
FITTINGS = 4
"""How often to try to make it fit."""
LEAST_EARLIER = 64
"""Tokens below which such a condensation contains too little."""
FRAME_TOKENS = 40
"""Tokens that its frame takes, about; the real number is counted."""


@dataclass(frozen=True, slots=True)
class ShownHistory:
    """The part of a session that is shown.

    Attributes:
        shown: Its exchanges that are shown, oldest first.
        hidden: Those of the path that are neither shown nor replaced.
        earlier: What replaces exchanges that are not shown, or None.
        tokens: What ``earlier`` takes.
    """

    shown: tuple[Item, ...]
    hidden: tuple[Item, ...] = ()
    earlier: HistorySummary | None = None
    tokens: int = 0

    @property
    def used(self) -> int:
        """Tokens of everything that is shown."""
        return self.tokens + sum(item.tokens for item in self.shown)


@dataclass(frozen=True, slots=True)
class HistoryBefore:
    """The history as the last prompt showed it, with the exchanges since.

    Attributes:
        history: The history.
        moves: Whether its beginning has to move, so that more has to be read for it.
        outgrown: Whether it takes more than its room.
        give: Tokens of the memory budget that it yields to recall. They depend on the richness of
            the conversation only if it has outgrown its room, so that richness alone never moves
            what is shown.
    """

    history: ShownHistory
    moves: bool
    outgrown: bool
    give: int


def history_before(
    plan: PromptPlan, material: Candidates, memory: int, give: Callable[[float], int]
) -> HistoryBefore:
    """Measure the history as it was, and decide whether its beginning has to move.

    Args:
        plan: The terms.
        material: The session's path, and how it was shown the last time.
        memory: Tokens of the memory budget.
        give: Returns what it yields to recall, from the richness of the conversation.
    """
    earlier = material.earlier
    sized = _as_before(plan, material, memory)
    kept = ShownHistory(tuple(sized), (), earlier, earlier_tokens(plan, earlier))
    many = plan.max_turns is not None and len(sized) > plan.max_turns
    usual = give(NEUTRAL)
    if kept.used + usual <= memory:
        return HistoryBefore(kept, many, outgrown=False, give=usual)
    lately = give(richness(material.path))
    return HistoryBefore(kept, many or kept.used + lately > memory, outgrown=True, give=lately)


def shown_history(
    plan: PromptPlan, material: Candidates, memory: int, steady: int, before: HistoryBefore
) -> ShownHistory:
    """Choose the part of a session that is shown."""
    if not before.moves:
        return before.history
    sized: Sequence[Item] = before.history.shown
    if before.outgrown:
        sized = _shorter(plan, sized, steady)
    return _moved(plan, material, sized, memory, before.give)


def earlier_tokens(plan: PromptPlan, earlier: HistorySummary | None) -> int:
    """Return the tokens of the condensation in the prompt."""
    return plan.counter.text(earlier_text(earlier)) if earlier else 0


def _as_before(plan: PromptPlan, material: Candidates, memory: int) -> list[Item]:
    before = _shortened(material)
    items: list[Item] = []
    for exchange in material.path:
        places = before.get(exchange.id, ())
        tokens = in_history(exchange, plan.counter, places)
        items.append(
            Item(exchange, tokens, reasons.TOO_LONG if places else reasons.HISTORY, places)
        )
    if items and items[-1].tokens > memory:
        newest = items[-1].exchange
        short = _short(plan, newest, memory, reasons.NEWEST_TOO_LONG)
        items[-1] = short or items[-1]
    return items


def _shortened(material: Candidates) -> dict[str, Places]:
    shown = material.previous["history"] if material.previous else ()
    return {item["id"]: places_of(item) for item in shown if item.get("sentences")}


def _shorter(plan: PromptPlan, items: Sequence[Item], steady: int) -> list[Item]:
    limits = exchange_limits(steady)
    cut = max(0, len(items) - IMMEDIATE_EXCHANGES)
    older = [
        (_short(plan, item.exchange, limits.whole, reasons.TOO_LONG) or item)
        if not item.sentences and over(limits, item.exchange, plan)
        else item
        for item in items[:cut]
    ]
    return [*older, *items[cut:]]


def over(limits: ExchangeLimits | None, exchange: Exchange, plan: PromptPlan) -> bool:
    """Return whether an exchange is over the limits, if there are any."""
    if limits is None:
        return False
    sizes = [(m.role is Role.USER, plan.counter.message(m)) for m in exchange.messages]
    user = sum(tokens for is_user, tokens in sizes if is_user)
    return not limits.allows(user, sum(tokens for _, tokens in sizes) - user)


def _short(plan: PromptPlan, exchange: Exchange, limit: int, reason: str) -> Item | None:
    if plan.condenser is None:
        return None
    room = limit
    for _ in range(FITTINGS):
        places = excerpt(exchange, room, plan.counter)
        if not places:
            return None
        tokens = in_history(exchange, plan.counter, places)
        if tokens <= limit:
            return Item(exchange, tokens, reason, sentences=places)
        room -= tokens - limit
    return None


def _moved(
    plan: PromptPlan, material: Candidates, sized: Sequence[Item], memory: int, give: int
) -> ShownHistory:
    room = memory - give
    most = int(EARLIER_SHARE * memory)
    holds = plan.condenser is not None and most >= LEAST_EARLIER
    full = sum(item.tokens for item in sized) + earlier_tokens(plan, material.earlier) > room
    block = int(room * BLOCK_SHARE) - (most if holds else 0) if full else room
    gone = _falls_out(material, sized, block, _turns(plan, sized), tells=holds)
    shown = [item for item in sized if item.exchange.id not in gone]
    if sum(item.tokens for item in shown) > memory:
        gone, shown = {item.exchange.id for item in sized}, []
    hidden = [item for item in sized if item.exchange.id in gone]
    left = memory - sum(item.tokens for item in shown)
    earlier = _earlier(plan, material, hidden, shown, min(most, left)) if holds else None
    tokens = earlier_tokens(plan, earlier)
    if earlier is None or tokens > left:
        cut = next((n for n, item in enumerate(sized) if item.exchange.id not in gone), len(sized))
        if any(item.exchange.id in gone for item in sized[cut:]):
            # Nothing replaces the exchanges between: only the oldest may be left out.
            return _moved(replace(plan, condenser=None), material, sized, memory, give)
        gaps = material.earlier.inner if material.earlier else ()
        still = set(_between(material, gaps, shown[:1]))
        return _behind(material, still, shown, hidden)
    return ShownHistory(tuple(shown), (), earlier, tokens)


def _behind(
    material: Candidates, gaps: Collection[str], shown: Sequence[Item], hidden: Sequence[Item]
) -> ShownHistory:
    last = max((n for n, name in enumerate(material.order) if name in gaps), default=-1)
    behind = {name for n, name in enumerate(material.order) if n > last}
    left = [item for item in shown if item.exchange.id not in behind] if gaps else []
    return ShownHistory(tuple(i for i in shown if i not in left), (*hidden, *left))


def _turns(plan: PromptPlan, sized: Sequence[Item]) -> int:
    # How many exchanges may be shown; reduced if there are too many, so that it moves in blocks.
    if plan.max_turns is None or len(sized) <= plan.max_turns:
        return len(sized)
    return max(1, int(plan.max_turns * BLOCK_SHARE))


def _falls_out(
    material: Candidates, sized: Sequence[Item], room: int, turns: int, *, tells: bool
) -> set[str]:
    total = sum(item.tokens for item in sized)
    cut = max(0, len(sized) - IMMEDIATE_EXCHANGES)
    older = [item.exchange for item in sized[:cut]]
    salient = (
        salient_exchanges(older, material.stored.annotations)
        if tells and older
        else [""] * len(older)
    )
    plain = [n for n, reason in enumerate(salient) if reason is None]
    order = [*plain, *(n for n in range(len(sized) - 1) if n >= cut or salient[n] is not None)]
    gone: set[str] = set()
    for place in order:
        if total <= room and len(sized) - len(gone) <= turns:
            break
        gone.add(sized[place].exchange.id)
        total -= sized[place].tokens
    return gone


def _earlier(
    plan: PromptPlan,
    material: Candidates,
    hidden: Sequence[Item],
    shown: Sequence[Item],
    limit: int,
) -> HistorySummary | None:
    if plan.condenser is None or not (hidden or material.earlier):
        return material.earlier
    before = material.earlier
    stored = material.stored
    sources = sources_again(before) if before else list(stored.older)
    for item in hidden:
        sources += sources_of(item.exchange, stored.sentences, stored.importance)
    sources.sort(key=lambda source: source.at)  # stable: within an exchange the order stays
    passed = [*(before.inner if before else ()), *(item.exchange.id for item in hidden)]
    inner = _between(material, passed, shown)
    count = len(hidden) + (before.count if before else stored.older_count)
    tokens = sum(m.tokens or 0 for item in hidden for m in item.exchange.messages)
    tokens += before.tokens if before else stored.older_tokens
    of = before.of if before else stored.older_drawn
    since = _since(before, stored, hidden)
    stands = Stands(count, tokens, inner, shown[0].exchange.id if shown else "", of, since)
    room = WORDS_SHARE * (limit - FRAME_TOKENS)
    for _ in range(FITTINGS):
        draft = plan.condenser.condense(sources, int(room)) if sources else None
        if draft is None or not draft.lines:
            return None
        made = drafted(draft, sources, stands)
        took = earlier_tokens(plan, made)
        if took <= limit:
            return made
        room *= 0.95 * limit / took  # names and dates precede the words
    return None


def _since(
    before: HistorySummary | None, stored: Stored, hidden: Sequence[Item]
) -> datetime | None:
    if before is not None:
        return before.since
    # Exchanges before the path that no stored condensation replaced were left out.
    return None if stored.older_count or not hidden else hidden[0].exchange.at


def _between(material: Candidates, passed: Sequence[str], shown: Sequence[Item]) -> list[str]:
    order = material.order or [exchange.id for exchange in material.path]
    places = {name: place for place, name in enumerate(order)}
    first = places[shown[0].exchange.id] if shown else len(order)
    return [name for name in passed if places.get(name, -1) > first]


def split(shown: Sequence[Item], room: int) -> tuple[Selected, Selected]:
    """Split the shown history into the immediate tier, of ``room`` tokens, and the rest."""
    count = 0
    used = 0
    for item in reversed(shown[-IMMEDIATE_EXCHANGES:]):
        if count and used + item.tokens > room:
            break
        used += item.tokens
        count += 1
    cut = len(shown) - count
    newest = tuple(replace(i, reason=_newest_reason(i)) for i in shown[cut:])
    return Selected(newest), Selected(tuple(shown[:cut]))


def _newest_reason(item: Item) -> str:
    return item.reason if item.sentences else reasons.NEWEST
