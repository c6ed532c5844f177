"""The ledger: every token of the window in a part, every candidate in a row."""

from collections.abc import Iterable, Mapping
from typing import Any

from unabridged.context.facts import Facts
from unabridged.context.history import History
from unabridged.context.ledger_rows import rows_from_data, rows_to_data
from unabridged.context.plan import Chosen, Material, Plan
from unabridged.context.tiers import Tiers
from unabridged.domain.budget import Budget
from unabridged.domain.chat import ToolSpec
from unabridged.domain.context import ItemKind, Ledger, LedgerRow, Tier, Verdict
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
    plan: Plan,
    tiers: Tiers,
    offered: Iterable[ToolSpec],
    pins: Iterable[tuple[str, int]],
) -> tuple[LedgerRow, ...]:
    """A row for every candidate: pinned facts, the session's exchanges, what was found, tools."""
    rows = [
        LedgerRow(Tier.KNOWLEDGE, ItemKind.FACT, pin, Verdict.KEPT, tokens, "pinned")
        for pin, tokens in pins
    ]
    rows += _fact_rows(tiers.facts)
    rows += _earlier_rows(tiers.shown)
    rows += [
        LedgerRow(
            tier=Tier.SEMANTIC,
            kind=ItemKind.CONDENSATION,
            id=one.id,
            verdict=Verdict.CONDENSED,
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
        verdict = Verdict.KEPT if kept else Verdict.LEFT_OUT
        reason = "offered" if kept else "over the tools' share; bears less on this message"
        tokens = plan.counter.tool(spec)
        rows.append(LedgerRow(None, ItemKind.TOOL, spec.name, verdict, tokens, reason))
    return tuple(rows)


def _fact_rows(facts: Facts) -> list[LedgerRow]:
    """The rows of facts: those that were taken, then those that were left."""
    parts = ((facts.items, Verdict.KEPT), (facts.dropped, Verdict.LEFT_OUT))
    return [
        LedgerRow(
            tier=Tier.KNOWLEDGE,
            kind=ItemKind.FACT,
            id=told.id,
            verdict=verdict,
            tokens=told.tokens,
            reason=told.reason,
            score=told.score,
            at=told.at,
        )
        for some, verdict in parts
        for told in some
    ]


def _earlier_rows(history: History) -> list[LedgerRow]:
    """The row of what stands for exchanges that are shown no more."""
    earlier = history.earlier
    if earlier is None:
        return []
    said = "1 exchange" if earlier.count == 1 else f"{earlier.count} exchanges"
    reason = f"{said} from earlier in this session, condensed"
    kind, verdict = ItemKind.CONDENSATION, Verdict.CONDENSED
    return [LedgerRow(Tier.RECENT, kind, earlier.id, verdict, history.tokens, reason)]


def _tier_rows(tier: Tier, chosen: Chosen) -> list[LedgerRow]:
    """The rows of one tier: what it took, then what it left."""
    kept = [
        LedgerRow(
            tier,
            ItemKind.EXCHANGE,
            item.exchange.id,
            Verdict.CONDENSED if item.sentences else Verdict.KEPT,
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
            Verdict.LEFT_OUT,
            drop.tokens,
            drop.reason,
            drop.score,
            drop.exchange.at,
            drop.exchange.session,
        )
        for drop in chosen.dropped
    ]
    return kept + left


def rest_of(material: Material, tiers: Tiers, session: str | None) -> tuple[int, int]:
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
        """Whether it is not shown, and of this branch: before the path the date decides."""
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
    plan: Plan,
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
