"""Pages of lists, and the cursors between them."""

import json
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from unabridged.errors import InputError
from unabridged.operations.operation import Page
from unabridged.wire.json_api import to_json

Item = TypeVar("Item")


def to_cursor(value: Any) -> str:
    """Return a place in a list, a text or a list of texts, as an opaque cursor."""
    return to_json(value).hex()


def from_cursor(text: str | None) -> Any:
    """Return the place that a cursor names; None is the beginning.

    Raises:
        InputError: It is not a cursor of this list.
    """
    if text is None:
        return None
    try:
        value = json.loads(bytes.fromhex(text))
    except (ValueError, RecursionError):
        value = None
    texts = value if isinstance(value, list) else [value]
    if not all(isinstance(each, str) for each in texts):
        raise InputError(
            "This is not a cursor of this list.", hint="Omit `cursor` to get the first page."
        )
    return value


def page_of(
    items: Sequence[Item],
    id_of: Callable[[Item], str],
    limit: int,
    cursor: str | None,
    *,
    is_reversed: bool = False,
) -> Page[Item]:
    """Return one page of a list that fits in memory and is in the order of its ids.

    Args:
        items: The whole list.
        id_of: Returns the id of an item.
        limit: Items of a page.
        cursor: ``next`` of the previous page, or None.
        is_reversed: Whether to begin at the end of the list.

    Raises:
        InputError: It is not a cursor of this list.
    """
    after = from_cursor(cursor)
    if is_reversed:
        ids = [id_of(item) for item in items]
        end = ids.index(after) if after in ids else sum(not after or i < str(after) for i in ids)
        page = items[max(0, end - limit) : end][::-1]
        return Page(page, to_cursor(id_of(page[-1])) if end > limit else None)
    ids = [id_of(item) for item in items]
    # The last item of the previous page may be gone: those after it still follow.
    begin = ids.index(after) + 1 if after in ids else sum(each <= str(after or "") for each in ids)
    page = items[begin : begin + limit]
    more = len(items) > begin + limit
    return Page(page, to_cursor(id_of(page[-1])) if more else None)
