"""The store of files: one space as JSON that people can read."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from threading import RLock
from typing import TypeVar

from unabridged.disk.durable import of_the_system
from unabridged.disk.folders import private_folder
from unabridged.disk.locks import locked
from unabridged.domain.batch import Batch, Totals
from unabridged.domain.changes import Changes
from unabridged.domain.exchange import Exchange
from unabridged.domain.forgetting import Scan
from unabridged.domain.proof import Sealed
from unabridged.domain.record import Record, RecordKind
from unabridged.domain.scope import Space
from unabridged.domain.session import Session
from unabridged.errors import StoreDamagedError, StoreError, StoreReadOnlyError
from unabridged.stores import refusals
from unabridged.stores.content import Content
from unabridged.stores.files import faults, tracing, verbs
from unabridged.stores.files.change import Change
from unabridged.stores.files.desk import Desk
from unabridged.stores.files.encrypting import Encryption
from unabridged.stores.files.names import Place
from unabridged.stores.guard import Guard
from unabridged.stores.inmemory import InMemoryStore

T = TypeVar("T")
Verb = Callable[[InMemoryStore, Change], T]
BUSY_TIMEOUT = 30.0
"""Seconds to wait for other writers."""
HURRY = 1.0
"""The same when closing: what is not done then is not missed."""


class FilesStore:
    """One space in files that people can read.

    Implements ``ports.Store``, ``SupportsCheck``, ``SupportsScan`` and ``SupportsSaving``.

    Every write rewrites the file that it concerns. Any number of processes share it.

    Args:
        place: Where the files lie.
        space: The space.
        layout: ``model``, ``agent`` or ``user``.
        compression: Whether files are packed (gzip) when they are written; both are read.
        auto_save: Whether everything is written at once; else it is held back until ``save``.
        create: Begin the space where there is none.
        busy_timeout: Seconds to wait for other writers.
        guard: What the files are proved by.
        encryption: How files are encrypted; None for not at all.

    Raises:
        NotFoundError: There is none, and none was to be made.
        StoreEditedError: A file was changed by hand.
        StoreDamagedError: A file is damaged; it was left untouched.
        StoreError: The folder cannot be used.
    """

    def __init__(  # noqa: PLR0913 - each is a choice of its own, and has a name
        self,
        place: Place,
        space: Space,
        *,
        layout: str = "model",
        compression: bool = False,
        auto_save: bool = True,
        create: bool = True,
        busy_timeout: float = BUSY_TIMEOUT,
        guard: Guard | None = None,
        encryption: Encryption | None = None,
    ) -> None:
        self.place = place
        self._space = space
        self._timeout = busy_timeout
        self._lock = RLock()
        self._closed = self._made = False
        self._engine: InMemoryStore | None = None
        self._auto_save = auto_save
        self._held: list[Verb[object]] = []
        self._revision = time.time_ns()
        self._pending = Change()
        self._desk = Desk(
            place, space, layout, packed=compression, guard=guard, encryption=encryption
        )
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
        self._write(
            lambda engine, change: verbs.append(engine, change, batch, expect_head),
            later=lambda engine, change: verbs.append_later(engine, change, batch),
        )

    def admit(self, session: Session, exchanges: Sequence[Exchange]) -> int:
        """Take over a conversation from elsewhere; see ``ports.Store``."""
        return self._write(lambda engine, change: verbs.admit(engine, change, session, exchanges))

    def amend(self, session: Session, expect_head: str | None) -> None:
        """Change a session's header, or create it; see ``ports.Store``."""
        self._write(
            lambda engine, change: verbs.amend(engine, change, session, expect_head),
            later=lambda engine, change: verbs.amend_later(engine, change, session, expect_head),
        )

    def put(self, records: Iterable[Record]) -> None:
        """Write records; one of the same kind and id is replaced."""
        given = list(records)
        self._write(lambda engine, change: verbs.put(engine, change, given))

    def drop(self, kind: RecordKind, ids: Iterable[str]) -> None:
        """Remove records, bytes and all; ids that name nothing are passed over."""
        given = list(ids)
        self._write(lambda engine, change: verbs.drop(engine, change, kind, given), now=True)

    def forget(self, ids: Iterable[str]) -> int:
        """Remove exchanges with everything drawn from them; see ``ports.Store``.

        It is never held back, and neither is then what was held back before.
        """
        given = list(ids)
        return self._write(lambda engine, change: verbs.forget(engine, change, given), now=True)

    def save(self) -> int:
        """Write what was held back; see ``ports.SupportsSaving``."""
        with self._lock:
            held = len(self._held)
            self._write(lambda _engine, _change: None, now=True)
            return held

    @property
    def unsaved(self) -> int:
        """How many writes are held back; see ``ports.SupportsSaving``."""
        return len(self._held)

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

    @property
    def generation(self) -> str:
        """A random id of what is in memory."""
        with self._reading() as engine:
            return engine.generation

    def last_revision(self) -> int:
        """The log's revision now."""
        with self._reading() as engine:
            return self._newest(engine)

    def changes(self, since: int | None) -> Changes:
        """What changed since a revision; see ``ports.Store``."""
        with self._reading() as engine:
            self._newest(engine)
            return engine.changes(since)

    def _newest(self, engine: InMemoryStore) -> int:
        self._revision = engine.last_revision()
        return self._revision

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

    @contextmanager
    def frozen(self) -> Iterator[InMemoryStore]:
        """The space as it is now, whatever others write meanwhile."""
        with self._reading() as engine:
            yield engine

    def sealed(self) -> Sealed | None:
        """How the space is sealed; None where it is not."""
        with self._reading():
            return self._desk.seal.sealed

    def reseal(self) -> None:
        """Write every file anew, sealed by the guard."""
        self._write(verbs.rewrite, now=True)

    def close(self) -> None:
        """Close; a second call does nothing. A space that it made for nothing goes again."""
        with self._lock:
            if self._made and not self._closed:
                with suppress(StoreError):  # an empty file that stays harms nobody
                    self._leave_nothing()
            self._closed = True
            self._engine = None

    def _leave_nothing(self) -> None:
        """Remove the file of a space in which nobody ever wrote; who has it open begins it anew."""
        with locked(self.place.lock, HURRY):
            if self._desk.find() is None:
                return
            self._load(mend=False)  # others may have written since
            if self._desk.is_blank:
                self._desk.end()

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
                self._made = True

    def _current(self) -> InMemoryStore:
        """The store in memory, as the files are now."""
        if self._closed:
            raise refusals.closed()
        if self._engine is not None and (self._held or self._desk.current):
            return self._engine
        self._engine = None
        try:
            with locked(self.place.lock, self._timeout):
                self._engine, self._pending = self._latest()
        except StoreReadOnlyError:
            self._engine = self._load(mend=False)
        return self._engine

    def _load(self, *, mend: bool) -> InMemoryStore:
        content: Content | None = self._desk.load(mend=mend)
        if content is None and mend and self._desk.is_blank:  # who made it has left it
            self._desk.begin()
            self._made, content = True, Content()
        if content is None:
            raise faults.missing(self.place.path)
        self._revision += 1_000_000  # behind everything that was ever given before
        return InMemoryStore(self._space, content, self._revision)

    @contextmanager
    def _reading(self) -> Iterator[InMemoryStore]:
        with self._lock:
            yield self._current()

    def _write(self, verb: Verb[T], *, later: Verb[object] | None = None, now: bool = False) -> T:
        """Let a verb change the store in memory, and write what it changed, or hold it back.

        Args:
            verb: Changes it, or refuses.
            later: Does the same where others wrote meanwhile; None where that is no other thing.
            now: Never hold it back.
        """
        with self._lock:
            if self._closed:
                raise refusals.closed()
            if not self._auto_save and not now:
                change = Change()
                result = verb(self._current(), change)
                if change.anything:
                    self._held.append(later or verb)
                    self._pending.add(change)
                return result
            with locked(self.place.lock, self._timeout):
                engine, change = self._latest()
                result = verb(engine, change)
                if change.anything:
                    self._engine = None  # until it is written, memory says more than the files
                    self._desk.commit(engine, change)
                    self._engine, self._held, self._pending = engine, [], Change()
                return result

    def _latest(self) -> tuple[InMemoryStore, Change]:
        """The store in memory as the files are now, with what is held back, and what that is."""
        change = Change()
        if self._engine is not None and self._desk.current:
            change.add(self._pending)
            return self._engine, change
        self._engine = None
        engine = self._load(mend=True)
        for verb in self._held:
            verb(engine, change)
        return engine, change
