"""Adds vectors to recorded exchanges, for embedders that take time.

Every page is durable when it is reported, so an interrupted run continues where it stopped.
Searches use the old vectors until all new ones are there.
"""

from collections.abc import Iterator

from unabridged.domain.results import MaintenanceProgress
from unabridged.errors import StoreError
from unabridged.ports import Embedder, Store, SupportsVectors
from unabridged.retrieval.passages import passages

PAGE = 32
"""Exchanges to embed between two reports."""
ROUNDS = 5
"""How often to embed new exchanges before the switch."""


def keeps_vectors(store: Store) -> SupportsVectors:
    """Return the store if it keeps vectors.

    Raises:
        StoreError: It keeps none.
    """
    if isinstance(store, SupportsVectors):
        return store
    raise StoreError(
        "This store keeps no vectors.", hint="Use the SQLite store: set store to sqlite."
    )


def enrich(store: Store, embedder: Embedder) -> Iterator[MaintenanceProgress]:
    """Embed every exchange that has no vectors of an embedder yet.

    Raises:
        StoreError: The store keeps no vectors.
        UpstreamError: The server that embeds failed; finished pages are kept.
    """
    keeper = keeps_vectors(store)
    total = store.totals().exchanges
    done = 0
    after: str | None = None
    while page := keeper.missing_vectors(embedder.identity, PAGE, after):
        found = [passages(exchange) for exchange in page]
        vectors = embedder.embed([passage.text for some in found for passage in some])
        start = 0
        made = {}
        for exchange, some in zip(page, found, strict=True):
            made[exchange.id] = list(vectors[start : start + len(some)])
            start += len(some)
        keeper.put_vectors(embedder.identity, made)
        after = page[-1].id
        done += len(page)
        yield MaintenanceProgress("embed", done, max(0, total - done))


def reembed(store: Store, embedder: Embedder) -> Iterator[MaintenanceProgress]:
    """Embed everything with another embedder, then search with its vectors.

    What is recorded while it runs is embedded before the switch.

    Raises:
        StoreError: As for ``enrich``; or other programs record faster than it embeds.
        UpstreamError: The server that embeds failed; finished pages are kept.
    """
    keeper = keeps_vectors(store)
    if keeper.embedded_by() == embedder.identity:
        yield from enrich(store, embedder)
        return
    for _ in range(ROUNDS):
        yield from enrich(store, embedder)
        try:
            keeper.activate_vectors(embedder.identity, keep=not embedder.instant)
        except StoreError:
            if not keeper.missing_vectors(embedder.identity, 1):
                raise
        else:
            return
    keeper.activate_vectors(embedder.identity, keep=not embedder.instant)
