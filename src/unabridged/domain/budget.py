"""A budget: one window divided, in whole tokens that add up to it exactly."""

from dataclasses import dataclass
from enum import StrEnum


class Mode(StrEnum):
    """The mode decides about tools and system prompt, never about memory."""

    CHAT = "chat"
    TOOLS = "tools"


class Verbosity(StrEnum):
    """How long answers may grow."""

    CONCISE = "concise"
    BALANCED = "balanced"
    DETAILED = "detailed"


@dataclass(frozen=True, slots=True)
class Budget:
    """One window divided. All figures are tokens; ``total`` equals ``window`` always.

    Attributes:
        window: What prompt and answer may take together.
        system: The size of the system prompt.
        tools: The size of the tool definitions.
        message: This message with the template's overhead; a client's with its tool rounds.
        history: What a client sent before; what memory adds has its own budget.
        answer: Room kept free for the answer.
        memory: What memory may take.
        margin: Kept for counting errors.
        reserve: What remains; ``ledger.parts`` adds what memory left over.
        unused: What ``max_prompt_tokens`` or ``memory_cap`` keep from being used.
        complexity: 0 to 1, of the message.
        bound: The one of these two that limits memory, or empty.
    """

    window: int
    system: int
    tools: int
    message: int
    answer: int
    memory: int
    margin: int
    reserve: int
    unused: int
    complexity: float
    bound: str = ""
    history: int = 0

    @property
    def total(self) -> int:
        """The sum of all parts."""
        fixed = self.system + self.tools + self.message + self.history
        return fixed + self.answer + self.memory + self.margin + self.reserve + self.unused

    @property
    def response_percentage(self) -> float:
        """The answer's share of the window, 0 to 100."""
        return 100 * self.answer / self.window

    @property
    def budget_available(self) -> int:
        """Tokens that memory may take (WorkspaceAI's name for it)."""
        return self.memory


@dataclass(frozen=True, slots=True)
class TierBudget:
    """The memory budget divided among the tiers, in tokens; the parts add up to ``memory``."""

    memory: int
    immediate: int
    knowledge: int
    semantic: int
    recent: int
