"""One write of messages, and the size of a space."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from unabridged.domain.exchange import Exchange
from unabridged.domain.record import Record
from unabridged.domain.session import Session


@dataclass(frozen=True, slots=True)
class Batch:
    """What one ``append`` writes, whole or not at all.

    Attributes:
        session: The header afterwards; ``head`` is the last message's id.
        exchange: The exchange with only the *new* messages in it, and its state afterwards. If the
            store already holds an exchange of that id, the messages are added to it.
        opened_by: The id of a stored user message that this exchange shares (a regenerated
            answer), or None where its first new message is the user's.
        records: Records to put in the same transaction.
        originals: New messages as another program stored or sent them (JSON), by message id.
    """

    session: Session
    exchange: Exchange
    opened_by: str | None = None
    records: tuple[Record, ...] = ()
    originals: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Totals:
    """How much a space holds. The store counts it, so that reading it is cheap."""

    sessions: int
    exchanges: int
    messages: int
    tokens: int
    bytes: int
