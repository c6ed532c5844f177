"""A store that holds writes back until they are saved (``auto_save`` off)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from threading import RLock
from typing import Protocol, TypeVar

from unabridged.domain.blob import Blob
from unabridged.domain.changes import Changes
from unabridged.domain.exchange import Exchange
from unabridged.domain.forgetting import Scan
from unabridged.domain.record import Record, RecordKind
from unabridged.domain.scope import SpaceId
from unabridged.domain.session import Session
from unabridged.domain.write import Batch, Totals
from unabridged.errors import StoreError
from unabridged.ports import Store, SupportsCheck, SupportsProjections, SupportsScan
from unabridged.stores.copy_space import copy
from unabridged.stores.in_memory import InMemoryStore

T = TypeVar("T")
Write = Callable[[Store], object]


class KeptStore(Store, SupportsCheck, SupportsProjections, SupportsScan, Protocol):
    """A store that stores its writes."""


class HeldWrites:
    """Holds writes of a store back until they are saved; implements ``ports.Store``.

    While writes are held, a copy of the space in memory answers: writes of others appear after
    saving. Forgetting is never held back, and first saves what is held.
    """

    def __init__(self, store: KeptStore) -> None:
        self.store = store
        self._lock = RLock()
        self._held: list[Write] = []
        self._copy: InMemoryStore | None = None
        self._shift = 0
        """The offset of the revisions of the answering store."""
        self._floor = 0
        """The first revision whose changes that store can list."""

    @property
    def space(self) -> SpaceId:
        return self.store.space

    # --- writing -------------------------------------------------------------------------------

    def append(self, batch: Batch, expect_head: str | None) -> None:
        def later(store: Store) -> None:
            there = store.session(batch.session.id)
            store.append(batch, None if there is None else there.head)

        self._hold(lambda store: store.append(batch, expect_head), later)

    def import_session(
        self,
        session: Session,
        exchanges: Sequence[Exchange],
        originals: Mapping[str, bytes] | None = None,
    ) -> int:
        given = list(exchanges)
        return self._hold(lambda store: store.import_session(session, given, originals))

    def set_session(self, session: Session, expect_head: str | None) -> None:
        def later(store: Store) -> None:
            there = store.session(session.id)
            found = None if there is None else there.head
            head = session.head if found == expect_head else found
            store.set_session(replace(session, head=head), found)

        self._hold(lambda store: store.set_session(session, expect_head), later)

    def put(self, records: Iterable[Record]) -> None:
        given = list(records)
        if given:
            self._hold(lambda store: store.put(given))

    def delete(self, kind: RecordKind, ids: Iterable[str]) -> None:
        with self._lock:
            self.save()
            self.store.delete(kind, ids)

    def erase(self, ids: Iterable[str]) -> int:
        with self._lock:
            self.save()
            return self.store.erase(ids)

    def save(self) -> int:
        with self._lock:
            count = len(self._held)
            while self._held:
                self._held[0](self.store)
                self._held.pop(0)
            if self._copy is not None:
                last = self.last_revision()
                self._copy = None
                self._shift = last + 1 - self.store.last_revision()
                self._floor = last + 1
            return count

    @property
    def unsaved(self) -> int:
        return len(self._held)

    # --- reading -------------------------------------------------------------------------------

    def recent(self, session: str, limit: int, before: str | None = None) -> list[Exchange]:
        return self._current.recent(session, limit, before)

    def get(self, ids: Iterable[str]) -> dict[str, Exchange]:
        return self._current.get(ids)

    def scan(self, after: str | None = None, limit: int = 1000) -> list[Exchange]:
        return self._current.scan(after, limit)

    def exchanges_of(self, session: str) -> list[Exchange]:
        return self._current.exchanges_of(session)

    def session(self, session_id: str) -> Session | None:
        return self._current.session(session_id)

    def sessions(self, newest: int | None = None) -> list[Session]:
        return self._current.sessions(newest)

    def counts(self) -> Mapping[str, int]:
        return self._current.counts()

    def kinds(self) -> Mapping[tuple[str, str], int]:
        return self._current.kinds()

    def records(
        self,
        kind: RecordKind,
        *,
        ids: Sequence[str] | None = None,
        newest: int | None = None,
    ) -> list[Record]:
        return self._current.records(kind, ids=ids, newest=newest)

    def blobs(self, digests: Iterable[str]) -> dict[str, Blob]:
        return self._current.blobs(digests)

    def originals(self, ids: Iterable[str]) -> dict[str, bytes]:
        return self._current.originals(ids)

    def totals(self) -> Totals:
        with self._lock:
            return replace(self._current.totals(), bytes=self.store.totals().bytes)

    @property
    def generation(self) -> str:
        return self.store.generation

    def last_revision(self) -> int:
        with self._lock:
            return self._current.last_revision() + self._shift

    def changes(self, since: int | None) -> Changes:
        with self._lock:
            start = None if since is None or since < self._floor else since - self._shift
            found = self._current.changes(start)
            return replace(found, revision=found.revision + self._shift)

    # --- keeping -------------------------------------------------------------------------------

    @property
    def troubles(self) -> Sequence[StoreError]:
        return self.store.troubles

    @property
    def notes(self) -> Sequence[str]:
        return self.store.notes

    def hold_files(self) -> AbstractContextManager[None]:
        return self.store.hold_files()

    def check(self) -> list[str]:
        return self.store.check()

    def scan_files(self, pieces: Sequence[Sequence[bytes]]) -> Scan:
        return self.store.scan_files(pieces)

    def close(self) -> None:
        with self._lock:
            self._held.clear()
            self._copy = None
            self.store.close()

    # --- the parts -----------------------------------------------------------------------------

    @property
    def _current(self) -> Store:
        with self._lock:
            return self.store if self._copy is None else self._copy

    def _hold(self, write: Callable[[Store], T], later: Write | None = None) -> T:
        with self._lock:
            if self._copy is None:
                self._begin()
            result = write(self._current)
            self._held.append(later or write)
            return result

    def _begin(self) -> None:
        held = InMemoryStore(self.space)
        copy(self.store, held)
        last = self.last_revision()
        self._copy, self._shift = held, last - held.last_revision()
        self._floor = last
