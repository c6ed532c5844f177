"""The four tiers: which exchanges go into the prompt, and in what form.

Each tier is a pure function of material and tokens. The history (immediate and recent tier) is one
run of this session's exchanges; recall gets the rest.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from unabridged.budget.tiers import ExchangeLimits, divide, exchange_limits
from unabridged.condense.topic_density import NEUTRAL
from unabridged.context.excerpt import excerpt
from unabridged.context.facts import SelectedFacts, choose_facts
from unabridged.context.history import (
    HistoryBefore,
    ShownHistory,
    history_before,
    over,
    shown_history,
    split,
)
from unabridged.context.overviews import Overview, choose_overviews
from unabridged.context.render import briefs_frame, fence_frame, in_brief, in_fence
from unabridged.context.types import (
    Candidates,
    Dropped,
    Item,
    MemoryRequest,
    PromptPlan,
    Selected,
)
from unabridged.domain import reasons
from unabridged.domain.intent import Intent
from unabridged.retrieval.relevance import Relevance

YIELD_SHARE = 0.5
"""How far the semantic tier yields before the history's boundary moves; not for vivid recall."""
STRONG_SHARE = 0.5
"""Of the best relevance: weaker exchanges do not make the history yield, and are no background."""
STRONG_BESIDE = 0.8
"""The same next to a history: the model reads every recalled text again, while its cache holds the
history.
"""
MOST_BESIDE = 3
"""Recalled exchanges that are background next to a history, at most; found in it or not."""
LEAST_ROOM = 96
"""Tokens below which nothing more is recalled."""
MOST_EXCERPTS = 3
"""Long exchanges that are tried as excerpts for one message; the rest are shown whole or not."""
LEAST_BRIEF, MOST_BRIEF = 56, 80
"""Tokens of one such line, label included."""
EXCERPT_SHARE = 0.25
"""Of the semantic tier's room: the most that one excerpt takes for a summary."""


@dataclass(frozen=True, slots=True)
class Tiers:
    """What each tier chose.

    Attributes:
        immediate: The newest exchanges of this session.
        recent: The rest of this session that is shown.
        semantic: What was recalled for this message, best first.
        frame: Tokens of the recall block itself, 0 if nothing was recalled.
        shown: The shown history, with the summary of the exchanges that are not shown.
        facts: Facts that are relevant to the message.
        overviews: Condensed conversations that are relevant to it.
    """

    immediate: Selected
    recent: Selected
    semantic: Selected
    frame: int
    shown: ShownHistory
    facts: SelectedFacts
    overviews: tuple[Overview, ...]

    @property
    def fenced(self) -> int:
        """The tokens of everything in the recall block, the block itself included."""
        summaries = sum(one.tokens for one in self.overviews)
        return self.semantic.tokens + self.facts.tokens + summaries + self.frame

    @property
    def history(self) -> tuple[Item, ...]:
        """The session's exchanges that are shown, oldest first."""
        return self.recent.items + self.immediate.items


@dataclass(frozen=True, slots=True)
class TierDraft:
    """The tiers before the history is chosen; they decide whether more has to be read for it.

    Attributes:
        material: What was read.
        facts: The facts that are relevant to the message.
        before: The history as the last prompt showed it, with the exchanges since.
    """

    material: Candidates
    facts: SelectedFacts
    before: HistoryBefore


def draft_tiers(plan: PromptPlan, material: Candidates, ask: MemoryRequest) -> TierDraft:
    """Divide a memory budget, and decide whether the shown history has to move."""
    memory, intent = ask.memory, ask.intent
    facts = _facts(plan, material, ask, memory)

    def given(rich: float) -> int:
        rich = max(rich, NEUTRAL) if intent is Intent.VIVID_RECALL else rich
        tiers = divide(
            memory, intent, facts_tokens_wanted=facts.tokens, richness=rich, shares=plan.shares
        )
        wanted = _wanted(plan, material, ask, tiers.semantic)
        give = wanted if intent is Intent.VIVID_RECALL else int(wanted * (1 - YIELD_SHARE))
        return min(give + facts.tokens, memory)

    return TierDraft(material, facts, history_before(plan, material, memory, given))


def choose(plan: PromptPlan, drafted: TierDraft, ask: MemoryRequest) -> Tiers:
    """Fill a divided memory budget."""
    memory, intent = ask.memory, ask.intent
    material, facts = drafted.material, drafted.facts
    budget = divide(memory, intent, facts_tokens_wanted=facts.tokens, shares=plan.shares)
    history = shown_history(plan, material, memory, ask.steady, drafted.before)
    immediate, recent = split(history.shown, budget.immediate)
    held = {item.exchange.id for item in history.shown} | material.held
    whole = {item.exchange.id for item in history.shown if not item.sentences} | material.held
    facts = facts.without(whole, material.told)
    room = memory - history.used - facts.tokens
    overviews = choose_overviews(material.overviews, plan.counter, room)
    room -= sum(one.tokens for one in overviews)
    room += ask.frame  # kept for the block, whatever is in it
    semantic, frame = _semantic(plan, material, ask, room, held)
    if not frame and (facts.items or overviews or (plan.for_client and ask.pins)):
        frame = fence_frame(plan.counter, for_client=plan.for_client)
        if frame > room - semantic.tokens:
            facts, overviews, frame = SelectedFacts(dropped=facts.items + facts.dropped), (), 0
    taken = {item.exchange.id for item in semantic.items}
    reason = reasons.OLDER if held else reasons.LARGER_THAN_MEMORY
    older = tuple(
        Dropped(i.exchange, i.tokens, reason) for i in history.hidden if i.exchange.id not in taken
    )
    recent = replace(recent, dropped=older)
    return Tiers(immediate, recent, semantic, frame, history, facts, overviews)


