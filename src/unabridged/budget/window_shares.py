"""The shares of a window, as data. Shares are of the window, from 0 to 1, unless said otherwise.

From the design, section 5 (the window) and section 6 (the tiers).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from unabridged.domain.budget import Mode, Verbosity
from unabridged.domain.intent import Intent
from unabridged.domain.settings import Settings

LEAST_WINDOW = 512
"""Tokens of the smallest window that is divided."""

MARGIN_SHARE = 0.05
"""The safety margin before calibration has proved a smaller one."""


@dataclass(frozen=True, slots=True)
class WindowShares:
    """The shares of one mode.

    Attributes:
        system: What the system prompt is expected to take.
        tools: What the tool definitions are expected to take.
        answer_low: The answer's share at complexity 0.
        answer_high: The answer's share at complexity 1, by verbosity.
        reserve_floor: What the reserve keeps before memory takes its part.
        memory_cap: The most that memory takes while system prompt and tools use their shares.
    """

    system: float
    tools: float
    answer_low: float
    answer_high: Mapping[Verbosity, float]
    reserve_floor: float
    memory_cap: float


SHARES: Mapping[Mode, WindowShares] = MappingProxyType(
    {
        Mode.TOOLS: WindowShares(
            system=0.03,
            tools=0.06,
            answer_low=0.15,
            answer_high={
                Verbosity.CONCISE: 0.25,
                Verbosity.BALANCED: 0.35,
                Verbosity.DETAILED: 0.45,
            },
            reserve_floor=0.02,
            memory_cap=0.60,
        ),
        Mode.CHAT: WindowShares(
            system=0.006,
            tools=0.0,
            answer_low=0.15,
            answer_high={
                Verbosity.CONCISE: 0.20,
                Verbosity.BALANCED: 0.25,
                Verbosity.DETAILED: 0.30,
            },
            reserve_floor=0.02,
            memory_cap=0.80,
        ),
    }
)

LEAST_ANSWER_TOKENS = 256
"""Tokens that an answer needs to be worth asking for …"""

LEAST_ANSWER_SHARE = 0.10
"""… or this share of the window, where that is less."""

FACT_TOKENS = 100
"""Tokens of one fact, about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TierShares:
    """How the memory budget is divided among the tiers (design, section 6).

    Attributes:
        immediate: Of the memory budget: the newest exchanges.
        knowledge: Of the memory budget, at most: facts.
        vivid: Of what these two leave, at middling richness: what is recalled for who asks for
            details …
        summary: … for who asks for an overview …
        contextual: … and for who mentions the past. Small talk recalls nothing.
    """

    immediate: float = 0.19
    knowledge: float = 0.125
    vivid: float = 0.60
    summary: float = 0.20
    contextual: float = 0.40

    def semantic(self, intent: Intent) -> float:
        """Of what immediate and knowledge leave: what is recalled, by intent."""
        shares = {
            Intent.VIVID_RECALL: self.vivid,
            Intent.SUMMARY: self.summary,
            Intent.CONTEXTUAL: self.contextual,
        }
        return shares.get(intent, 0.0)


TIER_SHARES = TierShares()
"""The shares where nobody set others."""


def tier_shares(settings: Settings) -> TierShares:
    """Give the shares that a person chose."""
    return TierShares(
        immediate=settings.immediate_share,
        knowledge=settings.knowledge_share,
        vivid=settings.vivid_share,
        summary=settings.summary_share,
        contextual=settings.contextual_share,
    )


RICHNESS_SWING = 0.25
"""How far richness moves the semantic share, either way: from 75 % to 125 % of it."""

EXCHANGE_SHARE = 0.25
"""Of the memory budget: the most that one exchange takes where memory is short."""

USER_SIDE_SHARE = 0.10
"""Of the memory budget: the user's side of that."""

ASSISTANT_SIDE_SHARE = 0.15
"""Of the memory budget: the assistant's side of that, tool calls and results included."""
