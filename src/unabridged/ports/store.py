"""What every store does, in the words of the domain, and what some stores can do besides.

The engine has a way without each of the latter, if there can be one.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from unabridged.domain.blob import Blob
from unabridged.domain.changes import Changes
from unabridged.domain.exchange import Exchange
from unabridged.domain.forgetting import Scan
from unabridged.domain.hash_chain import ChainHead
from unabridged.domain.index_query import EmbedderInUse
from unabridged.domain.record import Record, RecordKind
from unabridged.domain.results import Transcript
from unabridged.domain.scope import SpaceId
from unabridged.domain.session import Session
from unabridged.domain.write import Batch, Totals

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from unabridged.errors import StoreError


class Store(Protocol):
    """One space, on whatever it is kept. Every method may raise ``StoreError``."""

    @property
    def space(self) -> SpaceId:
        """The space that it holds."""
        ...

    def append(self, batch: Batch, expect_head: str | None) -> None:
        """Write a batch in one transaction; when it returns, the batch survives a power cut.

        Raises:
            HeadMovedError: The session's head is not ``expect_head``; nothing was written.
            DuplicateIdError: A message id is taken; nothing was written.
        """
        ...

    def import_session(
        self,
        session: Session,
        exchanges: Sequence[Exchange],
        originals: Mapping[str, bytes] | None = None,
    ) -> int:
        """Import a conversation in one transaction; return how many exchanges were added.

        Exchanges whose ids the space holds already are passed over, so doing it twice adds
        nothing. A session that is new gets the header as given; one that is known keeps its title
        and takes the given head only if it had none or gained exchanges behind its head.

        Args:
            session: The header, with its head.
            exchanges: Whole exchanges, parents before children.
            originals: Messages as another program stored or sent them (JSON), by message id;
                those of messages that are not added are passed over.
        """
        ...

    def set_session(self, session: Session, expect_head: str | None) -> None:
        """Change a session's header: its title, or its head to another branch; or create it.

        Raises:
            HeadMovedError: As for ``append``.
        """
        ...

    def recent(self, session: str, limit: int, before: str | None = None) -> list[Exchange]:
        """Return the last exchanges on the session's current path, oldest first.

        An unknown session has none. With ``before`` the path begins with the parent of this exchange
        instead of with the head's.
        """
        ...

    def get(self, ids: Iterable[str]) -> dict[str, Exchange]:
        """Whole exchanges by id; ids that name nothing are missing from the answer."""
        ...

    def scan(self, after: str | None = None, limit: int = 1000) -> list[Exchange]:
        """Return exchanges of all sessions and branches in the order of their ids, behind an id."""
        ...

    def exchanges_of(self, session: str) -> list[Exchange]:
        """Return every exchange of a session, of all its branches, parents before children."""
        ...

    def session(self, session_id: str) -> Session | None:
        """One session's header, or None."""
        ...

    def sessions(self, newest: int | None = None) -> list[Session]:
        """Return all sessions or the newest, the most recently updated first."""
        ...

    def counts(self) -> Mapping[str, int]:
        """How many exchanges each session holds, all branches; empty sessions are missing."""
        ...

    def put(self, records: Iterable[Record]) -> None:
        """Write records in one transaction; one of the same kind and id is replaced.

        One that was drawn from an exchange that is not there is passed over: it was forgotten while
        the record was made. The same holds for records of a batch.
        """
        ...

    def records(
        self,
        kind: RecordKind,
        *,
        ids: Sequence[str] | None = None,
        newest: int | None = None,
    ) -> list[Record]:
        """Return records of a kind in the order of their ids: all, those of some ids, or the last."""
        ...

    def delete(self, kind: RecordKind, ids: Iterable[str]) -> None:
        """Remove records; ids that name nothing are passed over."""
        ...

    def blobs(self, digests: Iterable[str]) -> dict[str, Blob]:
        """Return blobs by digest; digests that name nothing are missing from the answer."""
        ...

    def originals(self, ids: Iterable[str]) -> dict[str, bytes]:
        """Return the originals of messages by message id; messages without one are missing."""
        ...

    @property
    def generation(self) -> str:
        """A random id, given when the space was created, and a new one when it was restored."""
        ...

    def last_revision(self) -> int:
        """Return the log's revision now."""
        ...

    def changes(self, since: int | None) -> Changes:
        """Return what changed since a revision (None: everything there is); cheap if nothing did."""
        ...

    def erase(self, ids: Iterable[str]) -> int:
        """Remove exchanges with every index entry and every record drawn from them, bytes and all.

        Children of a forgotten exchange take its parent; a session whose head was forgotten takes
        the last message before it; a session left empty goes too. Return how many were removed.
        """
        ...

    def totals(self) -> Totals:
        """How much the space holds."""
        ...

    def close(self) -> None:
        """Let go of files and connections; a second call does nothing."""
        ...