def _facts(plan: PromptPlan, material: Candidates, ask: MemoryRequest, most: int) -> SelectedFacts:
    room = int(plan.shares.knowledge * (ask.memory + ask.pinned)) - ask.pinned
    return choose_facts(material.facts, plan.counter, min(room, most))


def _wanted(plan: PromptPlan, material: Candidates, ask: MemoryRequest, share: int) -> int:
    if not material.evidence:
        return 0
    held = {exchange.id for exchange in material.path} | material.held
    need = fence_frame(plan.counter, for_client=plan.for_client) - ask.frame
    for evidence in _strong(material.evidence, background=_is_background(ask.intent, held)):
        if need >= share:
            return share
        if evidence.exchange.id not in held:
            need += in_fence(evidence.exchange, plan.counter)
    return min(need, share)


def _is_background(intent: Intent, history: Collection[object]) -> bool:
    return intent is Intent.CONTEXTUAL and bool(history)


def _strong(evidence: Sequence[Relevance], *, background: bool) -> list[Relevance]:
    share = STRONG_BESIDE if background else STRONG_SHARE
    best = max((found.score for found in evidence), default=0.0)
    strong = [found for found in evidence if found.score >= share * best]
    return strong[:MOST_BESIDE] if background else strong


def _semantic(
    plan: PromptPlan, material: Candidates, ask: MemoryRequest, room: int, held: set[str]
) -> tuple[Selected, int]:
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
    faint = _all_dropped(plan, weak, reasons.WEAK)
    beside = _all_dropped(plan, material.beside, reasons.REPLACED)
    return replace(chosen, dropped=chosen.dropped + faint + beside), frame


def recall(
    plan: PromptPlan,
    evidence: Sequence[Relevance],
    room: int,
    ask: MemoryRequest,
    *,
    contested: bool = True,
) -> tuple[Selected, int]:
    """Recall exchanges into the room that is left, best first: the semantic tier.

    ``contested`` is whether a history is next to it. Without one nothing else needs the room, and
    exchanges are shown whole.

    Returns:
        What was chosen and left out, and the tokens of the recall block itself.
    """
    frame = fence_frame(plan.counter, for_client=plan.for_client)
    left = room - frame
    items: list[Item] = []
    rest: list[Relevance] = []
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
    return Selected(tuple(items), _all_dropped(plan, over, reasons.NO_ROOM)), frame if items else 0


def _briefs(
    plan: PromptPlan, evidence: Sequence[Relevance], room: int, terms: Sequence[str]
) -> tuple[list[Item], list[Relevance]]:
    left = room - briefs_frame(plan.counter)
    if plan.condenser is None or left < LEAST_BRIEF:
        return [], list(evidence)
    items: list[Item] = []
    over: list[Relevance] = []
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


def _brief(plan: PromptPlan, found: Relevance, limit: int, terms: Sequence[str]) -> Item | None:
    places = excerpt(found.exchange, limit, plan.counter, terms)
    if not places:
        return None
    tokens = in_brief(found.exchange, plan.counter, places)
    return Item(found.exchange, tokens, reasons.SHORTENED, places, found.score, brief=True)


def _all_dropped(
    plan: PromptPlan, evidence: Sequence[Relevance], reason: str
) -> tuple[Dropped, ...]:
    return tuple(
        Dropped(
            e.exchange, in_fence(e.exchange, plan.counter), reason, None if e.around else e.score
        )
        for e in evidence
    )


def _recalled(
    plan: PromptPlan,
    found: Relevance,
    left: int,
    limits: ExchangeLimits | None,
    ask: MemoryRequest,
    *,
    shorten: bool,
) -> Item | None:
    exchange, intent = found.exchange, ask.intent
    tokens = in_fence(exchange, plan.counter)
    whole = Item(exchange, tokens, reasons.RELEVANT, score=found.score)
    if found.around:
        whole = replace(whole, reason=reasons.AROUND, score=None)
    if intent is not Intent.SUMMARY and tokens <= left:
        within = intent is Intent.VIVID_RECALL or not over(limits, exchange, plan)
        if within or tokens <= left // 2:
            return whole
    if intent is Intent.SUMMARY and tokens <= left * EXCERPT_SHARE:
        return whole
    if not shorten or plan.condenser is None:
        return None
    limit = min(left, max(limits.whole if limits else 0, int(left * EXCERPT_SHARE)))
    places = excerpt(exchange, limit, plan.counter, ask.terms)
    if not places:
        return None
    short = in_fence(exchange, plan.counter, places)
    if short > left or short >= tokens:
        return whole if tokens <= left else None
    return Item(exchange, short, reasons.SHORTENED, places, found.score)
