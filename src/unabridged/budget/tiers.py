"""Divide the memory budget among the tiers, and limit what one exchange may take of it."""

from dataclasses import dataclass

from unabridged.domain.budget import TierBudget
from unabridged.domain.intent import Intent
from unabridged.domain.settings import Settings

RICHNESS_SWING = 0.25
"""How far richness moves the semantic share, either way: from 75 % to 125 % of it."""

EXCHANGE_SHARE = 0.25
"""Of the memory budget: the most that one exchange takes when memory is short."""

USER_SIDE_SHARE = 0.10
"""Of the memory budget: the user's side of that."""

ASSISTANT_SIDE_SHARE = 0.15
"""Of the memory budget: the assistant's side of that, tool calls and results included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TierShares:
    """The division of the memory budget among the tiers.

    Attributes:
        immediate: Of the memory budget: the newest exchanges.
        knowledge: Of the memory budget, at most: facts.
        vivid: Of what these two leave, at middling richness: what is recalled for a message that
            asks for details …
        summary: … for an overview …
        contextual: … or mentions the past. Small talk recalls nothing.
    """

    immediate: float = 0.19
    knowledge: float = 0.125
    vivid: float = 0.60
    summary: float = 0.20
    contextual: float = 0.40

    def semantic(self, intent: Intent) -> float:
        """Return the share of recall, of what immediate and knowledge leave, by intent."""
        shares = {
            Intent.VIVID_RECALL: self.vivid,
            Intent.SUMMARY: self.summary,
            Intent.CONTEXTUAL: self.contextual,
        }
        return shares.get(intent, 0.0)


TIER_SHARES = TierShares()
"""The default shares."""


def tier_shares(settings: Settings) -> TierShares:
    """Return the shares that a person chose."""
    return TierShares(
        immediate=settings.immediate_share,
        knowledge=settings.knowledge_share,
        vivid=settings.vivid_share,
        summary=settings.summary_share,
        contextual=settings.contextual_share,
    )


def divide(
    memory: int,
    intent: Intent,
    *,
    facts_tokens_wanted: int = 0,
    richness: float = 0.5,
    shares: TierShares = TIER_SHARES,
) -> TierBudget:
    """Divide a memory budget by intent; the parts add up to it exactly.

    Args:
        memory: The memory budget, in tokens.
        intent: What the message asks of memory.
        facts_tokens_wanted: Tokens of the facts that are relevant to the message, pinned ones
            included.
        richness: 0 to 1: how rich the conversation is in facts and changes of topic; 0.5 moves
            nothing.
        shares: The tiers' shares; if immediate and knowledge together exceed the budget, knowledge
            gets what is left.
    """
    immediate = round(shares.immediate * memory)
    most = min(int(shares.knowledge * memory), memory - immediate)
    knowledge = min(max(0, facts_tokens_wanted), most)
    left = memory - immediate - knowledge
    swing = 1 + RICHNESS_SWING * (2 * min(1.0, max(0.0, richness)) - 1)
    semantic = min(left, round(shares.semantic(intent) * swing * left))
    return TierBudget(memory, immediate, knowledge, semantic, left - semantic)


@dataclass(frozen=True, slots=True)
class ExchangeLimits:
    """The most that one exchange may take when memory is short, in tokens.

    Attributes:
        whole: The exchange.
        user: The user's side.
        assistant: The assistant's side, tool calls and results included.
    """

    whole: int
    user: int
    assistant: int

    def allows(self, user_tokens: int, assistant_tokens: int) -> bool:
        """Return whether an exchange of these sides stays within the limits."""
        within = user_tokens <= self.user and assistant_tokens <= self.assistant
        return within and user_tokens + assistant_tokens <= self.whole


def exchange_limits(memory: int) -> ExchangeLimits:
    """Return the limits that keep one exchange from filling a memory budget."""
    return ExchangeLimits(
        whole=int(EXCHANGE_SHARE * memory),
        user=int(USER_SIDE_SHARE * memory),
        assistant=int(ASSISTANT_SIDE_SHARE * memory),
    )
