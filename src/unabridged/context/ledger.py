"""The ledger: every token of the window in a part, every candidate in a row."""

from collections.abc import Iterable, Mapping
from typing import Any

from unabridged.context.facts import SelectedFacts
from unabridged.context.history import ShownHistory
from unabridged.context.ledger_rows import rows_from_data, rows_to_data
from unabridged.context.tiers import Tiers
from unabridged.context.types import Candidates, PromptPlan, Selected
from unabridged.domain.budget import Budget
from unabridged.domain.chat import ToolSpec
from unabridged.domain.context import Decision, ItemKind, Ledger, LedgerRow, Tier
from unabridged.domain.exchange import Exchange
from unabridged.domain.intent import Intent, IntentReading


def parts_of(budget: Budget, pinned: int, tiers: Tiers) -> dict[str, int]:
    """Name to tokens, adding up to the window exactly.

    What the tiers leave of the memory budget is reserve.
    """
    used = {
        "immediate": tiers.immediate.tokens,
        "recent": tiers.recent.tokens + tiers.shown.tokens,
        "semantic": tiers.fenced - tiers.facts.tokens,
        "knowledge": pinned + tiers.facts.tokens,
    }
    spare = budget.memory - sum(used.values())
    return {
        "system": budget.system,
        "tools": budget.tools,
        **used,
        "message": budget.message,
        "answer": budget.answer,
        "margin": budget.margin,
        "reserve": budget.reserve + spare,
        "unused": budget.unused,
    }


def rows_of(
    plan: PromptPlan,
    tiers: Tiers,
    offered: Iterable[ToolSpec],
    pins: Iterable[tuple[str, int]],
) -> tuple[LedgerRow, ...]:
    """A row for every candidate: pinned facts, the session's exchanges, what was found, tools."""
    rows = [
        LedgerRow(Tier.KNOWLEDGE, ItemKind.FACT, pin, Decision.KEPT, tokens, "pinned")
        for pin, tokens in pins
    ]
    rows += _fact_rows(tiers.facts)
    rows += _earlier_rows(tiers.shown)
    rows += [
        LedgerRow(
            tier=Tier.SEMANTIC,
            kind=ItemKind.CONDENSATION,
            id=one.id,
            decision=Decision.CONDENSED,
            tokens=one.tokens,
            reason=one.reason,
            at=one.at,
            session=one.session or None,
        )
        for one in tiers.overviews
    ]
    for tier, chosen in (
        (Tier.IMMEDIATE, tiers.immediate),
        (Tier.RECENT, tiers.recent),
        (Tier.SEMANTIC, tiers.semantic),
    ):
        rows += _tier_rows(tier, chosen)
    names = {spec.name for spec in offered}
    for spec in plan.tools:
        kept = spec.name in names
        decision = Decision.KEPT if kept else Decision.LEFT_OUT
        reason = "offered" if kept else "over the tools' share; bears less on this message"
        tokens = plan.counter.tool(spec)
        rows.append(LedgerRow(None, ItemKind.TOOL, spec.name, decision, tokens, reason))
    return tuple(rows)


def _fact_rows(facts: SelectedFacts) -> list[LedgerRow]:
    parts = ((facts.items, Decision.KEPT), (facts.dropped, Decision.LEFT_OUT))
    return [
        LedgerRow(
            tier=Tier.KNOWLEDGE,
            kind=ItemKind.FACT,
            id=told.id,
            decision=decision,
            tokens=told.tokens,
            reason=told.reason,
            score=told.score,
            at=told.at,
        )
        for some, decision in parts
        for told in some
    ]


def _earlier_rows(history: ShownHistory) -> list[LedgerRow]:
    earlier = history.earlier
    if earlier is None:
        return []
    said = "1 exchange" if earlier.count == 1 else f"{earlier.count} exchanges"
    reason = f"{said} from earlier in this session, condensed"
    kind, decision = ItemKind.CONDENSATION, Decision.CONDENSED
    return [LedgerRow(Tier.RECENT, kind, earlier.id, decision, history.tokens, reason)]


