"""The four tiers: which exchanges go into the prompt, and in what form.

Each tier is a pure function of material and tokens. The history (immediate and recent tier) is
one run of this session's exchanges from a boundary to its newest. The boundary stays where it
was, request after request, so that the prompt keeps its beginning; when the run outgrows its room
it moves once, in a block, down to 75 % of the room, and the next requests keep it again.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from unabridged.budget.tiers import ExchangeLimits, divide, exchange_limits
from unabridged.context.manifest import places_of
from unabridged.context.measure import fence_frame, in_fence, in_history, sides
from unabridged.context.plan import Chosen, Dropped, Item, Material, Places, Plan
from unabridged.domain.budget import TierBudget
from unabridged.domain.exchange import Exchange
from unabridged.domain.intent import Intent
from unabridged.retrieval.search import Evidence

IMMEDIATE_EXCHANGES = 5
"""The newest exchanges that come whole while their share holds them."""
BLOCK_SHARE = 0.75
"""How full the history's room is after its boundary moved."""
YIELD_SHARE = 0.5
"""How far the semantic tier gives way before the history's boundary moves; not for vivid recall."""
OVER = "over 25 % of memory"
"""Why an exchange of the history is an excerpt."""
STRONG_SHARE = 0.6
"""Of the best evidence: what is weaker makes no history yield."""
LEAST_ROOM = 96
"""Tokens under which nothing more is recalled."""
MOST_EXCERPTS = 3
"""Long exchanges that are tried to be shortened for one message; the rest come whole or not."""
NO_ROOM = "no room left"
"""The reason of what bears on the message and was left out."""
EXCERPT_SHARE = 0.25
"""Of the semantic tier's room: the most that one excerpt takes for a summary."""


@dataclass(frozen=True, slots=True)
class Tiers:
    """What each tier took.

    Attributes:
        immediate: The newest exchanges of this session.
        recent: The rest of this session that is shown.
        semantic: What was recalled for this message, best first.
        budget: The memory budget as it was divided at first.
        frame: Tokens of the fence itself, 0 where nothing was recalled.
    """

    immediate: Chosen
    recent: Chosen
    semantic: Chosen
    budget: TierBudget
    frame: int = 0

    @property
    def history(self) -> tuple[Item, ...]:
        """The session's exchanges that are shown, oldest first."""
        return self.recent.items + self.immediate.items


@dataclass(frozen=True, slots=True)
class Ask:
    """What one message asks of memory, and what there is for it.

    Attributes:
        intent: The intent.
        terms: The message's search terms, for excerpts.
        memory: Tokens of the memory budget without what the pinned facts take.
        steady: Tokens that limits in the history are measured by: what memory has at the least,
            so that its bytes do not change with the newest message.
    """

    intent: Intent
    terms: Sequence[str]
    memory: int
    steady: int


def choose(plan: Plan, material: Material, ask: Ask) -> Tiers:
    """Divide a memory budget and fill it."""
    memory, intent = ask.memory, ask.intent
    budget = divide(memory, intent, facts_tokens_wanted=0)
    sized = _sized(plan, material, ask)
    wanted = _wanted(plan, material, sized, budget.semantic, intent)
    start = _start(sized, _kept_start(material), memory, wanted, intent)
    shown, hidden = sized[start:], sized[:start]
    immediate, recent = _split(shown, budget.immediate)
    used = sum(item.tokens for item in shown)
    held = {item.exchange.id for item in shown}
    evidence = [e for e in material.evidence if e.exchange.id not in held]
    semantic, frame = recall(plan, evidence, memory - used, ask)
    beside = _all_dropped(plan, material.beside, "another branch of this message")
    semantic = replace(semantic, dropped=semantic.dropped + beside.dropped)
    taken = {item.exchange.id for item in semantic.items}
    reason = "older than the shown history" if shown else "larger than all of memory"
    older = tuple(
        Dropped(i.exchange, i.tokens, reason) for i in hidden if i.exchange.id not in taken
    )
    return Tiers(immediate, replace(recent, dropped=older), semantic, budget, frame)


def _sized(plan: Plan, material: Material, ask: Ask) -> list[Item]:
    """The path with the form and tokens that each exchange would have in the history.

    The limits against one long exchange bind behind the five newest, and on the newest only
    where it alone exceeds the whole budget.
    """
    limits = exchange_limits(ask.steady)
    before = _shortened(material)
    path = list(material.path)
    items: list[Item] = []
    for back, exchange in enumerate(reversed(path)):
        tokens = in_history(exchange, plan.counter)
        item = Item(exchange, tokens, "this session, whole")
        if back == 0 and tokens > ask.memory:
            item = _short(plan, exchange, ask.memory, "newest, but larger than all memory") or item
        elif back >= IMMEDIATE_EXCHANGES and exchange.id in before:
            places = before[exchange.id]
            item = Item(exchange, in_history(exchange, plan.counter, places), OVER, places)
        elif back >= IMMEDIATE_EXCHANGES and _over(limits, exchange, plan):
            item = _short(plan, exchange, limits.whole, OVER) or item
        items.append(item)
    items.reverse()
    return items


def _shortened(material: Material) -> dict[str, Places]:
    """The excerpts that the previous prompt had in its history: they stay as they were."""
    shown = material.previous["history"] if material.previous else ()
    return {item["id"]: places_of(item) for item in shown if item.get("sentences")}


def _over(limits: ExchangeLimits, exchange: Exchange, plan: Plan) -> bool:
    """Whether an exchange is over the limits."""
    return not limits.allows(*sides(exchange, plan.counter))


