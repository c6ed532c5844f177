"""Reading a whole space, page by page, so that none has to fit in memory at once."""

from collections.abc import Iterator

from unabridged.domain.exchange import Exchange
from unabridged.ports import Store

PAGE = 64
"""Exchanges of a path that are read at once."""


def everything(store: Store) -> Iterator[Exchange]:
    """Every exchange of a space, in the order of their ids."""
    after: str | None = None
    while page := store.scan(after):
        yield from page
        after = page[-1].id


def path_of(store: Store, session: str, before: str | None = None) -> list[Exchange]:
    """Every exchange on a session's current path, oldest first; or those before one of it."""
    pages: list[list[Exchange]] = []
    while page := store.recent(session, PAGE, before):
        pages.append(page)
        if len(page) < PAGE:
            break
        before = page[0].id
    return [exchange for page in reversed(pages) for exchange in page]