@runtime_checkable
class SupportsVectors(Protocol):
    """A store that keeps vectors, all of one embedder at a time."""

    def embedded_by(self) -> str:
        """The identity of the embedder whose vectors searches use; empty for none."""
        ...

    def missing_vectors(
        self, identity: str, limit: int, after: str | None = None
    ) -> list[Exchange]:
        """Return exchanges without vectors of an embedder, in the order of their ids, behind an id."""
        ...

    def put_vectors(
        self, identity: str, vectors: Mapping[str, "Sequence[NDArray[np.float32]]"]
    ) -> None:
        """Keep vectors, durable when it returns; those of ids that name nothing are passed over.

        Each exchange has one vector for each of its passages, in their order.
        """
        ...

    def vectors(
        self, identity: str, ids: Iterable[str]
    ) -> "dict[str, Sequence[NDArray[np.float32]]]":
        """The kept vectors of an embedder, by exchange; ids without any are missing.

        Those of an embedder that costs so little that its vectors are made anew are not kept.
        """
        ...

    def packed_vectors(self, identity: str, ids: Iterable[str]) -> dict[str, bytes]:
        """The kept vectors of an embedder as the search index packs them; ids without any are missing."""
        ...

    def activate_vectors(self, identity: str, *, keep: bool = True) -> None:
        """Search with the vectors of this embedder from now on, and remove all others.

        ``keep``: whether its vectors stay stored, because they cost something to make.

        Raises:
            StoreError: Not every exchange has been embedded by it; nothing was changed.
        """
        ...

    def embedder_in_use(self) -> EmbedderInUse | None:
        """The embedder whose vectors searches use, or None."""
        ...

    def begin_vectors(self, identity: str, dimension: int) -> None:
        """Search with an embedder whose vectors need not be stored, if none is in use yet."""
        ...

    def centroids(self, identity: str) -> bytes | None:
        """The cluster centroids of an embedder's vectors, or None; results depend on them."""
        ...

    def put_centroids(self, identity: str, centroids: bytes) -> None:
        """Keep the cluster centroids of an embedder's vectors."""
        ...


@runtime_checkable
class SupportsCheck(Protocol):
    """A store that can prove that it is sound."""

    def check(self) -> list[str]:
        """Every damage found, in words; empty where there is none."""
        ...


@runtime_checkable
class SupportsChainHead(Protocol):
    """A store that chains what is stored, so that changes past the program are noticed."""

    def chain_head(self) -> ChainHead:
        """Return how far its chain has come."""
        ...


@runtime_checkable
class SupportsSizes(Protocol):
    """A store that knows how much each session takes."""

    def sizes(self) -> Mapping[str, int]:
        """Bytes of content by session, as stored; empty sessions may be missing."""
        ...


@runtime_checkable
class SupportsBackup(Protocol):
    """A store that can copy itself while others write."""

    def backup(self, folder: str, moved: Callable[[float], None] | None = None) -> None:
        """Copy the space as it is at one moment; what is written meanwhile is not in the copy.

        Args:
            folder: A new, empty folder. It gets everything that is needed to open the copy; what
                can be made anew from that (indexes) may be missing.
            moved: Told the share that is done, 0 to 1.

        Raises:
            StoreFullError: There is no room; what was written so far is to be removed.
        """
        ...


@runtime_checkable
class SupportsSaving(Protocol):
    """A store that may hold writes back until it is told to save them."""

    @property
    def unsaved(self) -> int:
        """How many writes are held back; they are lost where the process ends."""
        ...

    def save(self) -> int:
        """Write what was held back, durable when it returns; return how many writes that were.

        Raises:
            StoreError: It could not be written; it is still held back.
        """
        ...


@runtime_checkable
class SupportsProjections(Protocol):
    """A store that projections follow."""

    @property
    def troubles(self) -> "Sequence[StoreError]":
        """Why projections are not up to date; empty if they are."""
        ...

    @property
    def notes(self) -> Sequence[str]:
        """What was mended in projections since it was opened, in words."""
        ...

    def hold_files(self) -> AbstractContextManager[None]:
        """Bring projections up to date at the end of the block, not after each import."""
        ...


@runtime_checkable
class SupportsBulkImport(Protocol):
    """A store that imports many conversations in one transaction."""

    def import_sessions(self, batch: Sequence[Transcript]) -> list[int]:
        """Import conversations, all or none, as ``Store.import_session`` imports one.

        Returns:
            How many exchanges of each were new.
        """
        ...


@runtime_checkable
class SupportsScan(Protocol):
    """A store that can look through its own files for bytes, past everything that reads them."""

    def scan_files(self, pieces: Sequence[Sequence[bytes]]) -> Scan:
        """Look through every live file for pieces of text, each in every form that it may have."""
        ...
