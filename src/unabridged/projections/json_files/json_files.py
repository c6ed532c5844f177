"""The readable files of one space: a projection that follows its log."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from threading import RLock

from unabridged.disk.atomic_write import of_the_system
from unabridged.disk.byte_search import BLOCK, ByteSearch
from unabridged.disk.folders import private_folder
from unabridged.disk.locks import locked
from unabridged.domain.changes import Changes, Written
from unabridged.domain.forgetting import Scan
from unabridged.domain.session import Session
from unabridged.errors import StoreError
from unabridged.projections.json_files import file_bytes, json_document
from unabridged.projections.json_files.file_paths import PACKED, FilePaths
from unabridged.projections.json_files.layout import LayoutHeader
from unabridged.projections.json_files.layouts import KNOWN
from unabridged.projections.json_files.session_cache import (
    TOLD_BY,
    SessionCache,
    SessionLog,
    touched,
)
from unabridged.projections.json_files.writer import JsonFilesWriter

BUSY_SECONDS = 30.0
"""How long other writers are waited for."""
Wanted = dict[str, list[Session]]
"""The files that there must be, each with its sessions."""


class JsonFiles:
    """The readable files of one space; implements ``ports.Projection``.

    Each write of the log rewrites the files that it concerns, after the log has it. A file that was
    edited by hand is never overwritten. A damaged one is set aside and written again.

    Args:
        store: The log.
        locate: Returns where the files are; asked again if another space takes that place first.
        layout: ``model``, ``agent`` or ``user``.
        compression: Whether files are packed (gzip) when they are written; both are read.
        busy_seconds: How long other writers are waited for.
    """

    def __init__(
        self,
        store: SessionLog,
        locate: Callable[[], FilePaths],
        layout: str,
        *,
        compression: bool = False,
        busy_seconds: float = BUSY_SECONDS,
    ) -> None:
        self._store = store
        self._locate = locate
        self._layout = KNOWN[layout]
        self._about = json_document.header_of(store.space, layout)
        self._busy_seconds = busy_seconds
        self._lock = RLock()
        self._writer = JsonFilesWriter(
            locate(), store.space, self._layout, packed=compression, holds=self._holds
        )
        self._cache = SessionCache(store, self._layout)
        self._cached: int | None = None
        self._seen: int | None = None
        self._errors: dict[str, StoreError] = {}

    @property
    def paths(self) -> FilePaths:
        """Where the files are."""
        return self._writer.paths

    @property
    def notes(self) -> list[str]:
        """What was mended since it was opened, in words."""
        return list(self._writer.notes)

    def follow(self, written: Written | None = None) -> None:
        del written  # a file holds a whole session
        with self._lock:
            if self._seen == self._store.last_revision() and not self._errors:
                return
            if self._is_needless():
                return
            with self._alone():
                self._follow()
            self._raise()

    def prepare_erasure(self) -> None:
        """Look at every file, and bring it up to date.

        Raises:
            StoreEditedError: One was edited by hand.
            StoreError: One cannot be written.
        """
        with self._lock:
            self._seen = None
            self.follow()

    def erase(self, ids: Iterable[str]) -> None:
        with self._lock:
            if not list(ids) or self._is_needless():
                return
            with self._alone():
                self._writer.clean_up()
                self._follow()
            self._raise()

    def check(self) -> list[str]:
        with self._lock:
            self._writer.load()
            there = {path.name for path in self.paths.files()}
            return self._writer.faults(sorted(there | self._writer.state.files.keys()))

    def rebuild(self) -> None:
        with self._lock:
            if self._is_needless():
                return
            with self._alone():
                self._writer.distrust()
                self._seen = None
                self._follow(replaces_unknown=True)
            self._raise()

    def write_again(self, name: str) -> None:
        """Write one file again from the log, whatever it holds.

        Args:
            name: Its name, packed or not.

        Raises:
            StoreError: It cannot be written; it is as it was.
        """
        plain = name.removesuffix(PACKED)
        with self._lock, self._alone():
            for known in (plain, plain + PACKED):
                self._writer.release(known)
            self._seen = None
            self._follow()
            for wanted in (plain, plain + PACKED):
                if wanted in self._errors:
                    raise self._errors[wanted]

    def scan(self, pieces: Sequence[Sequence[bytes]]) -> Scan:
        """Search every file for pieces of text.

        Args:
            pieces: Each in every form of bytes that it may have.
        """
        search = ByteSearch(pieces)
        for path in self.paths.files() + self.paths.drafts():
            data = file_bytes.read_raw(path)
            blocks = (data[start : start + BLOCK] for start in range(0, len(data), BLOCK))
            search.through(path.name, blocks)
        return Scan(tuple(search.files), search.bytes, tuple(sorted(search.found)))

    def close(self) -> None:
        self._cache.clear()

    # --- the parts -----------------------------------------------------------------------------

    @contextmanager
    def _alone(self) -> Iterator[None]:
        for _ in range(2):
            folder = self.paths.folder
            try:
                private_folder(folder)
            except OSError as error:
                raise of_the_system(error, folder) from error
            with locked(self.paths.lock, self._busy_seconds):
                self._writer.load()
                if self._writer.state.space in ({}, self._about.space):
                    yield
                    return
            self._writer.move(self._locate())
        raise StoreError(
            f"Another space holds the files in {self.paths.folder}.",
            hint="Give the spaces other names, or choose another layout.",
        )

    def _is_needless(self) -> bool:
        # Whether nothing was ever said, so that nobody needs a folder, a lock or a state.
        if self._store.sessions(newest=1):
            return False
        return not self.paths.state.exists() and not self.paths.files()

    def _raise(self) -> None:
        for error in self._errors.values():
            raise error

    def _holds(self, ids: set[str]) -> set[str]:
        return set(self._store.get(ids))

    def _follow(self, *, replaces_unknown: bool = False) -> None:
        state, first = self._writer.state, self._seen is None
        if first:
            self._writer.clean_up()
        is_known = state.generation == self._store.generation
        if not is_known:
            self._writer.distrust()
        since = state.revision if is_known else None
        changes = self._store.changes(since)
        whole = not is_known or changes.full or bool(changes.erased)
        if not (first or whole or state.late or self._is_shown(changes)):
            self._seen = state.revision = changes.revision
            return
        wanted, gone = self._wanted(changes, everything=first or whole or bool(state.late))
        if not whole:
            wanted = self._due(wanted, changes, first=first)
        self._catch_up(changes, since, wanted)
        before = (dict(state.files), list(state.late), state.generation)
        self._errors = {}
        for name, sessions in wanted.items():
            with self._tried(name):
                self._write(name, sessions, replaces_unknown=replaces_unknown)
        for name in gone:
            with self._tried(name):
                self._writer.remove(name, replaces_unknown=replaces_unknown)
        state.late = sorted(self._errors)
        state.space, state.generation = self._about.space, self._store.generation
        self._seen = state.revision = changes.revision
        if before != (state.files, state.late, state.generation):
            with self._tried(self.paths.state.name):
                self._writer.save()

    @contextmanager
    def _tried(self, name: str) -> Iterator[None]:
        try:
            yield
        except StoreError as error:
            self._errors[name] = error

    def _is_shown(self, changes: Changes) -> bool:
        told = self._layout.shows_records and changes.kinds & TOLD_BY
        return bool(changes.written or changes.moved or changes.sessions or told)

    def _wanted(self, changes: Changes, *, everything: bool) -> tuple[Wanted, list[str]]:
        writer, known = self._writer, self._writer.state.files
        if self.paths.main:
            sessions = self._store.sessions()
            name = writer.name("")
            wanted = {name: sessions} if sessions else {}
            return wanted, [other for other in known if other not in wanted]
        if everything:
            active = [one for one in self._store.sessions() if one.archived is None]
            wanted = {writer.name(one.id): [one] for one in active}
            return wanted, [other for other in known if other not in wanted]
        wanted, gone = {}, []
        for session_id in touched(self._store, changes):
            name, session = writer.name(session_id), self._store.session(session_id)
            if session is not None and session.archived is None:
                wanted[name] = [session]
            elif name in known:
                gone.append(name)
        return wanted, gone

    def _due(self, wanted: Wanted, changes: Changes, *, first: bool) -> Wanted:
        writer = self._writer
        if self.paths.main:
            names = set(wanted) if self._is_shown(changes) else set()
        else:
            names = {writer.name(name) for name in touched(self._store, changes)}
        names |= set(writer.state.late) | self._errors.keys()
        if first:
            names |= {name for name in wanted if not writer.is_as_written(name)}
        return {name: sessions for name, sessions in wanted.items() if name in names}

    def _catch_up(self, changes: Changes, since: int | None, wanted: Wanted) -> None:
        if since is None:
            self._cache.clear()
        elif self._cached is None or self._cached == since:
            for name, sessions in wanted.items():
                if name in self._writer.state.late or self._cache.holds_any(sessions):
                    continue
                document = self._writer.read(name)
                if document is not None:
                    self._cache.restore(document.sessions)
            self._cache.apply(changes)
        else:
            self._cache.apply(self._store.changes(self._cached))
        self._cached = changes.revision

    def _write(self, name: str, sessions: Sequence[Session], *, replaces_unknown: bool) -> None:
        active = [self._cache.get(one) for one in sessions if one.archived is None]
        shown = list(active)
        if self._layout.shows_records:
            shown += [self._cache.get(one) for one in sessions if one.archived is not None]
        head = LayoutHeader(self._store.space, self._cache.texts(shown), self._cache.window())
        data = json_document.render(self._layout, self._layout.heads(head), self._about, active)
        self._writer.write(name, data, replaces_unknown=replaces_unknown)
