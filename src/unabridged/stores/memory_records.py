"""The records of a store in memory."""

from collections.abc import Collection, Container, Iterable, Sequence
from dataclasses import replace

from unabridged.domain.record import Record, RecordKind
from unabridged.stores.json_codec import pack, unpack
from unabridged.stores.memory_blobs import MemoryBlobs

Packed = tuple[Record, bytes]
"""A record with its body as JSON, so that nobody can change what is kept."""


def packed(records: Iterable[Record]) -> list[Packed]:
    """Pack the bodies of records; one that JSON cannot hold is refused before anything is kept."""
    return [(record, pack(record.body)) for record in records]


class MemoryRecords:
    """Records by kind and id.

    Args:
        blobs: The blobs that they use.
    """

    def __init__(self, blobs: MemoryBlobs) -> None:
        self._blobs = blobs
        self._held: dict[tuple[RecordKind, str], Packed] = {}

    def put(self, records: Iterable[Packed], exchanges: Container[str]) -> set[RecordKind]:
        """Keep records of which every exchange is there; one of the same kind and id is replaced.

        Returns:
            The kinds of those that were kept.
        """
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
        """Remove records; ids that name nothing are passed over. Tell whether any was there."""
        before = len(self._held)
        for record_id in ids:
            if self._held.pop((kind, record_id), None) is not None:
                self._blobs.release((kind, record_id))
        return len(self._held) < before

    def drop_drawn_from(self, gone: Collection[str]) -> set[RecordKind]:
        """Remove what was drawn from exchanges, and the contexts that they were begun with.

        Returns:
            The kinds of what was removed.
        """
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
