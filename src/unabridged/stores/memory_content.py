"""The content of a store in memory: exchanges, blobs and records."""

from collections import Counter
from collections.abc import Collection, Container, Iterable, Sequence
from dataclasses import dataclass, replace

from unabridged.domain.blob import Blob
from unabridged.domain.exchange import Exchange
from unabridged.domain.message import Message, Text, part_to_dict
from unabridged.domain.record import Record, RecordKind
from unabridged.stores.json_codec import pack, unpack

MESSAGE = "message"
"""The kind of a message that uses a blob; records have their own kinds."""
User = tuple[str, str]
"""The kind and id of a user of a blob."""
Packed = tuple[Record, bytes]
"""A record with its body as JSON, so that callers cannot change it."""

_FRAME = len(pack([part_to_dict(Text(""))])) - len(pack(""))
"""Bytes around the text of a single text part."""


@dataclass(slots=True)
class StoredExchange:
    """An exchange with its own messages and the id of a shared one."""

    exchange: Exchange
    opened_by: str | None


def size_of(message: Message) -> int:
    """Return the bytes of a message's parts as JSON; nearly every message is one text."""
    if len(message.parts) == 1 and isinstance(only := message.parts[0], Text):
        return _FRAME + len(pack(only.text))
    return len(pack([part_to_dict(part) for part in message.parts]))


def packed(records: Iterable[Record]) -> list[Packed]:
    """Pack the bodies of records; refuse one that JSON cannot hold before storing any."""
    return [(record, pack(record.body)) for record in records]


class MemoryBlobs:
    """Blobs by digest, stored as long as a message or record uses them."""

    def __init__(self) -> None:
        self._blobs: dict[str, Blob] = {}
        self._uses: dict[User, tuple[str, ...]] = {}
        self._counts: Counter[str] = Counter()

    def use(self, user: User, blobs: Iterable[Blob]) -> None:
        """Store blobs for a message or record that uses none yet."""
        found = {blob.digest: blob for blob in blobs}
        if found:
            self._blobs |= found
            self._uses[user] = tuple(found)
            self._counts.update(found.keys())

    def release(self, user: User) -> None:
        """Remove the uses of a message or record, and blobs without another use."""
        for name in self._uses.pop(user, ()):
            self._counts[name] -= 1
            if not self._counts[name]:
                del self._counts[name], self._blobs[name]

    def get(self, digests: Iterable[str]) -> dict[str, Blob]:
        """Return blobs by digest; unknown ones are missing."""
        return {name: self._blobs[name] for name in digests if name in self._blobs}

    def of(self, user: User) -> list[Blob]:
        """Return the blobs that a message or record uses."""
        return [self._blobs[name] for name in self._uses.get(user, ())]


class MemoryRecords:
    """Records by kind and id."""

    def __init__(self, blobs: MemoryBlobs) -> None:
        self._blobs = blobs
        self._held: dict[tuple[RecordKind, str], Packed] = {}

    def put(self, records: Iterable[Packed], exchanges: Container[str]) -> set[RecordKind]:
        """Store the records whose exchanges all exist; return their kinds."""
        kinds: set[RecordKind] = set()
        for record, body in records:
            if not all(name in exchanges for name in record.exchanges):
                continue
            self.drop(record.kind, [record.id])
            self._blobs.use((record.kind, record.id), record.blobs)
            self._held[record.kind, record.id] = (record, body)
            kinds.add(record.kind)
        return kinds

    def drop(self, kind: RecordKind, ids: Iterable[str]) -> bool:
        """Remove records and ignore unknown ids; return whether any existed."""
        before = len(self._held)
        for record_id in ids:
            if self._held.pop((kind, record_id), None) is not None:
                self._blobs.release((kind, record_id))
        return len(self._held) < before

    def drop_drawn_from(self, gone: Collection[str]) -> set[RecordKind]:
        """Remove the records and contexts of exchanges; return their kinds."""
        kinds: set[RecordKind] = set()
        for (kind, name), (record, _) in list(self._held.items()):
            begun = kind is RecordKind.CONTEXT and name in gone
            if begun or any(exchange in gone for exchange in record.exchanges):
                self.drop(kind, [name])
                kinds.add(kind)
        return kinds

    def records(
        self, kind: RecordKind, ids: Sequence[str] | None, newest: int | None
    ) -> list[Record]:
        """Records of a kind in the order of their ids."""
        wanted = None if ids is None else set(ids)
        found = sorted(
            name for held, name in self._held if held is kind and (wanted is None or name in wanted)
        )
        if newest is not None:
            found = found[max(len(found) - newest, 0) :] if newest > 0 else []
        kept = [self._held[kind, name] for name in found]
        return [replace(record, body=unpack(body)) for record, body in kept]