def _short(plan: Plan, exchange: Exchange, limit: int, reason: str) -> Item | None:
    """An exchange as an excerpt of whole sentences, or None where not one sentence fits."""
    places, _ = plan.condense(exchange, limit, plan.counter, ())
    if not places:
        return None
    tokens = in_history(exchange, plan.counter, places)
    return Item(exchange, tokens, reason, sentences=places) if tokens <= limit else None


def _wanted(
    plan: Plan, material: Material, sized: Sequence[Item], share: int, intent: Intent
) -> int:
    """Tokens that evidence would use of the semantic tier's share."""
    if intent is Intent.CASUAL or not material.evidence:
        return 0
    held = {item.exchange.id for item in sized}
    need = fence_frame(plan.counter)
    for evidence in _strong(material.evidence):
        if need >= share:
            return share
        if evidence.exchange.id not in held:
            need += in_fence(evidence.exchange, plan.counter)
    return min(need, share)


def _strong(evidence: Sequence[Evidence]) -> list[Evidence]:
    """The evidence that comes near the best."""
    best = max((found.score for found in evidence), default=0.0)
    return [found for found in evidence if found.score >= STRONG_SHARE * best]


def _kept_start(material: Material) -> int:
    """Where the shown history began the last time, as a place in the path."""
    ids = [exchange.id for exchange in material.path]
    return ids.index(material.began) if material.began in ids else 0


def _start(sized: Sequence[Item], kept: int, memory: int, wanted: int, intent: Intent) -> int:
    """The place in the path where the shown history begins."""
    if not sized:
        return 0
    total = sum(item.tokens for item in sized[kept:])
    give = wanted if intent is Intent.VIVID_RECALL else int(wanted * (1 - YIELD_SHARE))
    if total + give <= memory:
        return kept
    room = int((memory - give) * BLOCK_SHARE)
    start = kept
    while start < len(sized) - 1 and total > room:
        total -= sized[start].tokens
        start += 1
    return start if total <= memory else len(sized)


def _split(shown: Sequence[Item], room: int) -> tuple[Chosen, Chosen]:
    """Part the shown history into the immediate tier and the rest."""
    count = 0
    used = 0
    for item in reversed(shown[-IMMEDIATE_EXCHANGES:]):
        if count and used + item.tokens > room:
            break
        used += item.tokens
        count += 1
    cut = len(shown) - count
    newest = tuple(replace(i, reason=_newest_reason(i)) for i in shown[cut:])
    return Chosen(newest), Chosen(tuple(shown[:cut]))


def _newest_reason(item: Item) -> str:
    """The reason of an item of the immediate tier."""
    return item.reason if item.sentences else "newest of this session, whole"


def recall(plan: Plan, evidence: Sequence[Evidence], room: int, ask: Ask) -> tuple[Chosen, int]:
    """The semantic tier: evidence into the room that is left, best first.

    Args:
        plan: The terms.
        evidence: What was found and no other tier holds, best first.
        room: Tokens that are left of the memory budget.
        ask: What the message asks of memory.

    Returns:
        What was taken and left, and the tokens of the fence itself.
    """
    if ask.intent is Intent.CASUAL:
        return _all_dropped(plan, evidence, "small talk asks nothing of memory"), 0
    frame = fence_frame(plan.counter)
    left = room - frame
    items: list[Item] = []
    dropped: list[Dropped] = []
    limits = exchange_limits(room)
    tries = 0
    for found in evidence:
        item = None
        if left >= LEAST_ROOM:
            shorten = tries < MOST_EXCERPTS
            item = _recalled(plan, found, left, limits, ask, shorten=shorten)
            tries += item is None or bool(item.sentences)
        if item is None:
            tokens = in_fence(found.exchange, plan.counter)
            dropped.append(Dropped(found.exchange, tokens, NO_ROOM, found.score))
        else:
            items.append(item)
            left -= item.tokens
    return Chosen(tuple(items), tuple(dropped)), frame if items else 0


def _all_dropped(plan: Plan, evidence: Sequence[Evidence], reason: str) -> Chosen:
    """A tier that takes nothing, with what it was offered."""
    return Chosen(
        dropped=tuple(
            Dropped(e.exchange, in_fence(e.exchange, plan.counter), reason, e.score)
            for e in evidence
        )
    )


def _recalled(
    plan: Plan, found: Evidence, left: int, limits: ExchangeLimits, ask: Ask, *, shorten: bool
) -> Item | None:
    """One piece of evidence in the form that its intent and the room allow."""
    exchange, intent = found.exchange, ask.intent
    tokens = in_fence(exchange, plan.counter)
    whole = Item(exchange, tokens, "bears on your message", score=found.score)
    if intent is not Intent.SUMMARY and tokens <= left:
        within = intent is Intent.VIVID_RECALL or not _over(limits, exchange, plan)
        if within or tokens <= left // 2:
            return whole
    if intent is Intent.SUMMARY and tokens <= left * EXCERPT_SHARE:
        return whole
    if not shorten:
        return None
    limit = min(left, max(limits.whole, int(left * EXCERPT_SHARE)))
    places, _ = plan.condense(exchange, limit, plan.counter, ask.terms)
    if not places:
        return None
    short = in_fence(exchange, plan.counter, places)
    if short > left or short >= tokens:
        return whole if tokens <= left else None
    reason = "bears on your message; too long to come whole"
    return Item(exchange, short, reason, places, found.score)
