"""Pages of lists that are short enough to be made whole."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from unabridged.server.routes.json_responses import Page, from_cursor

Item = TypeVar("Item")


def sliced(
    items: Sequence[Item], name: Callable[[Item], str], limit: int, cursor: str | None
) -> Page:
    """Give one page of a list in the order of its ids.

    Args:
        items: The whole list.
        name: The id of an item.
        limit: Items of a page.
        cursor: As the client sent it, or None.
    """
    after = from_cursor(cursor)
    ids = [name(item) for item in items]
    # The one that the last page ended with may be gone: those behind it in the order still follow.
    begin = ids.index(after) + 1 if after in ids else sum(each <= str(after or "") for each in ids)
    page = items[begin : begin + limit]
    more = len(items) > begin + limit
    return Page(page, name(page[-1]) if more else None)
