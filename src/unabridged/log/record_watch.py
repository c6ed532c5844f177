"""Notice changes of records, so that what was derived from them can be cached."""

from threading import Lock

from unabridged.domain.record import RecordKind
from unabridged.ports import Store


class RecordWatch:
    """Notices changes of records of some kinds. Thread-safe."""

    def __init__(self, store: Store, *kinds: RecordKind) -> None:
        self._store = store
        self._kinds = frozenset(kinds)
        self._lock = Lock()
        self._seen: int | None = None
        self._changed = 0

    def version(self) -> int:
        """Return a number that changes whenever records of these kinds change."""
        with self._lock:
            if self._seen is None:
                self._seen = self._changed = self._store.last_revision()
                return self._changed
            changes = self._store.changes(self._seen)
            if changes.full or changes.kinds & self._kinds:
                self._changed = changes.revision
            self._seen = changes.revision
            return self._changed
