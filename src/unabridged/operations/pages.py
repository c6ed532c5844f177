"""Pages of lists, and the opaque text that says where the next one begins."""

import json
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from unabridged.errors import InputError
from unabridged.operations.operation import Page
from unabridged.wire.json_api import to_json

Item = TypeVar("Item")


def to_cursor(value: Any) -> str:
    """Return a place in a list, a text or a list of texts, as an opaque text."""
    return to_json(value).hex()


def from_cursor(text: str | None) -> Any:
    """Read what ``to_cursor`` gave; None is the beginning.

    Raises:
        InputError: It is no cursor of ours.
    """
    if text is None:
        return None
    try:
        value = json.loads(bytes.fromhex(text))
    except (ValueError, RecursionError):
        value = None
    texts = value if isinstance(value, list) else [value]
    if not all(isinstance(each, str) for each in texts):
        raise InputError("This is no cursor of this list.", hint="Begin without a cursor.")
    return value


def page_of(
    items: Sequence[Item], id_of: Callable[[Item], str], limit: int, cursor: str | None
) -> Page[Item]:
    """Return one page of a list that is short enough to be made whole, in the order of its ids.

    Args:
        items: The whole list.
        id_of: Gives the id of an item.
        limit: Items of a page.
        cursor: ``next`` of the page before, or None.

    Raises:
        InputError: It is no cursor of ours.
    """
    after = from_cursor(cursor)
    ids = [id_of(item) for item in items]
    # The one that the last page ended with may be gone: those behind it in the order still follow.
    begin = ids.index(after) + 1 if after in ids else sum(each <= str(after or "") for each in ids)
    page = items[begin : begin + limit]
    more = len(items) > begin + limit
    return Page(page, to_cursor(id_of(page[-1])) if more else None)
