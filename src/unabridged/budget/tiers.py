"""Divide the memory budget among the tiers, and say how much one exchange may take of it."""

from dataclasses import dataclass

from unabridged.budget.window_shares import (
    ASSISTANT_SIDE_SHARE,
    EXCHANGE_SHARE,
    FACT_TOKENS,
    RICHNESS_SWING,
    TIER_SHARES,
    USER_SIDE_SHARE,
    TierShares,
)
from unabridged.domain.budget import TierBudget
from unabridged.domain.intent import Intent


def divide(
    memory: int,
    intent: Intent,
    *,
    facts_tokens_wanted: int = 0,
    richness: float = 0.5,
    shares: TierShares = TIER_SHARES,
) -> TierBudget:
    """Divide a memory budget by intent; the parts add up to it exactly (design, section 6).

    Args:
        memory: The memory budget, in tokens.
        intent: What the message asks of memory.
        facts_tokens_wanted: Tokens of the facts that bear on the message, pinned ones included;
            ``facts_tokens`` gives a guess where they are not counted.
        richness: 0 to 1: how rich the conversation is in facts and changes of topic; 0.5 moves
            nothing.
        shares: The tiers' shares; where immediate and knowledge are more than all of it together,
            knowledge gets what is left.
    """
    immediate = round(shares.immediate * memory)
    most = min(int(shares.knowledge * memory), memory - immediate)
    knowledge = min(max(0, facts_tokens_wanted), most)
    left = memory - immediate - knowledge
    swing = 1 + RICHNESS_SWING * (2 * min(1.0, max(0.0, richness)) - 1)
    semantic = min(left, round(shares.semantic(intent) * swing * left))
    return TierBudget(memory, immediate, knowledge, semantic, left - semantic)


def facts_tokens(count: int) -> int:
    """Tokens that so many facts take, about."""
    return FACT_TOKENS * count


@dataclass(frozen=True, slots=True)
class ExchangeLimits:
    """The most that one exchange may take where memory is short, in tokens.

    Attributes:
        whole: The exchange.
        user: The user's side.
        assistant: The assistant's side, tool calls and results included.
    """

    whole: int
    user: int
    assistant: int

    def allows(self, user_tokens: int, assistant_tokens: int) -> bool:
        """Whether an exchange of these sides stays within the limits."""
        within = user_tokens <= self.user and assistant_tokens <= self.assistant
        return within and user_tokens + assistant_tokens <= self.whole


def exchange_limits(memory: int) -> ExchangeLimits:
    """The limits against one exchange flooding a memory budget of so many tokens."""
    return ExchangeLimits(
        whole=int(EXCHANGE_SHARE * memory),
        user=int(USER_SIDE_SHARE * memory),
        assistant=int(ASSISTANT_SIDE_SHARE * memory),
    )
