"""Texts that many contexts share (system prompts, tool schemas): each is stored once."""

from collections.abc import Iterable
from threading import Lock

from unabridged.domain.record import Record, RecordKind
from unabridged.log.record_watch import RecordWatch
from unabridged.ports import Store


class SharedTexts:
    """A cache of which shared texts are stored, so that each prompt does not store them again.

    Args:
        store: The space.
    """

    def __init__(self, store: Store) -> None:
        self._watch = RecordWatch(store, RecordKind.BLOB)
        self._lock = Lock()
        self._stored: set[str] = set()
        self._revision = -1

    def without(self, records: Iterable[Record]) -> list[Record]:
        """Return those that are not stored yet."""
        with self._lock:
            if self._watch.version() != self._revision:
                self._stored.clear()  # another program wrote some, or something was forgotten
            return [record for record in records if record.id not in self._stored]

    def note(self, records: Iterable[Record]) -> None:
        """Note that these are stored now: all of one context."""
        with self._lock:
            self._stored = {record.id for record in records if record.kind is RecordKind.BLOB}
            self._revision = self._watch.version()
