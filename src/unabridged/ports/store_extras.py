"""What some stores can do besides; the engine has a way without each, where there can be one."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from unabridged.domain.exchange import Exchange
from unabridged.domain.forgetting import Scan
from unabridged.domain.integrity import ChainHead
from unabridged.domain.vectors import EmbedderInUse

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from unabridged.errors import StoreError


@runtime_checkable
class SupportsVectors(Protocol):
    """A store that keeps vectors, all of one embedder at a time."""

    def embedded_by(self) -> str:
        """The identity of the embedder whose vectors searches use; empty for none."""
        ...

    def missing_vectors(
        self, identity: str, limit: int, after: str | None = None
    ) -> list[Exchange]:
        """Exchanges that have no vectors of an embedder yet, in the order of their ids.

        Args:
            identity: The embedder.
            limit: At most so many.
            after: Begin behind this id.
        """
        ...

    def put_vectors(
        self, identity: str, vectors: Mapping[str, "Sequence[NDArray[np.float32]]"]
    ) -> None:
        """Keep vectors, durable when it returns; those of ids that name nothing are passed over.

        Args:
            identity: The embedder that made them.
            vectors: By exchange, one vector for each of its passages, in their order.
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

        Args:
            identity: The embedder.
            keep: Whether its vectors stay stored, because they cost something to make.

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
        """Write what was held back, durable when it returns; where others wrote meanwhile, beside it.

        Returns:
            How many writes were held back.

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


@runtime_checkable
class SupportsScan(Protocol):
    """A store that can look through its own files for bytes, past everything that reads them."""

    def scan_files(self, pieces: Sequence[Sequence[bytes]]) -> Scan:
        """Look through every live file for pieces of text.

        Args:
            pieces: Each in every form of bytes that it may have.
        """
        ...
