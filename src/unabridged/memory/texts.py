"""Texts that many contexts share (system prompts, tool schemas): which of them are stored already."""

from collections.abc import Iterable

from unabridged.domain.record import Record, RecordKind
from unabridged.log.record_watch import RecordWatch
from unabridged.ports import Store


class StoredTexts:
    """Remembers which shared texts are stored, so that each prompt does not store them again.

    Args:
        store: The space.
    """

    def __init__(self, store: Store) -> None:
        self._held: set[str] = set()
        self._watch = RecordWatch(store, RecordKind.BLOB)
        self._revision = -1

    def without(self, records: Iterable[Record]) -> list[Record]:
        """Those that are not stored yet."""
        if self._watch.version() != self._revision:
            self._held.clear()  # another program wrote some, or something was forgotten
        return [record for record in records if record.id not in self._held]

    def note(self, records: Iterable[Record]) -> None:
        """Remember that these are stored now."""
        self._held |= {record.id for record in records if record.kind is RecordKind.BLOB}
        self._revision = self._watch.version()
