"""The protocol of the search index."""

from typing import Protocol

from unabridged.domain.index_query import IndexHits, IndexQuery


class SearchIndexPort(Protocol):
    """An index of the words and vectors of one space. Thread-safe."""

    def embedded_by(self) -> str | None:
        """Return the identity of the embedder whose vectors it compares.

        Empty if it compares words only or is empty, None if it takes the vectors of any embedder.
        """
        ...

    def search(self, query: IndexQuery) -> IndexHits:
        """Return the exchanges that match a query by words or by vectors, in no order.

        What was written before the call is found; what was erased is not.
        """
        ...
