"""Reading a whole space, page by page, so that none has to fit in memory at once."""

from collections.abc import Iterator

from unabridged.domain.exchange import Exchange
from unabridged.ports import Store


def everything(store: Store) -> Iterator[Exchange]:
    """Every exchange of a space, in the order of their ids."""
    after: str | None = None
    while page := store.scan(after):
        yield from page
        after = page[-1].id
