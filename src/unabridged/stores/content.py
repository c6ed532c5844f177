"""What a store in memory holds, as one value: whoever keeps it elsewhere takes and gives this."""

from dataclasses import dataclass, field

from unabridged.domain.exchange import Exchange
from unabridged.domain.session import Session
from unabridged.stores.shelf import Shelf


@dataclass(slots=True)
class Entry:
    """An exchange as it is kept: with its own messages only, and the id of one that it shares."""

    exchange: Exchange
    opened_by: str | None


@dataclass(slots=True)
class Content:
    """Everything that a space holds; what else a store in memory has is made from it.

    Attributes:
        sessions: The headers, by id.
        entries: The exchanges, by id.
        records: The records.
    """

    sessions: dict[str, Session] = field(default_factory=dict)
    entries: dict[str, Entry] = field(default_factory=dict)
    records: Shelf = field(default_factory=Shelf)
