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
from unabridged.ports import Store
from unabridged.projections.json_files import file_bytes, json_document
from unabridged.projections.json_files.file_paths import PACKED, FilePaths
from unabridged.projections.json_files.layouts import KNOWN
from unabridged.projections.json_files.session_cache import (
    TOLD_BY,
    SessionCache,
    touched,
)
from unabridged.projections.json_files.writer import JsonFilesWriter

BUSY_SECONDS = 30.0
"""Seconds to wait for other writers."""
Wanted = dict[str, list[Session]]
"""The required files, each with its sessions."""


class JsonFiles:
    """The readable files of one space; implements ``ports.Projection``.

    After each write of the log, the files that it concerns are rewritten. A file edited by hand is
    never overwritten. A damaged one is set aside and rewritten.

    Args:
        locate: Returns the paths; called again if another space uses them first.
        compression: Whether to write compressed files (gzip); both kinds are read.
    """

    def __init__(
        self,
        store: Store,
        locate: Callable[[], FilePaths],
        layout: str,
        *,
        compression: bool = False,
    ) -> None:
        self._store = store
        self._locate = locate
        self._layout = KNOWN[layout]
        self._about = json_document.header_of(store.space, layout)
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
        """The paths of the files."""
        return self._writer.paths

    @property
    def notes(self) -> list[str]:
        """Repairs since it was opened, as text."""
        return list(self._writer.notes)

    def follow(self, written: Written | None = None) -> None:
        del written  # a file has a whole session
        with self._lock:
            if self._seen == self._store.last_revision() and not self._errors:
                return
            if self._is_needless():
                return
            with self._alone():
                self._follow()
            self._raise()

    def prepare_erasure(self) -> None:
        """Check every file and update it.

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
        """Rewrite one file from the log, whatever it contains.

        Raises:
            StoreError: It cannot be written; it is unchanged.
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
        """Search every file for pieces of text, in every form of bytes each may have.

        Files are named by a number: their names may have words of a session's id.
        """
        search = ByteSearch(pieces)
        for number, path in enumerate(self.paths.files() + self.paths.drafts(), 1):
            data = file_bytes.read_raw(path)
            blocks = (data[start : start + BLOCK] for start in range(0, len(data), BLOCK))
            search.through(f"{self.paths.folder.name}/{number}", blocks)
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
            with locked(self.paths.lock, BUSY_SECONDS):
                self._writer.load()
                if self._writer.state.space in ({}, self._about.space):
                    yield
                    return
            self._writer.move(self._locate())
        raise StoreError(
            f"The files in {self.paths.folder} belong to another space.",
            hint="Rename the spaces, or choose another layout.",
        )

    def _is_needless(self) -> bool:
        # Whether the log is empty, so that no folder, lock or state is needed.
        if self._store.sessions(newest=1):
            return False
        return not self.paths.state.exists() and not self.paths.files()

    def _raise(self) -> None:
        for error in self._errors.values():
            raise error

    def _holds(self, ids: set[str]) -> set[str]:
        return set(self._store.get(ids))

    def _follow(self, *, replaces_unknown: bool = False) -> None:
        writer, state, first = self._writer, self._writer.state, self._seen is None
        if first:
            writer.clean_up()
        is_known = state.generation == self._store.generation
        if not is_known:
            writer.distrust()
        since = state.revision if is_known else None
        changes = self._store.changes(since)
        fresh = touched(self._store, changes).keys()
        is_told = bool(self._layout.shows_records and changes.kinds & TOLD_BY)
        whole = not is_known or changes.full or bool(changes.erased)
        if not (first or whole or state.late or fresh or is_told):
            self._seen = state.revision = changes.revision
            return
        wanted, gone = self._wanted(fresh, everything=first or whole or bool(state.late))
        if not whole:
            due = self._due(wanted, fresh, is_told=is_told, first=first)
            wanted = {name: sessions for name, sessions in wanted.items() if name in due}
        self._catch_up(changes, since, wanted)
        before = (dict(state.files), list(state.late), state.generation)
        self._errors = {}
        for name, sessions in wanted.items():
            with self._tried(name):
                self._write(name, sessions, replaces_unknown=replaces_unknown)
        for name in gone:
            with self._tried(name):
                writer.remove(name, replaces_unknown=replaces_unknown)
        state.late = sorted(self._errors)
        state.space, state.generation = self._about.space, self._store.generation
        self._seen = state.revision = changes.revision
        if before != (state.files, state.late, state.generation):
            with self._tried(self.paths.state.name):
                writer.save()

    @contextmanager
    def _tried(self, name: str) -> Iterator[None]:
        try:
            yield
        except StoreError as error:
            self._errors[name] = error

    def _wanted(self, fresh: Iterable[str], *, everything: bool) -> tuple[Wanted, list[str]]:
        name, known = self._writer.name, self._writer.state.files
        wanted: Wanted = {}
        if everything or self.paths.main:
            for one in self._store.sessions():
                if self.paths.main or one.archived is None:
                    wanted.setdefault(name(one.id), []).append(one)
            return wanted, [other for other in known if other not in wanted]
        held = {name(session_id): self._store.session(session_id) for session_id in fresh}
        wanted = {at: [one] for at, one in held.items() if one is not None and one.archived is None}
        return wanted, [at for at in held if at in known and at not in wanted]

    def _due(self, wanted: Wanted, fresh: Iterable[str], *, is_told: bool, first: bool) -> set[str]:
        writer = self._writer
        names = set(wanted) if is_told else {writer.name(name) for name in fresh}
        names |= set(writer.state.late) | self._errors.keys()
        if first:
            names |= {name for name in wanted if not writer.is_as_written(name)}
        return names

    def _catch_up(self, changes: Changes, since: int | None, wanted: Wanted) -> None:
        if since is None:
            self._cache.clear()
        elif self._cached is None or self._cached == since:
            for name, sessions in wanted.items():
                held = self._cache.sessions.keys() & {one.id for one in sessions}
                if held or name in self._writer.state.late:
                    continue
                document = self._writer.read(name)
                if document is not None:
                    self._cache.restore(document.sessions)
            self._cache.apply(changes)
        else:
            self._cache.apply(self._store.changes(self._cached))
        self._cached = changes.revision

    def _write(self, name: str, sessions: Sequence[Session], *, replaces_unknown: bool) -> None:
        shown = [one for one in sessions if one.archived is None]
        if self._layout.shows_records:
            shown += [one for one in sessions if one.archived is not None]
        data = json_document.render(self._layout, self._cache.facts(shown), self._about)
        self._writer.write(name, data, replaces_unknown=replaces_unknown)
