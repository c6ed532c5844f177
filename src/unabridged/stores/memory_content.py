"""What a store in memory holds, as one value: whoever keeps it elsewhere takes and gives this."""

from dataclasses import dataclass, field

from unabridged.domain.exchange import Exchange
from unabridged.domain.message import Message, Text, part_to_dict
from unabridged.domain.session import Session
from unabridged.stores.json_codec import pack
from unabridged.stores.memory_blobs import MemoryBlobs
from unabridged.stores.memory_records import MemoryRecords


@dataclass(slots=True)
class StoredExchange:
    """An exchange as it is kept: with its own messages only, and the id of one that it shares."""

    exchange: Exchange
    opened_by: str | None


@dataclass(slots=True)
class Content:
    """Everything that a space holds; what else a store in memory has is made from it.

    Attributes:
        sessions: The headers, by id.
        entries: The exchanges, by id.
        blobs: The blobs that messages and records use.
        records: The records.
    """

    sessions: dict[str, Session] = field(default_factory=dict)
    entries: dict[str, StoredExchange] = field(default_factory=dict)
    blobs: MemoryBlobs = field(default_factory=MemoryBlobs)
    records: MemoryRecords = field(init=False)

    def __post_init__(self) -> None:
        """Let the records use the blobs."""
        self.records = MemoryRecords(self.blobs)


_FRAME = len(pack([part_to_dict(Text(""))])) - len(pack(""))
"""Bytes of a lone text beside those of its words."""


def size_of(message: Message) -> int:
    """Give the bytes of a message's parts as JSON; nearly every message is one text."""
    if len(message.parts) == 1 and isinstance(only := message.parts[0], Text):
        return _FRAME + len(pack(only.text))
    return len(pack([part_to_dict(part) for part in message.parts]))
