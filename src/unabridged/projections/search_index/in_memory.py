"""A search index without files."""

from unabridged.ports import Store
from unabridged.projections.search_index.index import SearchIndex
from unabridged.projections.search_index.storage import MemoryStorage
from unabridged.retrieval.analyze import Analyzer


class MemorySearchIndex(SearchIndex):
    """The same index without files: it is made from the log whenever it is opened.

    Args:
        store: The log.
        analyzer: What analyses exchanges and questions.
    """

    def __init__(self, store: Store, analyzer: Analyzer | None = None) -> None:
        super().__init__(store, analyzer or Analyzer(), MemoryStorage())