def _tier_rows(tier: Tier, chosen: Selected) -> list[LedgerRow]:
    kept = [
        LedgerRow(
            tier,
            ItemKind.EXCHANGE,
            item.exchange.id,
            Decision.CONDENSED if item.sentences else Decision.KEPT,
            item.tokens,
            item.reason,
            item.score,
            item.exchange.at,
            item.exchange.session,
            item.sentences,
        )
        for item in chosen.items
    ]
    left = [
        LedgerRow(
            tier,
            ItemKind.EXCHANGE,
            drop.exchange.id,
            Decision.LEFT_OUT,
            drop.tokens,
            drop.reason,
            drop.score,
            drop.exchange.at,
            drop.exchange.session,
        )
        for drop in chosen.dropped
    ]
    return kept + left


def rest_of(material: Candidates, tiers: Tiers, session: str | None) -> tuple[int, int]:
    """Exchanges that no tier considered, and their tokens as counted when stored.

    Args:
        material: What was read.
        tiers: What was chosen of it.
        session: The session; what is recalled of it stands for itself and is not counted twice.
    """
    seen = {}
    earlier = tiers.shown.earlier
    shown = {item.exchange.id for item in tiers.history}
    path = set(material.order)

    def stood_for(exchange: Exchange) -> bool:
        if earlier is None or exchange.session != session or exchange.id in shown:
            return False
        return exchange.id in path or exchange.at < material.path[0].at

    for chosen in (tiers.immediate, tiers.recent, tiers.semantic):
        held = [item.exchange for item in chosen.items]
        for exchange in held + [drop.exchange for drop in chosen.dropped]:
            if not stood_for(exchange):
                seen[exchange.id] = sum(m.tokens or 0 for m in exchange.messages)
    count = len(seen) + (earlier.count if earlier else 0)
    tokens = sum(seen.values()) + (earlier.tokens if earlier else 0)
    return max(0, material.total_exchanges - count), max(0, material.total_tokens - tokens)


def ledger_of(
    plan: PromptPlan,
    budget: Budget,
    *,
    parts: Mapping[str, int],
    rows: tuple[LedgerRow, ...],
    rest: tuple[int, int],
    reading: IntentReading,
    prefix_reuse: float | None,
) -> Ledger:
    """Put the account together."""
    return Ledger(
        window=plan.window,
        parts=parts,
        rows=rows,
        rest_count=rest[0],
        rest_tokens=rest[1],
        intent=reading.intent,
        signals=reading.signals,
        complexity=budget.complexity,
        response_percentage=budget.response_percentage,
        budget_available=budget.budget_available,
        prefix_reuse=prefix_reuse,
        model=plan.model,
        tokenizer=plan.counter.identity,
        notes=plan.notes,
        bound=budget.bound,
    )


def ledger_to_dict(ledger: Ledger) -> dict[str, Any]:
    """A ledger as plain data."""
    return {
        "window": ledger.window,
        "parts": dict(ledger.parts),
        "rows": rows_to_data(ledger.rows),
        "rest": [ledger.rest_count, ledger.rest_tokens],
        "intent": ledger.intent.value,
        "signals": list(ledger.signals),
        "complexity": ledger.complexity,
        "response_percentage": ledger.response_percentage,
        "budget_available": ledger.budget_available,
        "prefix_reuse": ledger.prefix_reuse,
        "model": ledger.model,
        "tokenizer": ledger.tokenizer,
        "notes": list(ledger.notes),
        "bound": ledger.bound,
    }


def ledger_from_dict(data: Mapping[str, Any]) -> Ledger:
    """Read what ``ledger_to_dict`` gave."""
    return Ledger(
        window=data["window"],
        parts=data["parts"],
        rows=rows_from_data(data["rows"]),
        rest_count=data["rest"][0],
        rest_tokens=data["rest"][1],
        intent=Intent(data["intent"]),
        signals=tuple(data["signals"]),
        complexity=data["complexity"],
        response_percentage=data["response_percentage"],
        budget_available=data["budget_available"],
        prefix_reuse=data["prefix_reuse"],
        model=data["model"],
        tokenizer=data["tokenizer"],
        notes=tuple(data["notes"]),
        bound=data.get("bound", ""),  # older ones have none
    )
