"""A store with its search index, as the program wires it."""

from pathlib import Path

from unabridged.domain.scope import SpaceId
from unabridged.ports import Embedder, Lexicon
from unabridged.projections.search_index.index import SearchIndex
from unabridged.projections.search_index.storage import FolderStorage
from unabridged.retrieval.analyze import Analyzer
from unabridged.stores.sqlite import SqliteStore
from unabridged.stores.sqlite.connection import ConnectionOptions


def open_indexed(
    path: Path,
    space: SpaceId | None = None,
    *,
    embedder: Embedder | None = None,
    lexicon: Lexicon | None = None,
    create: bool = True,
    access: ConnectionOptions | None = None,
) -> SqliteStore:
    """Open a SQLite store with a search index attached.

    Args:
        path: The file.
        space: The space; None to take what the file says.
        embedder: What makes the vectors of exchanges; None for words only.
        lexicon: What knows the pieces of words; None for none.
        create: Whether to begin a new file where there is none.
        access: How the file is reached.
    """
    store = SqliteStore(path, space, create=create, access=access)
    storage = FolderStorage(store.index_folder, store.cipher)
    store.attach(SearchIndex(store, Analyzer(embedder, lexicon), storage))
    return store
