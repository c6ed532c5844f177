"""Topics: groups of exchanges with a name from their own words."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

Moved = Callable[[str, int, int], None]
"""Called with the stage, the exchanges done, and their total."""


@dataclass(frozen=True, slots=True)
class TopicItem:
    """An exchange as topics use it.

    Attributes:
        user: What the user said, or the beginning of it.
        answer: What was answered, or the beginning of it.
        tokens: Tokens of the whole exchange.
    """

    exchange: str
    session: str
    at: datetime
    user: str
    answer: str
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class Topic:
    """What several exchanges are about.

    Attributes:
        label: Words or pairs of words from them, as they were written, the most telling first; empty
            if ``other``.
        exchanges: The ids of its exchanges, the oldest first.
        sessions: The ids of their sessions, the oldest first.
        tokens: Their tokens together.
        other: Whether it collects exchanges without a topic: greetings, thanks, single questions.
    """

    label: tuple[str, ...]
    exchanges: tuple[str, ...]
    sessions: tuple[str, ...]
    tokens: int
    first: datetime
    last: datetime
    other: bool = False

    @property
    def name(self) -> str:
        """Its label in one line."""
        return "small talk and other" if self.other else ", ".join(self.label)
