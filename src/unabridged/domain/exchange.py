"""An exchange: a user message with everything up to and including its answer. Never split."""

from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum

from unabridged.domain.message import Message, Role
from unabridged.domain.short_repr import quoted, short

QUOTING = "quote"
"""The provider, and the model, that needs no model: it answers with quotations from memory."""


class ExchangeState(StrEnum):
    """How complete an exchange is."""

    OPEN = "open"
    """The user's message is stored; the answer is pending."""
    COMPLETE = "complete"
    """The answer is whole."""
    INCOMPLETE = "incomplete"
    """The answer broke off; what arrived is kept."""
    UNANSWERED = "unanswered"
    """No answer arrived."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A user message and its answer, with the tool calls and results between them.

    Attributes:
        id: Unique in every space; sorts by the time it began.
        session: The session it belongs to.
        parent: The exchange before it on its path, or None for a session's first. Two exchanges
            with one parent are branches: an edited message, or an answer regenerated.
        state: How complete it is.
        messages: In order; the first is the user's. Branches that regenerate an answer share it.
        at: When the user's message was stored, with a time zone.
        mode: ``chat`` or ``tools``.
        model: The model that answered, or was asked.
        notes: Messages to a person about what was not stored; set when it is recorded, never stored
            or sent.
    """

    id: str
    session: str
    parent: str | None
    state: ExchangeState
    messages: tuple[Message, ...]
    at: datetime
    mode: str = "chat"
    model: str | None = None
    notes: tuple[str, ...] = field(
        default=(), compare=False, repr=False, metadata={"transient": True}
    )

    @property
    def user(self) -> Message:
        """The user's message."""
        return self.messages[0]

    @property
    def answer(self) -> Message | None:
        """The assistant's last message with text, or None."""
        for message in reversed(self.messages):
            if message.role is Role.ASSISTANT and message.text:
                return message
        return None

    @property
    def text(self) -> str:
        """The text of both sides, without tool calls, results and reasoning."""
        return "\n".join(m.text for m in self.messages if m.role is not Role.TOOL and m.text)

    @property
    def spoken(self) -> list[tuple[int, Message]]:
        """Return the messages of user and assistant that have text, each with its position."""
        sides = (Role.USER, Role.ASSISTANT)
        return [(i, m) for i, m in enumerate(self.messages) if m.role in sides and m.text]

    def extended(self, messages: tuple[Message, ...], state: ExchangeState) -> "Exchange":
        """Return the same exchange with more messages and a new state."""
        return replace(self, messages=self.messages + messages, state=state)

    def __repr__(self) -> str:  # type: ignore[explicit-override]  # typing.override came with 3.12
        return short(self, self.id, self.state, quoted(self.user.text) if self.messages else "")
