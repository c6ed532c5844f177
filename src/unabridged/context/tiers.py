"""The four tiers: which exchanges go into the prompt, and in what form.

Each tier is a pure function of material and tokens. The history (immediate and recent tier) is
one run of this session's exchanges from a boundary to its newest. The boundary stays where it
was, request after request, so that the prompt keeps its beginning; when the run outgrows its room
it moves once, in a block, down to 75 % of the room, and the next requests keep it again.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from unabridged.budget.tiers import ExchangeLimits, divide, exchange_limits
from unabridged.context.manifest import places_of
from unabridged.context.measure import fence_frame, in_fence, in_history, sides
from unabridged.context.plan import Chosen, Dropped, Item, Material, Places, Plan
from unabridged.domain.exchange import Exchange
from unabridged.domain.intent import Intent
from unabridged.retrieval.evidence import Evidence

IMMEDIATE_EXCHANGES = 5
"""The newest exchanges that come whole while their share holds them."""
BLOCK_SHARE = 0.75
"""How full the history's room is after its boundary moved."""
YIELD_SHARE = 0.5
"""How far the semantic tier gives way before the history's boundary moves; not for vivid recall."""
WHOLE, OVER = "this session, whole", "over 25 % of memory"
"""Why an exchange of the history comes whole, or as an excerpt."""
STRONG_SHARE = 0.5
"""Of the best evidence: what is weaker makes no history yield, and is no background."""
STRONG_BESIDE = 0.8
"""The same where a history stands beside it: each thing recalled is read anew by the model, while
its cache holds the history."""
MOST_BESIDE = 3
"""Pieces of evidence that are background beside a history, at the most; found in it or not."""
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
        frame: Tokens of the fence itself, 0 where nothing was recalled.
    """

    immediate: Chosen
    recent: Chosen
    semantic: Chosen
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
    sized = _as_before(plan, material, ask)
    wanted = _wanted(plan, material, sized, budget.semantic, intent)
    give = wanted if intent is Intent.VIVID_RECALL else int(wanted * (1 - YIELD_SHARE))
    start = _kept_start(material)
    if sum(item.tokens for item in sized[start:]) + give > memory:
        sized = _shorter(plan, sized, ask)
        start = _moved(sized, start, memory, give)
    shown, hidden = sized[start:], sized[:start]
    immediate, recent = _split(shown, budget.immediate)
    used = sum(item.tokens for item in shown)
    held = {item.exchange.id for item in shown}
    semantic, frame = _semantic(plan, material, ask, memory - used, held)
    taken = {item.exchange.id for item in semantic.items}
    reason = "older than the shown history" if shown else "larger than all of memory"
    older = tuple(
        Dropped(i.exchange, i.tokens, reason) for i in hidden if i.exchange.id not in taken
    )
    return Tiers(immediate, replace(recent, dropped=older), semantic, frame)


def _as_before(plan: Plan, material: Material, ask: Ask) -> list[Item]:
    """The path with the form and tokens that each exchange has in the history.

    Each comes whole, or as the excerpt that the previous prompt had of it; the newest as one only
    where it alone exceeds the whole budget.
    """
    before = _shortened(material)
    items: list[Item] = []
    for exchange in material.path:
        places = before.get(exchange.id, ())
        tokens = in_history(exchange, plan.counter, places)
        items.append(Item(exchange, tokens, OVER if places else WHOLE, places))
    if items and items[-1].tokens > ask.memory:
        newest = items[-1].exchange
        short = _short(plan, newest, ask.memory, "newest, but larger than all memory")
        items[-1] = short or items[-1]
    return items


def _shorter(plan: Plan, items: Sequence[Item], ask: Ask) -> list[Item]:
    """The same, with what is over the limits and behind the five newest as excerpts.

    The limits bind where memory is short, so this is done when the history's beginning moves, and
    costs no prefix of its own.
    """
    limits = exchange_limits(ask.steady)
    cut = max(0, len(items) - IMMEDIATE_EXCHANGES)
    older = [
        (_short(plan, item.exchange, limits.whole, OVER) or item)
        if not item.sentences and _over(limits, item.exchange, plan)
        else item
        for item in items[:cut]
    ]
    return [*older, *items[cut:]]


def _shortened(material: Material) -> dict[str, Places]:
    """The excerpts that the previous prompt had in its history: they stay as they were."""
    shown = material.previous["history"] if material.previous else ()
    return {item["id"]: places_of(item) for item in shown if item.get("sentences")}


def _over(limits: ExchangeLimits | None, exchange: Exchange, plan: Plan) -> bool:
    """Whether an exchange is over the limits, if there are any."""
    return limits is not None and not limits.allows(*sides(exchange, plan.counter))


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
    if not material.evidence:
        return 0
    held = {item.exchange.id for item in sized}
    need = fence_frame(plan.counter)
    for evidence in _strong(material.evidence, background=_is_background(intent, sized)):
        if need >= share:
            return share
        if evidence.exchange.id not in held:
            need += in_fence(evidence.exchange, plan.counter)
    return min(need, share)


def _is_background(intent: Intent, history: Collection[object]) -> bool:
    """Whether what is recalled is only background, beside a history."""
    return intent is Intent.CONTEXTUAL and bool(history)


def _strong(evidence: Sequence[Evidence], *, background: bool) -> list[Evidence]:
    """The evidence that comes near the best; nearer, and little of it, where it is background."""
    share = STRONG_BESIDE if background else STRONG_SHARE
    best = max((found.score for found in evidence), default=0.0)
    strong = [found for found in evidence if found.score >= share * best]
    return strong[:MOST_BESIDE] if background else strong


def _kept_start(material: Material) -> int:
    """Where the shown history began the last time, as a place in the path."""
    ids = [exchange.id for exchange in material.path]
    return ids.index(material.began) if material.began in ids else 0


def _moved(sized: Sequence[Item], kept: int, memory: int, give: int) -> int:
    """The place in the path where the shown history begins after it moved.

    Args:
        sized: The path.
        kept: Where it began before.
        memory: Tokens of the memory budget.
        give: Tokens of it that the history gives to what is recalled.
    """
    total = sum(item.tokens for item in sized[kept:])
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


def _semantic(
    plan: Plan, material: Material, ask: Ask, room: int, held: set[str]
) -> tuple[Chosen, int]:
    """What is recalled into a room, and what is not with its reason.

    Who asks for details gets as much as fits; for the others what is far weaker than the best is
    no background.
    """
    vivid = ask.intent is Intent.VIVID_RECALL
    wanted = (
        material.evidence
        if vivid
        else _strong(material.evidence, background=_is_background(ask.intent, held))
    )
    strong = {e.exchange.id for e in wanted}
    passed = strong | held
    weak = [e for e in material.evidence if e.exchange.id not in passed]
    evidence = [e for e in wanted if e.exchange.id not in held]
    chosen, frame = recall(plan, evidence, room, ask, contested=bool(held))
    faint = _all_dropped(plan, weak, "much weaker than the best")
    beside = _all_dropped(plan, material.beside, "another branch of this message")
    return replace(chosen, dropped=chosen.dropped + faint + beside), frame


def recall(
    plan: Plan, evidence: Sequence[Evidence], room: int, ask: Ask, *, contested: bool = True
) -> tuple[Chosen, int]:
    """The semantic tier: evidence into the room that is left, best first.

    Args:
        plan: The terms.
        evidence: What was found and no other tier holds, best first.
        room: Tokens that are left of the memory budget.
        ask: What the message asks of memory.
        contested: Whether a history stands beside it; where none does, nothing else wants the room,
            and exchanges come whole.

    Returns:
        What was taken and left, and the tokens of the fence itself.
    """
    frame = fence_frame(plan.counter)
    left = room - frame
    items: list[Item] = []
    over: list[Evidence] = []
    limits = exchange_limits(room) if contested else None
    tries = 0
    for found in evidence:
        item = None
        if left >= LEAST_ROOM:
            shorten = tries < MOST_EXCERPTS
            item = _recalled(plan, found, left, limits, ask, shorten=shorten)
            tries += item is None or bool(item.sentences)
        if item is None:
            over.append(found)
        else:
            items.append(item)
            left -= item.tokens
    dropped = _all_dropped(plan, over, NO_ROOM)
    return Chosen(tuple(items), dropped), frame if items else 0


def _all_dropped(plan: Plan, evidence: Sequence[Evidence], reason: str) -> tuple[Dropped, ...]:
    """Evidence that is left out, each with what it would have taken."""
    return tuple(
        Dropped(e.exchange, in_fence(e.exchange, plan.counter), reason, e.score) for e in evidence
    )


def _recalled(
    plan: Plan,
    found: Evidence,
    left: int,
    limits: ExchangeLimits | None,
    ask: Ask,
    *,
    shorten: bool,
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
    limit = min(left, max(limits.whole if limits else 0, int(left * EXCERPT_SHARE)))
    places, _ = plan.condense(exchange, limit, plan.counter, ask.terms)
    if not places:
        return None
    short = in_fence(exchange, plan.counter, places)
    if short > left or short >= tokens:
        return whole if tokens <= left else None
    reason = "bears on your message; too long to come whole"
    return Item(exchange, short, reason, places, found.score)
