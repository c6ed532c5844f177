"""Read a whole space page by page, and put exchanges in the order of their paths."""

from collections.abc import Iterator, Sequence

from unabridged.domain.exchange import Exchange
from unabridged.ports import Store

PAGE = 64
"""Exchanges of a path that are read in one call."""


def everything(store: Store) -> Iterator[Exchange]:
    """Yield every exchange of a space, in the order of their ids."""
    after: str | None = None
    while page := store.scan(after):
        yield from page
        after = page[-1].id


def path_of(store: Store, session: str, before: str | None = None) -> list[Exchange]:
    """Return every exchange on a session's current path, oldest first; or those before one."""
    pages: list[list[Exchange]] = []
    while page := store.recent(session, PAGE, before):
        pages.append(page)
        if len(page) < PAGE:
            break
        before = page[0].id
    return [exchange for page in reversed(pages) for exchange in page]


def parents_first(exchanges: Sequence[Exchange]) -> list[Exchange]:
    """Return exchanges by their depth, else in the given order; those in a cycle are missing."""
    there = {exchange.id for exchange in exchanges}
    followers: dict[str | None, list[Exchange]] = {}
    for exchange in exchanges:
        parent = exchange.parent if exchange.parent in there else None
        followers.setdefault(parent, []).append(exchange)
    place = {exchange.id: number for number, exchange in enumerate(exchanges)}
    found: list[Exchange] = []
    level = followers.get(None, [])
    while level:
        found += level
        below = [one for parent in level for one in followers.get(parent.id, ())]
        level = sorted(below, key=lambda one: place[one.id])
    return found
