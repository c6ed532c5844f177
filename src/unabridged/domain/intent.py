"""Intent: what a message asks of memory."""

from dataclasses import dataclass
from enum import StrEnum


class Intent(StrEnum):
    """What a message asks of memory."""

    VIVID_RECALL = "vivid_recall"
    """Details of something past."""
    SUMMARY = "summary"
    """An overview of what was said."""
    CONTEXTUAL = "contextual"
    """The past is background: follow-ups, new tasks, wishes."""
    CASUAL = "casual"
    """Greeting, thanks, small talk: nothing past is needed."""


@dataclass(frozen=True, slots=True)
class IntentReading:
    """An intent, with its signals.

    Attributes:
        signals: The signals that decided, strongest first.
    """

    intent: Intent
    signals: tuple[str, ...] = ()
