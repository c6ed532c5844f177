"""Assembly: make a context with its ledger from a message, a plan and the material.

intent → tools → budget → tiers → render → ledger, in one straight line. Pure: it reads and writes
nothing, and calls nothing that does.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from unabridged.budget.allocate import SHARES, allocate, output_limit
from unabridged.budget.complexity import complexity
from unabridged.condense.history_summary import HistorySummary, earlier_to_data
from unabridged.context.ledger import ledger_of, ledger_to_dict
from unabridged.context.manifest import VERSION, item_to_dict, tools_to_blob
from unabridged.context.overviews import overview_to_data
from unabridged.context.recall_block import client_block, fact_block, pin_block
from unabridged.context.render import (
    digest_of,
    exchange_blocks,
    fence_frame,
    hash_of,
    history_messages,
    pinned_text,
    prompt,
    system_message,
    system_text,
    user_message,
)
from unabridged.context.request_edits import added_messages, request_edits, request_to_dict
from unabridged.context.tiers import TierDraft, Tiers, choose
from unabridged.context.types import (
    Candidates,
    FittedRequest,
    MemoryRequest,
    PromptPlan,
    PromptRequest,
)
from unabridged.domain.blob import system_blob
from unabridged.domain.budget import Budget, Mode
from unabridged.domain.chat import ToolSpec
from unabridged.domain.client_history import RequestEdits
from unabridged.domain.context import Context, Shared
from unabridged.domain.fact import Fact
from unabridged.domain.intent import IntentReading
from unabridged.domain.message import Message, Role, Text
from unabridged.errors import PromptTooLargeError
from unabridged.language.words import query_terms, terms
from unabridged.wire import openai
from unabridged.wire.edit_messages import edited_messages

STEADY_SHARE = 0.5
"""Of the window: the least that memory has, for the most complex message in tools mode."""


def measure(
    plan: PromptPlan, material: Candidates, request: PromptRequest, reading: IntentReading
) -> MemoryRequest:
    """Divide the window for one message.

    Raises:
        PromptTooLargeError: What must be sent does not fit the window.
    """
    text = request.user.text
    offered = plan.tools if material.request else offer(plan, text)
    pins = tuple(material.pins)
    pinned = _pinned_tokens(plan, pins)
    budget = _budget(plan, request, material.request, offered, pinned)
    if material.request:
        while pins and pinned + fence_frame(plan.counter, for_client=True) > budget.memory:
            pins = pins[:-1]
            pinned = _pinned_tokens(plan, pins)
    most = min(plan.window, plan.max_prompt_tokens or plan.window)
    return MemoryRequest(
        reading=reading,
        terms=query_terms(text),
        budget=budget,
        offered=offered,
        pins=pins,
        pinned=pinned,
        memory=max(0, budget.memory - pinned),
        steady=min(int(STEADY_SHARE * most), plan.memory_cap or most),
    )


def _pinned_tokens(plan: PromptPlan, pins: Sequence[Fact]) -> int:
    if plan.for_client:
        return sum(plan.counter.text(pin_block(pin)) for pin in pins)
    text = pinned_text([pin.text for pin in pins])
    return plan.counter.text(text) if text else 0


def offer(plan: PromptPlan, text: str) -> tuple[ToolSpec, ...]:
    """Choose the tools for a message; none in chat mode.

    If the schemas exceed the tools' share of the window, those that contain words of the message
    come first, and the rest is left out. The original order is always kept.
    """
    if plan.mode is Mode.CHAT:
        return ()
    room = int(SHARES[plan.mode].tools * plan.window)
    sizes = {spec.name: plan.counter.tool(spec) for spec in plan.tools}
    if sum(sizes.values()) <= room:
        return plan.tools
    asked = set(query_terms(text))
    chosen: set[str] = set()
    for spec in sorted(plan.tools, key=lambda s: -_shared_terms(s, asked)):
        if sizes[spec.name] <= room:
            chosen.add(spec.name)
            room -= sizes[spec.name]
    return tuple(spec for spec in plan.tools if spec.name in chosen)


def _shared_terms(spec: ToolSpec, asked: set[str]) -> int:
    return len(asked & set(terms(f"{spec.name.replace('_', ' ')} {spec.description}")))


def _budget(
    plan: PromptPlan,
    request: PromptRequest,
    client: FittedRequest | None,
    offered: Sequence[ToolSpec],
    pinned: int,
) -> Budget:
    counter, cap = plan.counter, plan.memory_cap
    if client is not None:
        return _client_budget(plan, request, client)
    system = Message("system", Role.SYSTEM, (Text(system_text(plan.system)),), request.at)
    system_tokens = counter.message(system)
    tool_tokens = sum(counter.tool(spec) for spec in offered)
    message_tokens = counter.message(user_message(request.user, ())) + counter.opening()
    score = complexity(request.user.text, plan.mode)

    def divided(pinned_tokens: int) -> Budget:
        return allocate(
            window=plan.window,
            mode=plan.mode,
            verbosity=plan.verbosity,
            complexity=score,
            system_tokens=system_tokens + pinned_tokens,
            tool_tokens=tool_tokens,
            message_tokens=message_tokens,
            margin_share=counter.calibration.margin_share(),
            max_prompt_tokens=plan.max_prompt_tokens,
            memory_cap=None if cap is None else max(0, cap - pinned_tokens),
        )

    budget = divided(0)
    if budget.memory >= pinned:
        return budget
    try:
        full = divided(pinned)
    except PromptTooLargeError as error:
        raise PromptTooLargeError(
            error.needed,
            error.window,
            hint=f"Every prompt carries the pins, {pinned:,} tokens. Remove one: "
            "`unabridged facts unpin ID`, in Python facts.unpin(ID); or set a larger window. "
            "Nothing was sent and nothing was cut.",
        ) from None
    return replace(full, system=system_tokens, memory=full.memory + pinned)


def _client_budget(plan: PromptPlan, request: PromptRequest, client: FittedRequest) -> Budget:
    # What memory added before counts against what it may add.
    before = sum(plan.counter.text(block.text) for block in client.blocks.values())
    most = plan.max_prompt_tokens
    return allocate(
        window=plan.window,
        mode=plan.mode,
        verbosity=plan.verbosity,
        complexity=complexity(request.user.text, plan.mode),
        system_tokens=client.system,
        tool_tokens=client.tools,
        message_tokens=client.newest,
        history_tokens=client.history,
        margin_share=plan.counter.calibration.margin_share(),
        max_prompt_tokens=None if most is None else max(0, most - before),
        memory_cap=plan.memory_cap,
    )


def assemble(
    plan: PromptPlan,
    material: Candidates,
    request: PromptRequest,
    ask: MemoryRequest,
    draft: TierDraft,
) -> Context:
    """Make the context for one message."""
    tiers = choose(plan, draft, ask)
    edits = _edits(material, ask, tiers, request) if request.client else None
    messages = _rendered(plan, ask, tiers, request, edits)
    sent = openai.messages(messages)
    tools = ask.offered if plan.mode is Mode.TOOLS else None
    digest = hash_of(sent, tools)
    trace = _trace(plan, ask, messages) if edits is None else []
    reuse = _reuse(trace, material.previous) if edits is None else None
    if edits is not None:
        added = edits.after.get(edits.newest, "")
        digest = hash_of(openai.messages(added_messages(added, request.at)), None)
    ledger = ledger_of(plan, material, request, ask, tiers, prefix_reuse=reuse)
    limit = output_limit(
        window=plan.window,
        prompt=ledger.prompt_tokens,
        margin=ask.budget.margin,
        cap=plan.output_cap,
        hosted=not plan.local,
        asked=plan.max_output,
    )
    manifest = {
        **_manifest(plan, material, request, ask, tiers),
        "hash": digest,
        "trace": trace,
        "ledger": ledger_to_dict(ledger),
        "at": request.at.isoformat(),
        "limit": limit,
    }
    return Context(
        id=request.id,
        scope=replace(request.scope, model=plan.model),
        prompt=messages,
        messages=list(sent),
        tools=tools,
        budget=ask.budget,
        ledger=ledger,
        hash=digest,
        manifest=manifest,
        user=request.user,
        mode=plan.mode,
        max_output=limit,
        head=request.head,
        parent=request.parent,
        new_session=request.new_session,
        at=request.at,
        shared=_shared(material, tiers),
        retry_of=request.retry_of,
        system=plan.system,
        follows=request.follows,
        placed=request.client is not None,
        edits=edits,
    )


def _rendered(
    plan: PromptPlan,
    ask: MemoryRequest,
    tiers: Tiers,
    request: PromptRequest,
    edits: RequestEdits | None,
) -> tuple[Message, ...]:
    if edits is not None and request.client is not None:
        said = [one.message for one in request.client.synced.messages]
        return tuple(edited_messages(said, edits))
    pins = [pin.text for pin in ask.pins]
    system = system_message(plan.system, pins, tiers.shown.earlier, request.at)
    return prompt(system, _history(tiers), user_message(request.user, _recalled(tiers, request)))


def _history(tiers: Tiers) -> list[list[Message]]:
    return [history_messages(item.exchange, item.sentences) for item in tiers.history]


def _recalled(tiers: Tiers, request: PromptRequest) -> list[str]:
    recalled = [fact_block(t.fact.since, t.fact.text, t.note) for t in tiers.facts.items]
    recalled += [one.text for one in tiers.overviews]
    items = ((i.exchange, i.sentences, i.brief) for i in tiers.semantic.items)
    return [*recalled, *exchange_blocks(items, request.scope.session)]


def _edits(
    material: Candidates, ask: MemoryRequest, tiers: Tiers, request: PromptRequest
) -> RequestEdits:
    fitted, client = material.request, request.client
    if fitted is None or client is None:
        raise AssertionError("a client's request is fitted")
    pins = [pin_block(pin) for pin in ask.pins] if tiers.frame else []
    block = client_block([*pins, *_recalled(tiers, request)])
    return request_edits(client.synced, fitted, block, _history(tiers), tiers.shown.earlier)


def _earlier(material: Candidates, tiers: Tiers) -> HistorySummary | None:
    condensed = material.request.earlier if material.request else None
    return condensed or tiers.shown.earlier


def _shared(material: Candidates, tiers: Tiers) -> dict[str, Shared]:
    texts: dict[str, Shared] = {
        one.id: (overview_to_data(one), one.drawn) for one in tiers.overviews
    }
    if earlier := _earlier(material, tiers):
        texts[earlier.id] = (earlier_to_data(earlier), earlier.drawn)
    return texts


def _manifest(
    plan: PromptPlan,
    material: Candidates,
    request: PromptRequest,
    ask: MemoryRequest,
    tiers: Tiers,
) -> dict[str, Any]:
    own = material.request is None
    tools = tools_to_blob(ask.offered).digest if own and plan.mode is Mode.TOOLS else None
    earlier = _earlier(material, tiers)
    client = {} if material.request is None else {"client": request_to_dict(material, request)}
    return {
        **client,
        "version": VERSION,
        "model": plan.model,
        "mode": plan.mode.value,
        "window": plan.window,
        "reach": plan.reach,
        "system": system_blob(plan.system).digest if own else None,
        "tools": tools,
        "pins": [pin.id for pin in ask.pins],
        "history": [item_to_dict(item) for item in tiers.history],
        "semantic": [item_to_dict(item) for item in tiers.semantic.items],
        "facts": [[told.fact.id, told.note] for told in tiers.facts.items],
        "overviews": [one.id for one in tiers.overviews],
        "earlier": earlier.id if earlier else None,
    }


def _trace(plan: PromptPlan, ask: MemoryRequest, messages: Sequence[Message]) -> list[list[Any]]:
    tools = tools_to_blob(ask.offered).digest[:16] if ask.offered else ""
    rows: list[list[Any]] = [[tools, ask.budget.tools]]
    for message in messages:
        tokens = plan.counter.message(message)
        for sent in openai.messages([message]):
            rows.append([digest_of(sent), tokens])
            tokens = 0
    return rows


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
