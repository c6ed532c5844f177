"""The forgotten filter: what was forgotten before reaches the model, but is not stored again."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from unabridged.domain.context import Context
from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.message import Message, Role
from unabridged.domain.results import Transcript
from unabridged.errors import HeadMovedError, NotFoundError
from unabridged.forgetting.tombstones import ForgottenIndex, spoken_last
from unabridged.forgetting.without_forgotten import forgotten_in, without
from unabridged.ports import Store

BEFORE = "Forgotten before: sent to the model, not stored. See `unabridged receipts`."
MEANWHILE = "Not stored: this exchange was forgotten while it was being answered."
ANSWER = "This answer was forgotten before: it is shown, not stored."

Storing = Callable[[Sequence[Message], ExchangeState], Exchange]
"""Stores new messages of an exchange, and its new state."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """An exchange after a write.

    Attributes:
        exchange: The exchange, as stored or as it would be.
        notes: Messages to a person about what was not stored.
        stored: Whether it is in the log; False if it was forgotten.
    """

    exchange: Exchange
    notes: tuple[str, ...] = ()
    stored: bool = True


class ForgottenFilter:
    """Keeps what was forgotten out of one space."""

    def __init__(self, store: Store, forgotten_index: ForgottenIndex) -> None:
        self._store = store
        self._forgotten_index = forgotten_index

    def opened(self, context: Context, *, begun: bool = False) -> Recorded | None:
        """Return the exchange of a context, stored or kept out; None if it is new.

        Args:
            context: As prepared.
            begun: Whether it was stored before: if it is missing now, it was forgotten.
        """
        if stored := self._store.get([context.id]):
            return Recorded(stored[context.id])
        if begun or self._forgotten_index.was_forgotten(context.id):
            return _kept_out(context, MEANWHILE)
        parent = self._store.get([context.parent]).get(context.parent) if context.parent else None
        if self._forgotten_index.recognises(context.user.text, Role.USER, spoken_last(parent)):
            return _kept_out(context, BEFORE)
        return None

    def extend(
        self, begun: Recorded, messages: Sequence[Message], state: ExchangeState, store: Storing
    ) -> Recorded:
        """Add messages to an exchange: to the stored one, unless it is kept out.

        Args:
            begun: The exchange so far.
            messages: New messages.
            state: The state afterwards.
            store: Called unless the exchange is kept out.
        """
        exchange = begun.exchange
        if not begun.stored:
            return Recorded(exchange.extended(tuple(messages), state), (), stored=False)
        new, notes = self._not_forgotten(exchange, messages)
        try:
            reached = state if new or not messages else ExchangeState.UNANSWERED
            return Recorded(store(new, reached), notes)
        except (HeadMovedError, NotFoundError):
            if self._store.get([exchange.id]):
                raise
        whole = exchange.extended(tuple(messages), state)
        return Recorded(whole, (*notes, MEANWHILE), stored=False)

    def _not_forgotten(
        self, exchange: Exchange, messages: Sequence[Message]
    ) -> tuple[list[Message], tuple[str, ...]]:
        kept: list[Message] = []
        before = spoken_last(exchange)
        for message in messages:
            answer = message.role is Role.ASSISTANT
            if not (
                answer and self._forgotten_index.recognises(message.text, message.role, before)
            ):
                kept.append(message)
        return kept, (ANSWER,) if len(kept) < len(messages) else ()

    def admissible(self, conversation: Transcript) -> tuple[Transcript | None, tuple[str, ...]]:
        """Return an imported conversation without what was forgotten, and notes.

        Returns:
            The conversation, None if nothing is left; and messages to a person.
        """
        gone = forgotten_in(conversation, self._forgotten_index)
        if not gone:
            return conversation, ()
        notes = (f"Not stored, because forgotten before: {len(gone):,} of its exchanges.",)
        return without(conversation, gone), notes


def _kept_out(context: Context, note: str) -> Recorded:
    exchange = Exchange(
        id=context.id,
        session=context.scope.session or "",
        parent=context.parent,
        state=ExchangeState.OPEN,
        messages=(replace(context.user, parent=context.follows),),
        at=context.at,
        mode=context.mode.value,
        model=context.scope.model,
    )
    return Recorded(exchange, (note,), stored=False)
