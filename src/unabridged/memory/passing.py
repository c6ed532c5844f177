"""Passing over: what was forgotten before is passed on to the model and not stored again."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from unabridged.custody.passing import forgotten_in, without
from unabridged.custody.tombstones import Recogniser, spoken_last
from unabridged.domain.context import Context
from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.message import Message, Role
from unabridged.domain.views import Conversation
from unabridged.errors import HeadMovedError, NotFoundError
from unabridged.ports import Store

BEFORE = "Forgotten before: passed on, not stored. See `unabridged receipts`."
MEANWHILE = "This was forgotten meanwhile: what came of it is not stored."
ANSWER = "The answer was forgotten before: it is shown and not stored."


Storing = Callable[[Sequence[Message], ExchangeState], Exchange]
"""Stores new messages of an exchange with the state that it then has."""


class Passing:
    """What passes through one memory without being stored.

    Args:
        store: The space.
        recogniser: Recognises what comes again.
    """

    def __init__(self, store: Store, recogniser: Recogniser) -> None:
        self._store = store
        self._recogniser = recogniser
        self._stored: set[str] = set()
        self._passed: dict[str, Exchange] = {}
        self._remarks: list[str] = []

    def remarks(self) -> list[str]:
        """What a person should know since this was asked last."""
        said, self._remarks = self._remarks, []
        return list(dict.fromkeys(said))

    def was_stored(self, exchange_id: str) -> None:
        """Note that an exchange is in the store: where it is missing later, it was forgotten."""
        self._stored.add(exchange_id)

    def opened(self, context: Context) -> Exchange | None:
        """The exchange of a context, as stored or as it passes through; None where it is new."""
        if stored := self._store.get([context.id]):
            self._stored.add(context.id)
            return stored[context.id]
        if context.id in self._passed:
            return self._passed[context.id]
        if context.id in self._stored or self._recogniser.was_forgotten(context.id):
            return self._open(context, MEANWHILE)
        parent = self._store.get([context.parent]).get(context.parent) if context.parent else None
        if self._recogniser.recognises(context.user.text, Role.USER, spoken_last(parent)):
            return self._open(context, BEFORE)
        return None

    def _open(self, context: Context, remark: str) -> Exchange:
        self._remarks.append(remark)
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
        self._passed[context.id] = exchange
        return exchange

    def extend(
        self, exchange: Exchange, messages: Sequence[Message], state: ExchangeState, store: Storing
    ) -> Exchange:
        """Add messages to an exchange: to the stored one, unless it passes through.

        Args:
            exchange: As ``opened`` gave it, or as it was stored.
            messages: New messages.
            state: The state afterwards.
            store: Stores messages, and the state afterwards.
        """
        if exchange.id not in self._passed:
            new = self._new(exchange, messages)
            try:
                return store(new, state if new or not messages else ExchangeState.UNANSWERED)
            except (HeadMovedError, NotFoundError):
                if self._store.get([exchange.id]):
                    raise
                self._remarks.append(MEANWHILE)
        self._passed[exchange.id] = exchange.extended(tuple(messages), state)
        return self._passed[exchange.id]

    def _new(self, exchange: Exchange, messages: Sequence[Message]) -> list[Message]:
        """Those of its new messages that were not forgotten."""
        kept = []
        before = spoken_last(exchange)
        for message in messages:
            if message.role is Role.ASSISTANT and self._recogniser.recognises(
                message.text, message.role, before
            ):
                self._remarks.append(ANSWER)
            else:
                kept.append(message)
        return kept

    def admissible(self, conversation: Conversation) -> Conversation | None:
        """A conversation from elsewhere without what was forgotten; None where nothing is left."""
        gone = forgotten_in(conversation, self._recogniser)
        if not gone:
            return conversation
        self._remarks.append(f"Forgotten before, not stored: {len(gone):,} of its exchanges.")
        return without(conversation, gone)
