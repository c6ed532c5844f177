"""The default store: one SQLite file for one space."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING
from uuid import uuid4

from unabridged.domain.blob import Blob
from unabridged.domain.changes import Changes, Written
from unabridged.domain.exchange import Exchange
from unabridged.domain.forgetting import Scan
from unabridged.domain.hash_chain import ChainHead, MacKey
from unabridged.domain.index_query import EmbedderInUse
from unabridged.domain.record import Record, RecordKind
from unabridged.domain.results import Transcript
from unabridged.domain.scope import SpaceId
from unabridged.domain.session import Session
from unabridged.domain.write import Batch, Totals
from unabridged.errors import StoreBusyError, StoreError, StoreFormatError
from unabridged.ports import Cipher, FilesProjection, Projection, SupportsExpecting
from unabridged.stores.following_files import FollowingFiles
from unabridged.stores.sqlite import (
    blobs,
    chain_setup,
    change_feed,
    check,
    copy_file,
    counters,
    erase,
    read_rows,
    scan_files,
    vector_rows,
    write_rows,
)
from unabridged.stores.sqlite.connection import ConnectionOptions
from unabridged.stores.sqlite.database import folder_of, remove_index
from unabridged.stores.sqlite.open_file import create_file, open_database
from unabridged.stores.sqlite.rows import meta_row, new_generation, space_data

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


FOLLOWED_EXCHANGES = 4096
"""Imported exchanges after which projections are updated, while files are held."""
LONG_CHARACTERS = 1_000_000
"""Characters of an exchange from which the projections are updated at once: whoever wrote it waits
anyway, and the next prompt is fast."""
COPY = "space.db"
"""The file of a backup."""


class SqliteStore:
    """One space in one SQLite file; any number of processes may share it.

    Implements ``ports.Store`` and every ``Supports…`` but saving. One object may be used from any
    thread.

    Args:
        path: The file. Its folder is made if it is missing.
        space: The space that it must hold; None for the file's own.
        create: Whether to begin a new file if there is none.
            access: How to open the file: timeout and key.

    Raises:
        NotFoundError: There is no file, and ``create`` is off.
        StoreDamagedError: The file is not a database, or damaged; it was left untouched.
        StoreFormatError: The file is of a newer format, not a store, or holds another space.
        StoreKeyError: The file is encrypted, and the key is missing or wrong.
        StoreReadOnlyError: The file must be created or updated, and cannot be written.
        StoreError: This version of SQLite can corrupt the file.
    """

    def __init__(
        self,
        path: Path,
        space: SpaceId | None = None,
        *,
        create: bool = True,
        access: ConnectionOptions | None = None,
    ) -> None:
        self._access = access = access or ConnectionOptions()
        self._projections: list[Projection] = []
        self._files = FollowingFiles()
        self._imports = RLock()
        self._imported: list[Written] = []
        if space is not None and create and not path.exists():
            create_file(path, access, _first(space, access.guard.mac_key))
        self._db = open_database(path, access)
        try:
            with self._db.read():
                self._space = SpaceId(**read_rows.meta(self._db, "space"))
                self._generation = str(read_rows.meta(self._db, "generation"))
            self._check_space(space)
            chain_setup.load_chain(self._db, access.guard)
        except BaseException:
            self._db.close()
            raise

    def _check_space(self, wanted: SpaceId | None) -> None:
        if wanted not in (None, self._space):
            raise StoreFormatError(
                f"{self._db.path} holds the space {self._space.name!r}, not the one asked for.",
                hint="Check the path; the file was left untouched.",
            )

    @property
    def space(self) -> SpaceId:
        return self._space

    @property
    def path(self) -> Path:
        """The file."""
        return self._db.path

    @property
    def index_folder(self) -> Path:
        """The folder for the files of its search index."""
        return folder_of(self._db.path)

    @property
    def cipher(self) -> Cipher | None:
        """The cipher of the files next to it; None if it is not encrypted."""
        return self._db.cipher

    @property
    def read_only(self) -> bool:
        """Whether the file can be read but not written."""
        return not self._db.writable

    @property
    def projections(self) -> tuple[Projection, ...]:
        """The attached projections."""
        return tuple(self._projections)

    def attach(self, *projections: Projection) -> None:
        """Attach projections to erase, check, rebuild and close with the store."""
        self._projections += projections

    def attach_files(self, *files: FilesProjection, follows: bool = True) -> None:
        """Attach readable files to update after each write; now, or from the next write on."""
        self._files.attached += files
        if follows:
            self._files.follow()

    def attach_others(self, others: Callable[[], Sequence[FilesProjection]]) -> None:
        """Attach what returns the readable files of other layouts, which forgetting reaches too."""
        self._files.others = others

    @property
    def troubles(self) -> list[StoreError]:
        return self._files.troubles

    @property
    def notes(self) -> list[str]:
        return self._files.notes

    @contextmanager
    def hold_files(self) -> Iterator[None]:
        try:
            with self._files.held():
                yield
        finally:
            try:
                self._follow_imports()
            finally:
                for projection in self._expecting():
                    projection.expect_no_more()

    def _expecting(self) -> list[SupportsExpecting]:
        return [one for one in self._projections if isinstance(one, SupportsExpecting)]

    def append(self, batch: Batch, expect_head: str | None) -> None:
        with self._db.write():
            write_rows.append(self._db, batch, expect_head)
        if sum(len(message.text) for message in batch.exchange.messages) >= LONG_CHARACTERS:
            self._follow(None)
        self._files.follow()

    def import_session(
        self,
        session: Session,
        exchanges: Sequence[Exchange],
        originals: Mapping[str, bytes] | None = None,
    ) -> int:
        return self.import_sessions([Transcript(session, tuple(exchanges), originals or {})])[0]

    def import_sessions(self, batch: Sequence[Transcript]) -> list[int]:
        with self._db.write():
            written = write_rows.import_sessions(self._db, batch)
        with self._imports:
            self._imported += [one for one in written if one.exchanges]
            held = sum(len(one.exchanges) for one in self._imported)
        if self._files.is_held:
            added = [exchange for one in written for exchange in one.exchanges.values()]
            for projection in self._expecting():
                projection.expect(added)
        if held >= FOLLOWED_EXCHANGES or not self._files.is_held:
            self._follow_imports()
        self._files.follow()
        return [len(one.exchanges) for one in written]

    def _follow_imports(self) -> None:
        with self._imports:
            imported, self._imported = self._imported, []
        if not imported:
            return
        exchanges = {name: each for one in imported for name, each in one.exchanges.items()}
        self._follow(Written(imported[-1].revision, exchanges))

    def _follow(self, news: Written | None) -> None:
        with suppress(StoreError):  # it is stored; a projection catches up later
            for projection in self._projections:
                projection.follow(news)

    def set_session(self, session: Session, expect_head: str | None) -> None:
        with self._db.write():
            write_rows.set_session(self._db, session, expect_head)
        self._files.follow()

    def recent(self, session: str, limit: int, before: str | None = None) -> list[Exchange]:
        with self._db.read():
            return read_rows.recent(self._db, session, limit, before)

    def get(self, ids: Iterable[str]) -> dict[str, Exchange]:
        with self._db.read():
            return read_rows.get(self._db, ids)

    def scan(self, after: str | None = None, limit: int = 1000) -> list[Exchange]:
        with self._db.read():
            return read_rows.scan(self._db, after, limit)

    def exchanges_of(self, session: str) -> list[Exchange]:
        with self._db.read():
            return read_rows.exchanges_of(self._db, session)

    def session(self, session_id: str) -> Session | None:
        with self._db.read():
            return read_rows.session(self._db, session_id)

    def sessions(self, newest: int | None = None) -> list[Session]:
        with self._db.read():
            return read_rows.sessions(self._db, newest)

    def counts(self) -> dict[str, int]:
        with self._db.read():
            return read_rows.counts(self._db)

    def kinds(self) -> dict[tuple[str, str], int]:
        with self._db.read():
            return read_rows.kinds(self._db)

    def sizes(self) -> dict[str, int]:
        with self._db.read():
            return read_rows.sizes(self._db)

    def put(self, records: Iterable[Record]) -> None:
        with self._db.write():
            count = counters.begin(self._db)
            write_rows.put(self._db, records, count)
            counters.save(self._db, count)
        self._files.follow()

    def records(
        self,
        kind: RecordKind,
        *,
        ids: Sequence[str] | None = None,
        newest: int | None = None,
    ) -> list[Record]:
        with self._db.read():
            return read_rows.records(self._db, kind, ids, newest)

    def delete(self, kind: RecordKind, ids: Iterable[str]) -> None:
        with self._db.write():
            count = counters.begin(self._db)
            for record_id in ids:
                write_rows.remove_record(self._db, kind, record_id, count)
            counters.save(self._db, count)
        self._files.follow()

    def blobs(self, digests: Iterable[str]) -> dict[str, Blob]:
        with self._db.read():
            return blobs.get(self._db, digests)

    def originals(self, ids: Iterable[str]) -> dict[str, bytes]:
        with self._db.read():
            return blobs.originals(self._db, ids)

    @property
    def generation(self) -> str:
        return self._generation

    def last_revision(self) -> int:
        with self._db.read():
            return counters.load(self._db).revision

    def changes(self, since: int | None) -> Changes:
        with self._db.read():
            return change_feed.changes(self._db, since)

    def erase(self, ids: Iterable[str]) -> int:
        """Remove exchanges, bytes and all; see ``ports.Store``.

        Raises:
            StoreBusyError: They were removed, but others read the file for so long that its log
                is not empty; forgetting again (even nothing) empties it.
            StoreEditedError: A readable file was edited by hand; nothing was forgotten.
        """
        return self._files.erase(list(ids), self._erase)

    def _erase(self, ids: Sequence[str]) -> int:
        with self._db.write():
            removed = erase.erase(self._db, ids)
        purged = self._db.purge()
        if not self._projections:
            remove_index(self._db.path)
        for projection in self._projections:
            projection.erase(removed)
        if not purged:
            raise StoreBusyError(
                f"It was removed, but other programs still read {self._db.path}, so old bytes remain "
                "in its log.",
                hint="Forget again after they have finished: it empties the log.",
            )
        return len(removed)

    def scan_files(self, pieces: Sequence[Sequence[bytes]]) -> Scan:
        with self._db.lock, self._db.translated():
            found = scan_files.scan(self._db.path, pieces)
        return self._files.scanned(found, pieces)

    def totals(self) -> Totals:
        with self._db.read():
            count = counters.load(self._db)
        return Totals(
            sessions=count.sessions,
            exchanges=count.exchanges,
            messages=count.messages,
            tokens=count.tokens,
            bytes=self._db.size(),
        )

    def embedded_by(self) -> str:
        kept = self.embedder_in_use()
        return "" if kept is None else kept.identity

    def embedder_in_use(self) -> EmbedderInUse | None:
        with self._db.read():
            return vector_rows.in_use(self._db)

    def begin_vectors(self, identity: str, dimension: int) -> None:
        with self._db.write():
            vector_rows.begin(self._db, identity, dimension)

    def missing_vectors(
        self, identity: str, limit: int, after: str | None = None
    ) -> list[Exchange]:
        with self._db.read():
            names = vector_rows.lacking(self._db, identity, limit, after)
            return list(read_rows.get(self._db, names).values())

    def put_vectors(
        self, identity: str, vectors: "Mapping[str, Sequence[NDArray[np.float32]]]"
    ) -> None:
        with self._db.write():
            vector_rows.put(self._db, identity, vectors)

    def vectors(
        self, identity: str, ids: Iterable[str]
    ) -> "dict[str, Sequence[NDArray[np.float32]]]":
        with self._db.read():
            return vector_rows.given(self._db, identity, ids)

    def packed_vectors(self, identity: str, ids: Iterable[str]) -> dict[str, bytes]:
        with self._db.read():
            return vector_rows.packed(self._db, identity, ids)

    def activate_vectors(self, identity: str, *, keep: bool = True) -> None:
        with self._db.write():
            vector_rows.switch(self._db, identity, stored=keep)

    def centroids(self, identity: str) -> bytes | None:
        with self._db.read():
            return vector_rows.centroids(self._db, identity)

    def put_centroids(self, identity: str, centroids: bytes) -> None:
        with self._db.write():
            vector_rows.put_centroids(self._db, identity, centroids)

    def chain_head(self) -> ChainHead:
        with self._db.read():
            return chain_setup.chain_head(self._db)

    @classmethod
    def moor_at(cls, path: Path, access: ConnectionOptions) -> None:
        """Store a file's state in the anchor and the home's note, even if it is older."""
        guard = access.guard
        if guard.anchor is None and guard.seen is None:
            return
        store = cls(path, create=False, access=access.for_copies())
        try:
            chain_setup.renew_anchor(store._db, guard)
            chain_setup.accept_seen(store._db, guard)
        finally:
            store.close()

    def check(self, *, index: bool = True) -> list[str]:
        with self._db.read():
            said = check.check(self._db)
        if index:
            said = said or [flaw for one in self._projections for flaw in one.check()]
            said += self._files.check()
        return said

    def backup(self, folder: str, moved: Callable[[float], None] | None = None) -> None:
        """Copy the space as it is at one moment; see ``ports.SupportsBackup``.

        The copy lacks the index, which is rebuilt from the rows; stored vectors are rows.
        """
        with self._db.read():
            pass  # a closed one is refused
        copy_file.copy(self._db.path, Path(folder) / COPY, self._access, moved or (lambda _: None))

    def rebuild(self) -> None:
        """Rebuild every index and counter from the rows; change nothing if a row is damaged."""
        with self._db.write():
            check.rebuild(self._db)
            vector_rows.repair(self._db)
        for projection in self._projections:
            projection.rebuild()
        self._files.rebuild()

    def render_files(self) -> None:
        """Write every readable file again from the log, except those edited by hand."""
        self._files.rebuild()

    def close(self) -> None:
        if self._db.is_forked:
            return  # its files and index are the parent's
        self._files.close()
        for projection in self._projections:
            projection.close()
        self._db.close()


def _first(space: SpaceId, mac_key: MacKey) -> list[tuple[str, tuple[object, ...]]]:
    uuid = uuid4().hex
    return [
        ("set meta", meta_row("space", space_data(space))),
        ("set meta", meta_row("uuid", uuid)),
        ("set meta", meta_row("generation", new_generation())),
        ("set seal", chain_setup.first_row(uuid, space_data(space), mac_key)),
        ("set tally", counters.Counters().row()),
    ]
