"""The protocol of every store, and a protocol for each ability that only some stores have.

The engine has a fallback for each such ability if there can be one.
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
    """The log of one space, on any medium. Every method may raise ``StoreError``."""

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
        nothing. A new session gets the given header. A known one keeps its title, and takes the given
        head only if it had none or gained exchanges after its head.

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
        """Return whole exchanges by id; unknown ids are missing from the result."""
        ...

    def scan(self, after: str | None = None, limit: int = 1000) -> list[Exchange]:
        """Return exchanges of all sessions and branches in the order of their ids, after an id."""
        ...

    def exchanges_of(self, session: str) -> list[Exchange]:
        """Return every exchange of a session, of all its branches, parents before children."""
        ...

    def session(self, session_id: str) -> Session | None:
        """Return one session's header, or None."""
        ...

    def sessions(self, newest: int | None = None) -> list[Session]:
        """Return all sessions or the newest, the most recently updated first."""
        ...

    def counts(self) -> Mapping[str, int]:
        """Return how many exchanges each session holds, all branches; empty sessions are missing."""
        ...

    def kinds(self) -> Mapping[tuple[str, str], int]:
        """How many exchanges there are of each state and model, "" for an unknown model."""
        ...

    def put(self, records: Iterable[Record]) -> None:
        """Write records in one transaction; one of the same kind and id is replaced.

        A record made from an exchange that no longer exists is passed over: the exchange was forgotten
        while the record was made. The same holds for records of a batch.
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
        """Remove records; unknown ids are passed over."""
        ...

    def blobs(self, digests: Iterable[str]) -> dict[str, Blob]:
        """Return blobs by digest; unknown digests are missing from the result."""
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
        """Remove exchanges with every index entry and every record made from them, to the last byte.

        Children of a forgotten exchange take its parent; a session whose head was forgotten takes
        the last message before it; a session left empty goes too. Return how many were removed.
        """
        ...

    def totals(self) -> Totals:
        """Return how much the space holds."""
        ...

    def close(self) -> None:
        """Close files and connections; a second call does nothing."""
        ...


@runtime_checkable
class SupportsVectors(Protocol):
    """A store that keeps vectors, all of one embedder at a time."""

    def embedded_by(self) -> str:
        """Return the identity of the embedder whose vectors searches use; empty for none."""
        ...

    def missing_vectors(
        self, identity: str, limit: int, after: str | None = None
    ) -> list[Exchange]:
        """Return exchanges without vectors of an embedder, in the order of their ids, after an id."""
        ...

    def put_vectors(
        self, identity: str, vectors: Mapping[str, "Sequence[NDArray[np.float32]]"]
    ) -> None:
        """Store vectors, durable when it returns; those of unknown ids are passed over.

        Each exchange has one vector for each of its passages, in their order.
        """
        ...

    def vectors(
        self, identity: str, ids: Iterable[str]
    ) -> "dict[str, Sequence[NDArray[np.float32]]]":
        """Return the stored vectors of an embedder by exchange; ids without any are missing.

        Vectors of a cheap embedder are computed again and are not stored.
        """
        ...

    def packed_vectors(self, identity: str, ids: Iterable[str]) -> dict[str, bytes]:
        """Return the stored vectors as the search index packs them; ids without any are missing."""
        ...

    def activate_vectors(self, identity: str, *, keep: bool = True) -> None:
        """Search with the vectors of this embedder from now on, and remove all others.

        ``keep``: whether its vectors stay stored, because they were costly.

        Raises:
            StoreError: Not every exchange has been embedded by it; nothing was changed.
        """
        ...

    def embedder_in_use(self) -> EmbedderInUse | None:
        """Return the embedder whose vectors searches use, or None."""
        ...

    def begin_vectors(self, identity: str, dimension: int) -> None:
        """Search with an embedder whose vectors need not be stored, if none is in use yet."""
        ...

    def centroids(self, identity: str) -> bytes | None:
        """Return the cluster centroids of an embedder's vectors, or None; results depend on them."""
        ...

    def put_centroids(self, identity: str, centroids: bytes) -> None:
        """Store the cluster centroids of an embedder's vectors."""
        ...


@runtime_checkable
class SupportsCheck(Protocol):
    """A store that can check itself for damage."""

    def check(self) -> list[str]:
        """Return every damage found, in words; empty if there is none."""
        ...


@runtime_checkable
class SupportsChainHead(Protocol):
    """A store with a hash chain, so that changes made outside the program are noticed."""

    def chain_head(self) -> ChainHead:
        """Return the end of its chain."""
        ...


@runtime_checkable
class SupportsSizes(Protocol):
    """A store that can measure each session."""

    def sizes(self) -> Mapping[str, int]:
        """Return the bytes of content by session, as stored; empty sessions may be missing."""
        ...


@runtime_checkable
class SupportsBackup(Protocol):
    """A store that can copy itself while others write."""

    def backup(self, folder: str, moved: Callable[[float], None] | None = None) -> None:
        """Copy the space as it is at one moment; later writes are not in the copy.

        Args:
            folder: A new, empty folder. It gets everything that opening the copy needs; what can be
                rebuilt from that (indexes) may be missing.
            moved: Called with the share that is done, 0 to 1.

        Raises:
            StoreFullError: The disk is full; remove what was written so far.
        """
        ...


@runtime_checkable
class SupportsSaving(Protocol):
    """A store that may hold writes back until it is told to save them."""

    @property
    def unsaved(self) -> int:
        """Return how many writes are held back; they are lost if the process ends."""
        ...

    def save(self) -> int:
        """Write what was held back, durable when it returns; return the number of writes.

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
        """What was repaired in projections since it was opened, in words."""
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
    """A store that can scan its files for bytes, without using its own readers."""

    def scan_files(self, pieces: Sequence[Sequence[bytes]]) -> Scan:
        """Scan every live file for texts, each in every encoding that it may have."""
        ...
