"""Assembly: a message, a plan and the material in; a context with its ledger out.

intent → budget → tiers → render → ledger, in one straight line. Pure: nothing is read or written.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from unabridged.budget.allocate import allocate
from unabridged.budget.complexity import complexity
from unabridged.budget.output_limit import output_limit
from unabridged.condense.history_summary import earlier_to_data
from unabridged.context.ledger import ledger_of, ledger_to_dict, parts_of, rest_of, rows_of
from unabridged.context.manifest import (
    VERSION,
    digest_of_text,
    item_to_dict,
    tools_to_blob,
    tools_to_data,
)
from unabridged.context.overviews import overview_to_data
from unabridged.context.recall_block import NOW, fact_block
from unabridged.context.render import (
    briefs_block,
    digest_of,
    hash_of,
    history_messages,
    pinned_text,
    prompt,
    recalled_block,
    system_text,
    user_message,
)
from unabridged.context.summary_text import earlier_text
from unabridged.context.tiers import Ask, TierDraft, Tiers, choose
from unabridged.context.tool_selection import offer
from unabridged.context.types import Candidates, PromptPlan
from unabridged.domain.blob import system_blob
from unabridged.domain.budget import Budget, Mode
from unabridged.domain.chat import ToolSpec
from unabridged.domain.context import Context, Ledger, Shared
from unabridged.domain.exchange import Exchange
from unabridged.domain.intent import IntentReading
from unabridged.domain.message import Message, Role, Text
from unabridged.domain.scope import Scope
from unabridged.errors import PromptTooLargeError
from unabridged.language.words import query_terms
from unabridged.wire import openai

STEADY_SHARE = 0.5
"""Of the window: what memory has at the least, for the most complex message in tools mode."""


@dataclass(frozen=True, slots=True)
class PromptRequest:
    """Where in the store the context belongs.

    Attributes:
        id: The context's id, that of the exchange to be begun.
        scope: Whose memory, with its session.
        user: The user's message as it will be stored.
        at: The time.
        head: The session's head.
        parent: The exchange that this one follows, or None.
        new_session: Whether the session is new.
        retry_of: The exchange whose user message is answered again, or None.
        follows: The message that the user's message follows, or None.
        path: What a client sent before its last message, oldest first; None where the session is
            gone on with as it is stored.
    """

    id: str
    scope: Scope
    user: Message
    at: datetime
    head: str | None
    parent: str | None
    new_session: bool
    retry_of: str | None = None
    follows: str | None = None
    path: tuple[Exchange, ...] | None = None


@dataclass(frozen=True, slots=True)
class _Sizes:
    """The fixed parts as counted, in tokens."""

    system: int
    tools: int
    message: int
    pinned: int


@dataclass(frozen=True, slots=True)
class Measured:
    """The window divided, before anything is chosen.

    Attributes:
        offered: The tools that are offered.
        pins: The texts of what is pinned.
        sizes: The fixed parts.
        budget: The window divided.
        reading: What the message asks of memory.
        ask: The same, with what there is for it.
    """

    offered: tuple[ToolSpec, ...]
    pins: Sequence[str]
    sizes: _Sizes
    budget: Budget
    reading: IntentReading
    ask: Ask


def measure(
    plan: PromptPlan, material: Candidates, occasion: PromptRequest, reading: IntentReading
) -> Measured:
    """Divide the window for one message.

    Args:
        plan: The terms.
        material: What was read from the store.
        occasion: Where it belongs.
        reading: What the message asks of memory.

    Raises:
        PromptTooLargeError: What must be sent does not fit the window.
    """
    text = occasion.user.text
    offered = offer(plan, text)
    pins = [pin.text for pin in material.pins]
    sizes = _sizes(plan, pins, occasion.user, offered)
    score = complexity(text, plan.mode)
    budget = _budget(plan, sizes, score)
    room = max(0, budget.memory - sizes.pinned)
    ask = Ask(reading.intent, query_terms(text), room, _steady(plan), sizes.pinned)
    return Measured(offered, pins, sizes, budget, reading, ask)


def assemble(
    plan: PromptPlan,
    material: Candidates,
    occasion: PromptRequest,
    measured: Measured,
    drafted: TierDraft,
) -> Context:
    """Make the context for one message.

    Args:
        plan: The terms.
        material: What was read from the store.
        occasion: Where it belongs.
        measured: The window divided.
        drafted: The memory budget divided, with what is known of the session where that is needed.
    """
    tiers = choose(plan, drafted, measured.ask)
    rendered = _render(plan, measured.pins, tiers, occasion)
    made = _Made(
        measured.budget, tiers, measured.offered, rendered, measured.reading, measured.sizes
    )
    return _context(plan, material, occasion, made)


@dataclass(frozen=True, slots=True)
class _Made:
    """What the steps of one assembly gave."""

    budget: Budget
    tiers: Tiers
    offered: tuple[ToolSpec, ...]
    prompt: tuple[Message, ...]
    reading: IntentReading
    sizes: _Sizes


def _sizes(
    plan: PromptPlan, pins: Sequence[str], user: Message, offered: Sequence[ToolSpec]
) -> _Sizes:
    counter = plan.counter
    pinned = pinned_text(pins)
    system = Message("system", Role.SYSTEM, (Text(system_text(plan.system)),), user.at)
    return _Sizes(
        system=counter.message(system),
        tools=sum(counter.tool(spec) for spec in offered),
        message=counter.message(user_message(user, ())) + counter.opening(),
        pinned=counter.text(pinned) if pinned else 0,
    )


def _steady(plan: PromptPlan) -> int:
    most = min(plan.window, plan.max_prompt_tokens or plan.window)
    return min(int(STEADY_SHARE * most), plan.memory_cap or most)


def _budget(plan: PromptPlan, sizes: _Sizes, score: float) -> Budget:
    def divided(system: int, beside: int = 0) -> Budget:
        cap = plan.memory_cap
        return allocate(
            window=plan.window,
            mode=plan.mode,
            verbosity=plan.verbosity,
            complexity=score,
            system_tokens=system,
            tool_tokens=sizes.tools,
            message_tokens=sizes.message,
            margin_share=plan.counter.calibration.margin_share(),
            max_prompt_tokens=plan.max_prompt_tokens,
            memory_cap=None if cap is None else max(0, cap - beside),
        )

    budget = divided(sizes.system)
    if budget.memory >= sizes.pinned:
        return budget
    try:
        full = divided(sizes.system + sizes.pinned, sizes.pinned)
    except PromptTooLargeError as error:
        raise PromptTooLargeError(
            error.needed,
            error.window,
            hint=f"Every prompt carries what is pinned, {sizes.pinned:,} tokens: take a pin off, "
            "or set a larger window. Nothing was sent and nothing was cut.",
        ) from None
    return replace(full, system=sizes.system, memory=full.memory + sizes.pinned)


def _render(
    plan: PromptPlan, pins: Sequence[str], tiers: Tiers, occasion: PromptRequest
) -> tuple[Message, ...]:
    words = system_text(plan.system) + pinned_text(pins) + earlier_text(tiers.shown.earlier)
    system = Message("system", Role.SYSTEM, (Text(words),), occasion.at)
    history = [history_messages(item.exchange, item.sentences) for item in tiers.history]
    here = occasion.scope.session
    recalled = [fact_block(told.at, told.text, told.note) for told in tiers.facts.items]
    recalled += [one.text for one in tiers.overviews]
    items = tiers.semantic.items
    recalled += [recalled_block(i.exchange, here, i.sentences) for i in items if not i.brief]
    recalled += briefs_block([(i.exchange, i.sentences) for i in items if i.brief])
    return prompt(system, history, user_message(occasion.user, recalled))


def _context(
    plan: PromptPlan, material: Candidates, occasion: PromptRequest, made: _Made
) -> Context:
    offered = made.offered if plan.mode is Mode.TOOLS else None
    messages = openai.messages(made.prompt)
    digest = hash_of(messages, offered)
    trace = _trace(plan, made)
    parts = parts_of(made.budget, made.sizes.pinned, made.tiers)
    counted = [(p.id, plan.counter.text("- " + p.text)) for p in material.pins]
    rows = rows_of(plan, made.tiers, made.offered, counted)
    reuse = _reuse(trace, material.previous)
    rest = rest_of(material, made.tiers, occasion.scope.session)
    ledger = ledger_of(
        plan,
        made.budget,
        parts=parts,
        rows=rows,
        rest=rest,
        reading=made.reading,
        prefix_reuse=reuse,
    )
    limit = _limit(plan, made, ledger)
    manifest = {
        **_manifest(plan, material, made),
        "hash": digest,
        "trace": trace,
        "ledger": ledger_to_dict(ledger),
        "at": occasion.at.isoformat(),
        "limit": limit,
    }
    return Context(
        id=occasion.id,
        scope=replace(occasion.scope, model=plan.model),
        prompt=made.prompt,
        messages=messages,
        tools=offered,
        budget=made.budget,
        ledger=ledger,
        hash=digest,
        manifest=manifest,
        user=occasion.user,
        mode=plan.mode,
        max_output=limit,
        head=occasion.head,
        parent=occasion.parent,
        new_session=occasion.new_session,
        at=occasion.at,
        shared=_shared(made.tiers),
        retry_of=occasion.retry_of,
        system=plan.system,
        follows=occasion.follows,
        placed=occasion.path is not None,
    )


def _limit(plan: PromptPlan, made: _Made, ledger: Ledger) -> int | None:
    return output_limit(
        window=plan.window,
        prompt=ledger.prompt_tokens,
        margin=made.budget.margin,
        cap=plan.output_cap,
        hosted=not plan.local,
        asked=plan.max_output,
    )


def _shared(tiers: Tiers) -> dict[str, Shared]:
    texts: dict[str, Shared] = {
        one.id: (overview_to_data(one), one.drawn) for one in tiers.overviews
    }
    if earlier := tiers.shown.earlier:
        texts[earlier.id] = (earlier_to_data(earlier), earlier.drawn)
    return texts


def _manifest(plan: PromptPlan, material: Candidates, made: _Made) -> dict[str, Any]:
    tools = tools_to_blob(made.offered) if plan.mode is Mode.TOOLS else None
    earlier = made.tiers.shown.earlier
    return {
        "version": VERSION,
        "sentences": NOW.sentences,
        "fence": NOW.fence,
        "model": plan.model,
        "mode": plan.mode.value,
        "window": plan.window,
        "reach": plan.reach,
        "system": system_blob(plan.system).digest,
        "tools": tools.digest if tools else None,
        "pins": [pin.id for pin in material.pins],
        "history": [item_to_dict(item) for item in made.tiers.history],
        "semantic": [item_to_dict(item) for item in made.tiers.semantic.items],
        "facts": [[told.id, told.note] for told in made.tiers.facts.items],
        "overviews": [one.id for one in made.tiers.overviews],
        "earlier": earlier.id if earlier else None,
    }


def _trace(plan: PromptPlan, made: _Made) -> list[list[Any]]:
    tools = digest_of_text(repr(tools_to_data(made.offered)))[:16] if made.offered else ""
    rows: list[list[Any]] = []
    for message in made.prompt:
        tokens = plan.counter.message(message)
        for sent in openai.messages([message]):
            rows.append([digest_of(sent), tokens])
            tokens = 0
    return [[tools, made.sizes.tools], *rows]


def _reuse(trace: list[list[Any]], previous: Mapping[str, Any] | None) -> float | None:
    if previous is None:
        return None
    same = 0
    for (digest, tokens), (before, _) in zip(trace, previous["trace"], strict=False):
        if digest != before:
            break
        same += tokens
    total = sum(tokens for _, tokens in trace)
    return round(same / total, 4) if total else None
