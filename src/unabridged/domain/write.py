"""What one write of messages is, and how much a space holds."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from unabridged.domain.exchange import Exchange
from unabridged.domain.record import Record
from unabridged.domain.session import Session


@dataclass(frozen=True, slots=True)
class Batch:
    """What one ``append`` writes, whole or not at all.

    Attributes:
        session: The header as it shall be afterwards, ``head`` being the last message's id.
        exchange: The exchange with only the *new* messages in it, and its state afterwards. Where
            the store holds an exchange of that id already, the messages are added to it.
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
    """How much a space holds; kept by the store so that asking costs nothing."""

    sessions: int
    exchanges: int
    messages: int
    tokens: int
    bytes: int
