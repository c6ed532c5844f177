"""Topics: what was talked about, as groups of exchanges with a name from their own words."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

Moved = Callable[[str, int, int], None]
"""Told what goes on, how many exchanges were done, and of how many."""


@dataclass(frozen=True, slots=True)
class TopicItem:
    """An exchange as far as topics look at it.

    Attributes:
        user: What the user said, or the beginning of it.
        answer: What was answered, or the beginning of it.
        tokens: What the whole exchange takes.
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
        label: Words or pairs of words from them, as they were written, the most telling first;
            empty where ``other``.
        exchanges: The ids of its exchanges, the oldest first.
        sessions: The ids of the sessions that they are of, the oldest first.
        tokens: What they take together.
        other: Whether it gathers what belongs to no topic: greetings, thanks, single questions.
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
