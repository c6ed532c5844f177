"""The four tiers: which exchanges go into the prompt, and in what form.

Each tier is a pure function of material and tokens. The history (immediate and recent tier) is
one run of this session's exchanges; what is recalled for the message gets what it leaves.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

from unabridged.budget.tiers import ExchangeLimits, divide, exchange_limits
from unabridged.condense.richness import NEUTRAL, richness
from unabridged.context.facts import Facts, choose_facts
from unabridged.context.history import (
    NOTHING_SHOWN,
    Give,
    History,
    HistoryAsk,
    HistoryBefore,
    history_before,
    over,
    shown_history,
    split,
)
from unabridged.context.measure import (
    briefs_frame,
    fence_frame,
    in_brief,
    in_fence,
    in_history,
)
from unabridged.context.overviews import SHARE as OVERVIEW_SHARE, Overview, overview_of
from unabridged.context.plan import Chosen, Dropped, Item, Material, Plan
from unabridged.domain.intent import Intent
from unabridged.retrieval.evidence import Evidence

YIELD_SHARE = 0.5
"""How far the semantic tier gives way before the history's boundary moves; not for vivid recall."""
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
LEAST_BRIEF, MOST_BRIEF = 56, 80
"""Tokens of one such line, label included."""
AROUND = "said around what bears on your message"
"""Why what was not found itself is there."""
BRIEF = "bears on your message; its telling sentences"
"""Why a line of them is there."""
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
        shown: The shown history, with what stands for exchanges that are not.
        facts: What is known that bears on the message.
        overviews: Condensed conversations that bear on it.
    """

    immediate: Chosen
    recent: Chosen
    semantic: Chosen
    frame: int = 0
    shown: History = field(default=NOTHING_SHOWN)
    facts: Facts = field(default_factory=Facts)
    overviews: tuple[Overview, ...] = ()

    @property
    def fenced(self) -> int:
        """Tokens of everything in the fence, the fence itself included."""
        summaries = sum(one.tokens for one in self.overviews)
        return self.semantic.tokens + self.facts.tokens + summaries + self.frame

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
        pinned: Tokens that the pinned facts take.
        steady: Tokens that limits in the history are measured by: what memory has at the least,
            so that its bytes do not change with the newest message.
    """

    intent: Intent
    terms: Sequence[str]
    memory: int
    steady: int
    pinned: int = 0


@dataclass(frozen=True, slots=True)
class TierDraft:
    """The tiers before the history is chosen: it says whether more has to be read for that.

    Attributes:
        material: What was read, with all that a client sent in it where memory holds that.
        facts: What is known that bears on the message.
        give: Tokens that the history gives to what is recalled.
        before: The history as the last prompt showed it, with what was said since.
    """

    material: Material
    facts: Facts
    give: Give
    before: HistoryBefore


def draft_tiers(plan: Plan, material: Material, ask: Ask) -> TierDraft:
    """Divide a memory budget, and say whether the shown history has to move."""
    memory, intent = ask.memory, ask.intent
    material, left = _as_sent(plan, material, memory)
    facts = _facts(plan, material, ask, left)

    def given(rich: float = NEUTRAL) -> int:
        """What the history gives where the conversation is so rich; for details never less."""
        rich = max(rich, NEUTRAL) if intent is Intent.VIVID_RECALL else rich
        tiers = divide(
            memory, intent, facts_tokens_wanted=facts.tokens, richness=rich, shares=plan.shares
        )
        wanted = _wanted(plan, material, tiers.semantic, intent)
        give = wanted if intent is Intent.VIVID_RECALL else int(wanted * (1 - YIELD_SHARE))
        return min(give + facts.tokens, left)

    give = Give(given(), cache(lambda: given(richness(material.path))))
    return TierDraft(material, facts, give, history_before(plan, material, memory, give))


def choose(plan: Plan, drafted: TierDraft, ask: Ask) -> Tiers:
    """Fill a memory budget that was divided."""
    memory, intent = ask.memory, ask.intent
    material, facts = drafted.material, drafted.facts
    budget = divide(memory, intent, facts_tokens_wanted=facts.tokens, shares=plan.shares)
    tokens = HistoryAsk(memory, ask.steady, drafted.give)
    history = shown_history(plan, material, tokens, drafted.before)
    immediate, recent = split(history.shown, budget.immediate)
    held = {item.exchange.id for item in history.shown}
    whole = {item.exchange.id for item in history.shown if not item.sentences}
    facts = facts.without(whole)
    room = memory - history.used - facts.tokens
    overviews = _overviews(plan, material, room)
    room -= sum(one.tokens for one in overviews)
    semantic, frame = _semantic(plan, material, ask, room, held)
    if not frame and (facts.items or overviews):
        frame = fence_frame(plan.counter)
        if frame > room - semantic.tokens:
            facts, overviews, frame = Facts(dropped=facts.items + facts.dropped), (), 0
    taken = {item.exchange.id for item in semantic.items}
    reason = "older than the shown history" if held else "larger than all of memory"
    older = tuple(
        Dropped(i.exchange, i.tokens, reason) for i in history.hidden if i.exchange.id not in taken
    )
    recent = replace(recent, dropped=older)
    return Tiers(immediate, recent, semantic, frame, history, facts, overviews)


