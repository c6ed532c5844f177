"""Which tools to offer: all while their share holds them, else those that bear on the message."""

from unabridged.budget.window_shares import SHARES
from unabridged.context.types import PromptPlan
from unabridged.domain.budget import Mode
from unabridged.domain.chat import ToolSpec
from unabridged.language.words import query_terms, terms


def offer(plan: PromptPlan, text: str) -> tuple[ToolSpec, ...]:
    """Choose the tools for a message; none in chat mode.

    Where the schemas exceed the tools' share of the window, those that speak of the message's
    words come first, and the rest is left out. The order is always the one they were given in.
    """
    if plan.mode is Mode.CHAT:
        return ()
    room = int(SHARES[plan.mode].tools * plan.window)
    sizes = {spec.name: plan.counter.tool(spec) for spec in plan.tools}
    if sum(sizes.values()) <= room:
        return plan.tools
    asked = set(query_terms(text))
    chosen: set[str] = set()
    for spec in sorted(plan.tools, key=lambda s: -_bearing(s, asked)):
        if sizes[spec.name] <= room:
            chosen.add(spec.name)
            room -= sizes[spec.name]
    return tuple(spec for spec in plan.tools if spec.name in chosen)


def _bearing(spec: ToolSpec, asked: set[str]) -> int:
    return len(asked & set(terms(f"{spec.name.replace('_', ' ')} {spec.description}")))
