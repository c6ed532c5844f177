"""A store whose projections follow each write."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Protocol

from unabridged.domain.blob import Blob
from unabridged.domain.changes import Changes
from unabridged.domain.exchange import Exchange
from unabridged.domain.forgetting import Scan
from unabridged.domain.integrity import ChainHead
from unabridged.domain.record import Record, RecordKind
from unabridged.domain.scope import SpaceId
from unabridged.domain.session import Session
from unabridged.domain.vectors import EmbedderInUse
from unabridged.domain.write import Batch, Totals
from unabridged.errors import StoreError
from unabridged.ports import (
    Projection,
    Store,
    SupportsBackup,
    SupportsChainHead,
    SupportsCheck,
    SupportsScan,
    SupportsSizes,
    SupportsVectors,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class FilesProjection(Projection, Protocol):
    """A projection into files that hold what was said."""

    @property
    def notes(self) -> list[str]:
        """What was mended since it was opened, in words."""
        ...

    def prepare_erasure(self) -> None:
        """Look at every file, and bring it up to date.

        Raises:
            StoreEditedError: One was edited by hand.
            StoreError: One cannot be written.
        """
        ...

    def scan(self, pieces: Sequence[Sequence[bytes]]) -> Scan:
        """Search every file for pieces of text.

        Args:
            pieces: Each in every form of bytes that it may have.
        """
        ...


class Log(
    Store,
    SupportsVectors,
    SupportsCheck,
    SupportsChainHead,
    SupportsSizes,
    SupportsBackup,
    SupportsScan,
    Protocol,
):
    """A log on the disk that projections can follow."""

    @property
    def path(self) -> Path:
        """The file."""
        ...

    @property
    def read_only(self) -> bool:
        """Whether the file can be read but not written."""
        ...

    def exchanges_of(self, session: str) -> list[Exchange]:
        """Return every exchange of a session, of all its branches, parents before children."""
        ...

    def rebuild(self) -> None:
        """Make every index and counter again from the rows."""
        ...


class FollowedStore:
    """A log whose projections follow each write; implements ``ports.Store``.

    A projection that fails never fails a write: the log has it. The failure is kept in ``troubles``,
    and the next write, opening or forgetting tries again. Only forgetting fails with it, because
    a file would keep what was forgotten.

    Args:
        log: The log.
        projections: What follows it.
        follows: Whether they are brought up to date at once; else with the first write.
    """

    def __init__(
        self, log: Log, projections: Sequence[FilesProjection], *, follows: bool = True
    ) -> None:
        self.log = log
        self.projections = projections
        self._errors: list[StoreError] = []
        self._lock = RLock()  # one thread at a time writes files
        if follows:
            self._follow()

    @property
    def space(self) -> SpaceId:
        return self.log.space

    @property
    def path(self) -> Path:
        """The file of the log."""
        return self.log.path

    @property
    def read_only(self) -> bool:
        """Whether the log can be read but not written."""
        return self.log.read_only

    @property
    def troubles(self) -> list[StoreError]:
        return list(self._errors)

    @property
    def notes(self) -> list[str]:
        return [note for one in self.projections for note in one.notes]

    # --- writing -------------------------------------------------------------------------------

    def append(self, batch: Batch, expect_head: str | None) -> None:
        self.log.append(batch, expect_head)
        self._follow()

    def import_session(
        self,
        session: Session,
        exchanges: Sequence[Exchange],
        originals: Mapping[str, bytes] | None = None,
    ) -> int:
        added = self.log.import_session(session, exchanges, originals)
        self._follow()
        return added

    def set_session(self, session: Session, expect_head: str | None) -> None:
        self.log.set_session(session, expect_head)
        self._follow()

    def put(self, records: Iterable[Record]) -> None:
        self.log.put(records)
        self._follow()

    def delete(self, kind: RecordKind, ids: Iterable[str]) -> None:
        self.log.delete(kind, ids)
        self._follow()

    def erase(self, ids: Iterable[str]) -> int:
        """Remove exchanges from the log and from every file; see ``ports.Store``.

        Raises:
            StoreEditedError: A file was edited by hand; nothing was forgotten.
            StoreError: A file cannot be written. Forgetting again goes on.
        """
        gone = list(ids)
        with self._lock:
            for one in self.projections:
                one.prepare_erasure()
            removed = self.log.erase(gone)
            for one in self.projections:
                one.erase(gone)
        return removed

    def put_vectors(
        self, identity: str, vectors: "Mapping[str, Sequence[NDArray[np.float32]]]"
    ) -> None:
        self.log.put_vectors(identity, vectors)

    def activate_vectors(self, identity: str, *, keep: bool = True) -> None:
        self.log.activate_vectors(identity, keep=keep)

    # --- reading -------------------------------------------------------------------------------

    def recent(self, session: str, limit: int, before: str | None = None) -> list[Exchange]:
        return self.log.recent(session, limit, before)

    def get(self, ids: Iterable[str]) -> dict[str, Exchange]:
        return self.log.get(ids)

    def scan(self, after: str | None = None, limit: int = 1000) -> list[Exchange]:
        return self.log.scan(after, limit)

    def exchanges_of(self, session: str) -> list[Exchange]:
        """Return every exchange of a session, of all its branches, parents before children."""
        return self.log.exchanges_of(session)

    def session(self, session_id: str) -> Session | None:
        return self.log.session(session_id)

    def sessions(self, newest: int | None = None) -> list[Session]:
        return self.log.sessions(newest)

    def counts(self) -> Mapping[str, int]:
        return self.log.counts()

    def sizes(self) -> Mapping[str, int]:
        return self.log.sizes()

    def records(
        self,
        kind: RecordKind,
        *,
        ids: Sequence[str] | None = None,
        newest: int | None = None,
    ) -> list[Record]:
        return self.log.records(kind, ids=ids, newest=newest)

    def blobs(self, digests: Iterable[str]) -> dict[str, Blob]:
        return self.log.blobs(digests)

    def originals(self, ids: Iterable[str]) -> dict[str, bytes]:
        return self.log.originals(ids)

    @property
    def generation(self) -> str:
        return self.log.generation

    def last_revision(self) -> int:
        return self.log.last_revision()

    def changes(self, since: int | None) -> Changes:
        return self.log.changes(since)

    def totals(self) -> Totals:
        return self.log.totals()

    def embedded_by(self) -> str:
        return self.log.embedded_by()

    def missing_vectors(
        self, identity: str, limit: int, after: str | None = None
    ) -> list[Exchange]:
        return self.log.missing_vectors(identity, limit, after)

    def vectors(
        self, identity: str, ids: Iterable[str]
    ) -> "dict[str, Sequence[NDArray[np.float32]]]":
        return self.log.vectors(identity, ids)

    def packed_vectors(self, identity: str, ids: Iterable[str]) -> dict[str, bytes]:
        return self.log.packed_vectors(identity, ids)

    def embedder_in_use(self) -> EmbedderInUse | None:
        return self.log.embedder_in_use()

    def begin_vectors(self, identity: str, dimension: int) -> None:
        self.log.begin_vectors(identity, dimension)

    def centroids(self, identity: str) -> bytes | None:
        return self.log.centroids(identity)

    def put_centroids(self, identity: str, centroids: bytes) -> None:
        self.log.put_centroids(identity, centroids)

    # --- keeping -------------------------------------------------------------------------------

    def chain_head(self) -> ChainHead:
        return self.log.chain_head()

    def scan_files(self, pieces: Sequence[Sequence[bytes]]) -> Scan:
        scans = [self.log.scan_files(pieces), *(one.scan(pieces) for one in self.projections)]
        return Scan(
            tuple(file for one in scans for file in one.files),
            sum(one.bytes for one in scans),
            tuple(sorted({number for one in scans for number in one.found})),
        )

    def check(self) -> list[str]:
        return self.log.check() + [said for one in self.projections for said in one.check()]

    def backup(self, folder: str, moved: Callable[[float], None] | None = None) -> None:
        self.log.backup(folder, moved)

    def rebuild(self) -> None:
        self.log.rebuild()
        self.render()

    def render(self) -> None:
        """Make every projection again from the log."""
        self._try(lambda one: one.rebuild())

    def close(self) -> None:
        for one in self.projections:
            one.close()
        self.log.close()

    # --- the parts -----------------------------------------------------------------------------

    def _follow(self) -> None:
        self._try(lambda one: one.follow())

    def _try(self, act: Callable[[FilesProjection], None]) -> None:
        with self._lock:
            errors: list[StoreError] = []
            for one in self.projections:
                try:
                    act(one)
                except StoreError as error:
                    errors.append(error)
            self._errors = errors
