"""The ledger: every token of the window in a part, every candidate in a row.

As plain data its rows are small, since a record of them is written with every exchange. Words that
many rows share (tier, decision, reason) are in one table; a row refers to them by
position. Missing columns at the end of a row are omitted.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from unabridged.context.facts import SelectedFacts
from unabridged.context.history import ShownHistory, earlier_tokens
from unabridged.context.recall_block import pin_block
from unabridged.context.tiers import Tiers
from unabridged.context.types import (
    Candidates,
    FittedRequest,
    MemoryRequest,
    PromptPlan,
    PromptRequest,
    Selected,
)
from unabridged.domain import reasons
from unabridged.domain.context import Decision, ItemKind, Ledger, LedgerRow, Tier
from unabridged.domain.exchange import Exchange
from unabridged.domain.intent import Intent

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_COLUMNS = 9


def ledger_of(
    plan: PromptPlan,
    material: Candidates,
    request: PromptRequest,
    ask: MemoryRequest,
    tiers: Tiers,
    *,
    prefix_reuse: float | None,
) -> Ledger:
    """Return the ledger of a context; ``prefix_reuse`` is 0 to 1, None for the first one."""
    budget = ask.budget
    rest_count, rest_tokens = _rest(material, request, tiers)
    return Ledger(
        window=plan.window,
        parts=_parts(ask, tiers),
        rows=_rows(plan, material, ask, tiers),
        rest_count=rest_count,
        rest_tokens=rest_tokens,
        intent=ask.reading.intent,
        signals=ask.reading.signals,
        complexity=budget.complexity,
        response_percentage=budget.response_percentage,
        budget_available=budget.budget_available,
        prefix_reuse=prefix_reuse,
        model=plan.model,
        tokenizer=plan.counter.identity,
        notes=plan.notes,
        bound=budget.bound,
    )


def _parts(ask: MemoryRequest, tiers: Tiers) -> dict[str, int]:
    budget = ask.budget
    used = {
        "immediate": tiers.immediate.tokens,
        "recent": tiers.recent.tokens + tiers.shown.tokens,
        "semantic": tiers.fenced - tiers.facts.tokens,
        "knowledge": ask.pinned + tiers.facts.tokens,
    }
    spare = budget.memory - sum(used.values())
    history = {"history": budget.history} if budget.history else {}
    return {
        "system": budget.system,
        "tools": budget.tools,
        **history,
        **used,
        "message": budget.message,
        "answer": budget.answer,
        "margin": budget.margin,
        "reserve": budget.reserve + spare,
        "unused": budget.unused,
    }


def _rows(
    plan: PromptPlan, material: Candidates, ask: MemoryRequest, tiers: Tiers
) -> tuple[LedgerRow, ...]:
    rows = [
        LedgerRow(
            tier=Tier.KNOWLEDGE,
            kind=ItemKind.FACT,
            id=pin.id,
            decision=Decision.KEPT,
            tokens=plan.counter.text(pin_block(pin) if plan.for_client else "- " + pin.text),
            reason=reasons.PINNED,
        )
        for pin in ask.pins
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
    if material.request is not None:
        return (*rows, *_client_rows(plan, material.request))
    names = {spec.name for spec in ask.offered}
    for spec in plan.tools:
        kept = spec.name in names
        decision = Decision.KEPT if kept else Decision.LEFT_OUT
        reason = reasons.OFFERED if kept else reasons.NO_ROOM_FOR_TOOL
        tokens = plan.counter.tool(spec)
        rows.append(LedgerRow(None, ItemKind.TOOL, spec.name, decision, tokens, reason))
    return tuple(rows)


def _client_rows(plan: PromptPlan, fitted: FittedRequest) -> list[LedgerRow]:
    rows = []
    if fitted.earlier is not None:
        said = f"{fitted.earlier.count} exchange" + ("" if fitted.earlier.count == 1 else "s")
        reason = reasons.CLIENT_CONDENSED.format(count=said)
        tokens = earlier_tokens(plan, fitted.earlier)
        kind = ItemKind.CONDENSATION
        rows.append(LedgerRow(None, kind, fitted.earlier.id, Decision.CONDENSED, tokens, reason))
    if plan.tools:
        count = f"{len(plan.tools)} tool" + ("" if len(plan.tools) == 1 else "s")
        rows.append(
            LedgerRow(None, ItemKind.TOOL, count, Decision.KEPT, fitted.tools, reasons.CLIENT)
        )
    return rows


def _fact_rows(facts: SelectedFacts) -> list[LedgerRow]:
    parts = ((facts.items, Decision.KEPT), (facts.dropped, Decision.LEFT_OUT))
    return [
        LedgerRow(
            tier=Tier.KNOWLEDGE,
            kind=ItemKind.FACT,
            id=told.fact.id,
            decision=decision,
            tokens=told.tokens,
            reason=told.reason,
            score=told.score,
            at=told.fact.since,
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
            tier=tier,
            kind=ItemKind.EXCHANGE,
            id=item.exchange.id,
            decision=Decision.CONDENSED if item.sentences else Decision.KEPT,
            tokens=item.tokens,
            reason=item.reason,
            score=item.score,
            at=item.exchange.at,
            session=item.exchange.session,
            sentences=item.sentences,
        )
        for item in chosen.items
    ]
    left = [
        LedgerRow(
            tier=tier,
            kind=ItemKind.EXCHANGE,
            id=drop.exchange.id,
            decision=Decision.LEFT_OUT,
            tokens=drop.tokens,
            reason=drop.reason,
            score=drop.score,
            at=drop.exchange.at,
            session=drop.exchange.session,
        )
        for drop in chosen.dropped
    ]
    return kept + left


def _rest(material: Candidates, request: PromptRequest, tiers: Tiers) -> tuple[int, int]:
    # Exchanges that no tier considered and no client sent, and their tokens. Recalled exchanges of
    # the session itself are part of its earlier history, and are not counted twice.
    session = request.scope.session
    unstored = request.client.synced.unstored if request.client else ()
    sent = [exchange for exchange in request.path if exchange.id not in unstored]
    seen = {exchange.id: sum(m.tokens or 0 for m in exchange.messages) for exchange in sent}
    earlier = tiers.shown.earlier
    shown = {item.exchange.id for item in tiers.history}
    path = set(material.order)

    def is_counted(exchange: Exchange) -> bool:
        if earlier is None or exchange.session != session or exchange.id in shown:
            return False
        if exchange.id in path:
            return True
        return exchange.at < material.path[0].at and earlier.replaces(exchange.at)

    for chosen in (tiers.immediate, tiers.recent, tiers.semantic):
        held = [item.exchange for item in chosen.items]
        for exchange in held + [drop.exchange for drop in chosen.dropped]:
            if not is_counted(exchange):
                seen[exchange.id] = sum(m.tokens or 0 for m in exchange.messages)
    count = len(seen) + (earlier.count if earlier else 0)
    tokens = sum(seen.values()) + (earlier.tokens if earlier else 0)
    return max(0, material.total_exchanges - count), max(0, material.total_tokens - tokens)


def ledger_to_dict(ledger: Ledger) -> dict[str, Any]:
    """Return a ledger as plain data."""
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
    """Read the data that ``ledger_to_dict`` made."""
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
        bound=data["bound"],
    )


def rows_to_data(rows: Iterable[LedgerRow]) -> dict[str, Any]:
    """Return rows as plain data: ``words`` and, for each row, its columns.

    Sessions are left out: their ids may be words of a person, and rows outlast them.
    """
    places: dict[str | None, int] = {None: 0}

    def place(word: str | None) -> int:
        return places.setdefault(word, len(places))

    packed = [
        [
            row.id,
            row.tokens,
            place(row.tier),
            place(row.kind),
            place(row.decision),
            place(row.reason),
            None if row.at is None else (row.at - _EPOCH) // _MICROSECOND,
            row.score,
            [list(at) for at in row.sentences] or None,
        ]
        for row in rows
    ]
    for columns in packed:
        while columns[-1] is None:
            columns.pop()
    return {"words": [*places], "rows": packed}


def rows_from_data(data: Mapping[str, Any]) -> tuple[LedgerRow, ...]:
    """Read the data that ``rows_to_data`` made."""
    words = data["words"]
    return tuple(_row(words, columns) for columns in data["rows"])


def _row(words: Sequence[str | None], columns: Sequence[Any]) -> LedgerRow:
    filled = [*columns, *[None] * (_COLUMNS - len(columns))]
    name, tokens, tier, kind, decision, reason, at, score, sentences = filled
    return LedgerRow(
        tier=None if words[tier] is None else Tier(words[tier]),
        kind=ItemKind(words[kind]),
        id=name,
        decision=Decision(words[decision]),
        tokens=tokens,
        reason=words[reason] or "",
        score=score,
        at=None if at is None else _EPOCH + at * _MICROSECOND,
        sentences=tuple((i, n) for i, n in sentences or ()),
    )