def _facts(plan: Plan, material: Material, ask: Ask, most: int) -> Facts:
    """Facts that bear on the message, into what the pinned ones leave of their share."""
    room = int(plan.shares.knowledge * (ask.memory + ask.pinned)) - ask.pinned
    return choose_facts(material.facts, plan.counter, min(room, most))


def _as_sent(plan: Plan, material: Material, memory: int) -> tuple[Material, int]:
    """The material with what a client sent in it whole, where memory holds that.

    Returns:
        The material, and the tokens of the memory budget that the client's messages leave.
    """
    if material.as_sent is None:
        return material, memory
    path, left = material.as_sent.path, memory
    for exchange in path[len(path) - material.as_sent.sent :]:
        left -= in_history(exchange, plan.counter)
        if left < 0:
            return material, memory
    return material.as_sent, left


def _overviews(plan: Plan, material: Material, room: int) -> tuple[Overview, ...]:
    """Condensed conversations into their share of what is left, best first."""
    left = int(OVERVIEW_SHARE * room)
    taken: list[Overview] = []
    for one in material.overviews:
        overview = overview_of(one, plan.counter)
        if overview.tokens <= left:
            taken.append(overview)
            left -= overview.tokens
    return tuple(taken)


def _wanted(plan: Plan, material: Material, share: int, intent: Intent) -> int:
    """Tokens that evidence would use of the semantic tier's share."""
    if not material.evidence:
        return 0
    held = {exchange.id for exchange in material.path}
    need = fence_frame(plan.counter)
    for evidence in _strong(material.evidence, background=_is_background(intent, held)):
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
    rest: list[Evidence] = []
    limits = exchange_limits(room) if contested else None
    tries = 0
    for found in evidence:
        item = None
        if left >= LEAST_ROOM:
            shorten = tries < MOST_EXCERPTS and not found.around
            item = _recalled(plan, found, left, limits, ask, shorten=shorten)
            tries += item is None or bool(item.sentences)
        if item is None:
            rest.append(found)
        else:
            items.append(item)
            left -= item.tokens
    if plan.around:
        items.sort(key=lambda item: item.exchange.at)
    briefs, over = _briefs(plan, rest, left, ask.terms)
    items += briefs
    frame += briefs_frame(plan.counter) if briefs else 0
    return Chosen(tuple(items), _all_dropped(plan, over, NO_ROOM)), frame if items else 0


def _briefs(
    plan: Plan, evidence: Sequence[Evidence], room: int, terms: Sequence[str]
) -> tuple[list[Item], list[Evidence]]:
    """Single sentences of exchanges that had no room, best first; and those without any."""
    left = room - briefs_frame(plan.counter)
    if plan.condenser is None or left < LEAST_BRIEF:
        return [], list(evidence)
    items: list[Item] = []
    over: list[Evidence] = []
    for found in evidence:
        item = None
        if left >= LEAST_BRIEF and not found.around:
            item = _brief(plan, found, min(left, MOST_BRIEF), terms)
        if item is None or item.tokens > left:
            over.append(found)
        else:
            items.append(item)
            left -= item.tokens
    return items, over


def _brief(plan: Plan, found: Evidence, limit: int, terms: Sequence[str]) -> Item | None:
    """The sentences of an exchange that speak of the message most."""
    places, _ = plan.condense(found.exchange, limit, plan.counter, terms)
    if not places:
        return None
    tokens = in_brief(found.exchange, plan.counter, places)
    return Item(found.exchange, tokens, BRIEF, places, found.score, brief=True)


def _all_dropped(plan: Plan, evidence: Sequence[Evidence], reason: str) -> tuple[Dropped, ...]:
    """Evidence that is left out, each with what it would have taken."""
    return tuple(
        Dropped(
            e.exchange, in_fence(e.exchange, plan.counter), reason, None if e.around else e.score
        )
        for e in evidence
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
    if found.around:
        whole = replace(whole, reason=AROUND, score=None)
    if intent is not Intent.SUMMARY and tokens <= left:
        within = intent is Intent.VIVID_RECALL or not over(limits, exchange, plan)
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
