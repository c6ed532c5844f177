"""Stored answers that a client names instead of sending the history.

A name contains the exchange and the number of the assistant's message in it, since an exchange with
tools takes several requests.
"""

from dataclasses import dataclass

from unabridged.domain.exchange import Exchange
from unabridged.domain.message import Message, Reasoning, Role
from unabridged.errors import NotFoundError
from unabridged.space.space import Space
from unabridged.wire.incoming_message import IncomingMessage

MOST = 100_000
"""The most exchanges of a path that are read."""


@dataclass(frozen=True, slots=True)
class AnswerName:
    """The name of one answer.

    Attributes:
        exchange: The exchange's id.
        round: The number of the assistant's message in it, from 0.
    """

    exchange: str
    round: int = 0

    @property
    def written(self) -> str:
        """Return the name as text: ``EXCHANGE``, or ``EXCHANGE_ROUND`` after the first."""
        return f"{self.exchange}_{self.round}" if self.round else self.exchange


def name_from(written: str) -> AnswerName | None:
    """Parse a name; None if it is invalid."""
    exchange, _, number = written.partition("_")
    if not exchange or (number and not (number.isascii() and number.isdigit())):
        return None
    return AnswerName(exchange, int(number[:6] or 0))


def round_of(drafts: tuple[IncomingMessage, ...]) -> int:
    """Return the number of the next answer in an exchange."""
    count = 0
    for draft in reversed(drafts):
        if draft.role is Role.USER:
            return count
        count += draft.role is Role.ASSISTANT
    return count


@dataclass(frozen=True, slots=True)
class StoredResponses:
    """An answer with what came before it.

    Attributes:
        exchange: Its exchange.
        before: The exchanges before on the same path, oldest first.
        heard: The messages of the exchange since the previous answer, without the answer.
        answer: The answer; None if there is none.
        last: Whether it is the last answer of the exchange.
    """

    exchange: Exchange
    before: tuple[Exchange, ...]
    heard: tuple[Message, ...]
    answer: Message | None
    last: bool

    @property
    def drafts(self) -> tuple[IncomingMessage, ...]:
        """The whole history as a client would send it."""
        earlier = [_closed(m) for exchange in self.before for m in exchange.messages]
        for message in self.exchange.messages:
            # Some servers want the reasoning back while the tool loop continues.
            earlier.append(IncomingMessage(message.role, message.parts))
            if self.answer is not None and message.id == self.answer.id:
                break
        return tuple(earlier)


def _closed(message: Message) -> IncomingMessage:
    parts = tuple(p for p in message.parts if not isinstance(p, Reasoning))
    return IncomingMessage(message.role, parts)


def past_of(
    space: Space, name: AnswerName, session: str | None, *, before: bool = True
) -> StoredResponses | None:
    """Return the answer of a name, with its history.

    Args:
        space: The space of the request.
        name: The answer's name.
        session: The only session it may read, or None for any.
        before: Whether to return the exchanges before it too.

    Returns:
        None if it is not stored, or not accessible.
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
