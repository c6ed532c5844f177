"""Make exchanges and messages of the log from what a client sends and the log lacks."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.message import Message, Role, ToolCall, ToolResult
from unabridged.history_sync.normalize_history import NormalizedExchange, atoms
from unabridged.ports import Clock
from unabridged.wire.incoming_message import IncomingMessage
from unabridged.wire.originals import original_of


class ExchangeBuilder:
    """Makes messages and exchanges of one request in one session; all have its time."""

    def __init__(self, clock: Clock, session: str) -> None:
        self._clock = clock
        self.session = session
        self.at: datetime = clock.now()

    def message(self, draft: IncomingMessage, parent: str | None = None) -> Message:
        """Make a message of the log."""
        return Message(
            self._clock.new_id(),
            draft.role,
            draft.parts,
            self.at,
            parent,
            original=original_of(draft),
        )

    def exchange(
        self, said: NormalizedExchange, before: Exchange | None, twin: Message | None = None
    ) -> Exchange:
        """Make an exchange of the log.

        One without its beginning gets an empty user message: an assistant's text must never be
        stored as the user's.

        Args:
            said: What the client sent.
            before: The exchange that it follows, or None.
            twin: The stored user message that it shares, or None.
        """
        last = before.messages[-1].id if before else None
        user = twin or self.message(said.user or IncomingMessage(Role.USER, ()), last)
        chained = [user]
        for draft in said.rest:
            chained.append(self.message(draft, chained[-1].id))
        return Exchange(
            id=self._clock.new_id(),
            session=self.session,
            parent=before.id if before else None,
            state=_state(said),
            messages=tuple(chained),
            at=self.at,
        )

    def sent(self, draft: IncomingMessage) -> Message:
        """Make a message of the request itself, as it came."""
        return Message("", draft.role, draft.parts, self.at)

    def new_rounds(
        self, rest: Sequence[IncomingMessage], grown: Exchange | None
    ) -> tuple[Message, ...]:
        """Make the messages of a tool loop that are not stored yet.

        The beginning of an answer that the model must continue is not among them.

        Args:
            rest: What the client sent after the user's message.
            grown: The stored exchange that the loop continues, or None.
        """
        if grown is not None:
            held = grown.messages[1:]
            sent = [call for draft in rest for call in draft.calls]
            stored = [call for message in held for call in message.calls]
            rest = renamed(behind(rest, sum(1 for _ in atoms(held))), sent, stored)
        return tuple(self.message(draft) for draft in rest[: _without_prefill(rest)])


def _state(said: NormalizedExchange) -> ExchangeState:
    kinds = [kind for kind, _ in said.atoms]
    if not kinds:
        return ExchangeState.UNANSWERED
    answered = kinds[-1] == Role.ASSISTANT.value
    return ExchangeState.COMPLETE if answered else ExchangeState.INCOMPLETE


def behind(drafts: Sequence[IncomingMessage], count: int) -> list[IncomingMessage]:
    """Return the messages of a round without the given number of pieces (``atoms``)."""
    left: list[IncomingMessage] = []
    for draft in drafts:
        held = sum(1 for _ in atoms([draft]))
        if count <= 0:
            left.append(draft)
        elif held > count:
            parts = tuple(p for p in draft.parts if isinstance(p, ToolCall | ToolResult))
            left.append(replace(draft, parts=parts[len(parts) - (held - count) :]))
        count -= held
    return left


def renamed(
    drafts: Iterable[IncomingMessage], sent: Iterable[ToolCall], stored: Iterable[ToolCall]
) -> list[IncomingMessage]:
    """Return messages whose results use the ids that their calls have in the log.

    Args:
        drafts: As the client sent them.
        sent: The calls as the client sent them.
        stored: The same calls as stored, in the same order.
    """
    names = {one.id: other.id for one, other in zip(sent, stored, strict=False)}
    return [
        replace(
            draft,
            parts=tuple(
                replace(part, call_id=names.get(part.call_id, part.call_id))
                if isinstance(part, ToolResult)
                else part
                for part in draft.parts
            ),
        )
        for draft in drafts
    ]


def _without_prefill(drafts: Sequence[IncomingMessage]) -> int:
    end = len(drafts)
    while end and drafts[end - 1].role is Role.ASSISTANT and not drafts[end - 1].calls:
        end -= 1
    return end
