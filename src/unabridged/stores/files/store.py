"""The store of files: one space as JSON that people can read."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import RLock

from unabridged.disk.durable import of_the_system
from unabridged.disk.folders import private_folder
from unabridged.disk.locks import locked
from unabridged.domain.batch import Batch, Totals
from unabridged.domain.exchange import Exchange
from unabridged.domain.forgetting import Scan
from unabridged.domain.proof import Sealed
from unabridged.domain.record import Record, RecordKind
from unabridged.domain.scope import Space
from unabridged.domain.session import Session
from unabridged.errors import StoreDamagedError, StoreReadOnlyError
from unabridged.stores import refusals
from unabridged.stores.content import Content
from unabridged.stores.files import faults, tracing
from unabridged.stores.files.desk import Change, Desk, header_line, news, said_line
from unabridged.stores.files.names import Place
from unabridged.stores.guard import Guard
from unabridged.stores.inmemory import InMemoryStore

BUSY_TIMEOUT = 30.0
"""Seconds to wait for other writers."""


class FilesStore:
    """One space in files that people can read.

    Implements ``ports.Store``, ``SupportsCheck`` and ``SupportsScan``.

    Every write rewrites the file that it concerns. Any number of processes share it.

    Args:
        place: Where the files lie.
        space: The space.
        layout: ``model``, ``agent`` or ``user``.
        compression: Whether files are packed (gzip) when they are written; both are read.
        create: Begin the space where there is none.
        busy_timeout: Seconds to wait for other writers.
        guard: What the files are proved by.

    Raises:
        NotFoundError: There is none, and none was to be made.
        StoreEditedError: A file was changed by hand.
        StoreDamagedError: A file is damaged; it was left untouched.
        StoreError: The folder cannot be used.
    """

    def __init__(
        self,
        place: Place,
        space: Space,
        *,
        layout: str = "model",
        compression: bool = False,
        create: bool = True,
        busy_timeout: float = BUSY_TIMEOUT,
        guard: Guard | None = None,
    ) -> None:
        self.place = place
        self._space = space
        self._timeout = busy_timeout
        self._lock = RLock()
        self._closed = False
        self._engine: InMemoryStore | None = None
        self._desk = Desk(place, space, layout, packed=compression, guard=guard)
        if create:
            self._begin()
        elif self._desk.find() is None:
            raise faults.nothing(place.path)
        self._current()

    @property
    def space(self) -> Space:
        """The space that it holds."""
        return self._space

    @property
    def layout(self) -> str:
        """``model``, ``agent`` or ``user``."""
        return self._desk.named

    @property
    def path(self) -> Path:
        """The file that is always there."""
        return self._desk.find() or self.place.path

    # --- writing -------------------------------------------------------------------------------

    def append(self, batch: Batch, expect_head: str | None) -> None:
        """Write a batch whole or not at all; see ``ports.Store``."""
        with self._writing() as (engine, change):
            engine.append(batch, expect_head)
            name = batch.session.id
            change.sessions.add(name)
            change.grown[name] = batch.exchange.id
            change.records += self._kept(engine, batch.records)
            entry = news(engine.content.entries[batch.exchange.id], batch.exchange)
            change.said.append(said_line(engine, name, entry))

    def admit(self, session: Session, exchanges: Sequence[Exchange]) -> int:
        """Take over a conversation from elsewhere; see ``ports.Store``."""
        with self._writing() as (engine, change):
            before = engine.session(session.id)
            known = set(engine.content.entries)
            added = engine.admit(session, exchanges)
            if added or before is None:
                change.sessions.add(session.id)
                change.said.append(header_line(engine.content.sessions[session.id]))
            entries = engine.content.entries
            fresh = dict.fromkeys(each.id for each in exchanges if each.id not in known)
            change.said += [said_line(engine, session.id, entries[name]) for name in fresh]
            return added

    def amend(self, session: Session, expect_head: str | None) -> None:
        """Change a session's header, or create it; see ``ports.Store``."""
        with self._writing() as (engine, change):
            before = engine.session(session.id)
            engine.amend(session, expect_head)
            if before != session:
                change.sessions.add(session.id)
                change.said.append(header_line(session))

    def put(self, records: Iterable[Record]) -> None:
        """Write records; one of the same kind and id is replaced."""
        given = list(records)
        with self._writing() as (engine, change):
            engine.put(given)
            change.records += self._kept(engine, given)

    def drop(self, kind: RecordKind, ids: Iterable[str]) -> None:
        """Remove records, bytes and all; ids that name nothing are passed over."""
        given = list(ids)
        with self._writing() as (engine, change):
            before = engine.revision(kind)
            engine.drop(kind, given)
            change.purge = engine.revision(kind) != before

    def forget(self, ids: Iterable[str]) -> int:
        """Remove exchanges with everything drawn from them; see ``ports.Store``."""
        given = list(ids)
        with self._writing() as (engine, change):
            entries = engine.content.entries
            concerned = {entries[name].exchange.session for name in given if name in entries}
            gone = engine.forget(given)
            change.sessions |= concerned
            change.purge = gone > 0
            return gone

    # --- reading -------------------------------------------------------------------------------

    def recent(self, session: str, limit: int, before: str | None = None) -> list[Exchange]:
        """The last exchanges on the session's current path, oldest first."""
        with self._reading() as engine:
            return engine.recent(session, limit, before)

    def get(self, ids: Iterable[str]) -> dict[str, Exchange]:
        """Whole exchanges by id; ids that name nothing are missing from the answer."""
        with self._reading() as engine:
            return engine.get(ids)

    def scan(self, after: str | None = None, limit: int = 1000) -> list[Exchange]:
        """Exchanges of all sessions and branches in the order of their ids."""
        with self._reading() as engine:
            return engine.scan(after, limit)

    def session(self, session_id: str) -> Session | None:
        """One session's header, or None."""
        with self._reading() as engine:
            return engine.session(session_id)

    def sessions(self, newest: int | None = None) -> list[Session]:
        """Sessions, the most recently updated first."""
        with self._reading() as engine:
            return engine.sessions(newest)

    def counts(self) -> dict[str, int]:
        """How many exchanges each session holds, all branches."""
        with self._reading() as engine:
            return engine.counts()

    def records(
        self,
        kind: RecordKind,
        *,
        ids: Sequence[str] | None = None,
        newest: int | None = None,
    ) -> list[Record]:
        """Records of a kind in the order of their ids."""
        with self._reading() as engine:
            return engine.records(kind, ids=ids, newest=newest)

    def revision(self, kind: RecordKind) -> int:
        """A number that is another one whenever records of a kind were put or removed."""
        with self._reading() as engine:
            return engine.revision(kind)

    def totals(self) -> Totals:
        """How much the space holds; ``bytes`` are those of its files."""
        with self._reading() as engine:
            return replace(engine.totals(), bytes=self._desk.sizes())

    def scan_files(self, pieces: Sequence[Sequence[bytes]]) -> Scan:
        """Look through the files for bytes; see ``ports.SupportsScan``."""
        with self._reading():
            return tracing.scan(self._desk.paths, self.place.folder, pieces)

    def check(self) -> list[str]:
        """Read every file anew; what is not as it was written, in words."""
        with self._lock:
            self._engine = None
            try:
                with self._reading():
                    return []
            except StoreDamagedError as error:
                return [str(error)]

    def sealed(self) -> Sealed | None:
        """How the space is sealed; None where it is not."""
        with self._reading():
            return self._desk.seal.sealed

    def reseal(self) -> None:
        """Write every file anew, sealed by the guard."""
        with self._writing() as (engine, change):
            change.sessions |= set(engine.content.sessions)
            change.purge = True

    def close(self) -> None:
        """Close; a second call does nothing."""
        self._closed = True
        self._engine = None

    # --- the parts -----------------------------------------------------------------------------

    def _begin(self) -> None:
        """Make the first file of a space that is new."""
        if self._desk.find() is not None:
            return
        try:
            private_folder(self.place.folder)
        except OSError as error:
            raise of_the_system(error, self.place.folder) from error
        with locked(self.place.lock, self._timeout):
            if self._desk.load() is None:
                self._desk.begin()
                self._engine = InMemoryStore(self._space)

    def _current(self) -> InMemoryStore:
        """The store in memory, as the files are now."""
        if self._closed:
            raise refusals.closed()
        if self._engine is not None and self._desk.current:
            return self._engine
        self._engine = None
        try:
            with locked(self.place.lock, self._timeout):
                return self._load(mend=True)
        except StoreReadOnlyError:
            return self._load(mend=False)

    def _load(self, *, mend: bool) -> InMemoryStore:
        content: Content | None = self._desk.load(mend=mend)
        if content is None:
            raise faults.missing(self.place.path)
        self._engine = InMemoryStore(self._space, content)
        return self._engine

    @contextmanager
    def _reading(self) -> Iterator[InMemoryStore]:
        with self._lock:
            yield self._current()

    @contextmanager
    def _writing(self) -> Iterator[tuple[InMemoryStore, Change]]:
        """Let a block change the store in memory, and write what it changed."""
        with self._lock:
            if self._closed:
                raise refusals.closed()
            with locked(self.place.lock, self._timeout):
                engine = self._engine
                if engine is None or not self._desk.current:
                    self._engine = None
                    engine = self._load(mend=True)
                change = Change()
                yield engine, change
                if change.anything:
                    self._engine = None  # until it is written, memory says more than the files
                    self._desk.commit(engine, change)
                    self._engine = engine

    def _kept(
        self, engine: InMemoryStore, records: Iterable[Record]
    ) -> Iterator[tuple[Record, bytes]]:
        """Those that were not passed over; of several with one id the last."""
        found = (engine.content.records.kept(record) for record in records)
        return (kept for kept in found if kept is not None)
