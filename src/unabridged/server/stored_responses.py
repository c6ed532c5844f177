"""The past of a conversation that a client names instead of sending it: kept here, given from here.

Each answer has a name of its own: the exchange, and which of the assistant's messages in it, since
an exchange with tools takes several requests.
"""

from dataclasses import dataclass

from unabridged.domain.exchange import Exchange
from unabridged.domain.message import Message, Reasoning, Role
from unabridged.errors import NotFoundError
from unabridged.space.space import Space
from unabridged.wire.incoming_message import IncomingMessage

MOST = 100_000
"""Exchanges of a path that are gone back over."""


@dataclass(frozen=True, slots=True)
class AnswerName:
    """Names one answer.

    Attributes:
        exchange: The exchange's id.
        round: Which of the assistant's messages in it, from 0.
    """

    exchange: str
    round: int = 0

    @property
    def written(self) -> str:
        """As it is written: ``EXCHANGE``, or ``EXCHANGE_ROUND`` behind the first."""
        return f"{self.exchange}_{self.round}" if self.round else self.exchange


def name_from(written: str) -> AnswerName | None:
    """Read a name; None where it is none."""
    exchange, _, number = written.partition("_")
    if not exchange or (number and not (number.isascii() and number.isdigit())):
        return None
    return AnswerName(exchange, int(number[:6] or 0))


def round_of(drafts: tuple[IncomingMessage, ...]) -> int:
    """Give which of an exchange's answers is asked for: the assistant has spoken so often in it."""
    count = 0
    for draft in reversed(drafts):
        if draft.role is Role.USER:
            return count
        count += draft.role is Role.ASSISTANT
    return count


@dataclass(frozen=True, slots=True)
class StoredResponses:
    """What stands before an answer, and the answer.

    Attributes:
        exchange: The exchange that holds it.
        before: The exchanges before that one on its path, oldest first.
        heard: The messages of the exchange since the answer before, without the answer.
        answer: The answer; None where none came.
        last: Whether no later answer stands in the exchange.
    """

    exchange: Exchange
    before: tuple[Exchange, ...]
    heard: tuple[Message, ...]
    answer: Message | None
    last: bool

    @property
    def drafts(self) -> tuple[IncomingMessage, ...]:
        """All of it as a client would send it."""
        messages = [message for exchange in self.before for message in exchange.messages]
        for message in self.exchange.messages:
            messages.append(message)
            if self.answer is not None and message.id == self.answer.id:
                break
        return tuple(_draft(message) for message in messages)


def _draft(message: Message) -> IncomingMessage:
    return IncomingMessage(
        message.role, tuple(p for p in message.parts if not isinstance(p, Reasoning))
    )


def past_of(
    space: Space, name: AnswerName, session: str | None, *, before: bool = True
) -> StoredResponses | None:
    """Look up what a name stands for.

    Args:
        space: The space that the request reaches.
        name: The answer's.
        session: The only session that the request reaches, or None for any.
        before: Whether the exchanges before it are wanted too.

    Returns:
        None where it is not stored, or out of reach.
    """
    try:
        exchange = space.log.get(name.exchange)
    except NotFoundError:
        return None
    if exchange.id != name.exchange or (session is not None and exchange.session != session):
        return None
    said = [n for n, m in enumerate(exchange.messages) if m.role is Role.ASSISTANT]
    if name.round >= len(said) and name.round > 0:
        return None
    end = said[name.round] if said else len(exchange.messages)
    start = said[name.round - 1] + 1 if name.round else 0
    path = space.log.history(exchange.session, MOST, exchange.id) if before else []
    return StoredResponses(
        exchange=exchange,
        before=tuple(path),
        heard=exchange.messages[start:end],
        answer=exchange.messages[end] if said else None,
        last=not said or end == said[-1],
    )
