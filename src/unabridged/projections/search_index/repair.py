"""Checking a search index against the log."""

from collections.abc import Collection

from unabridged.errors import StoreError
from unabridged.ports import Store
from unabridged.projections.search_index.snapshot import IndexSnapshot
from unabridged.projections.search_index.storage import SegmentStorage


def check(store: Store, storage: SegmentStorage, snapshot: IndexSnapshot) -> list[str]:
    """Return whatever does not fit the log, in words; the index has caught up with it."""
    said: list[str] = []
    for name in snapshot.segments:
        try:
            storage.verify(name)
        except StoreError as error:
            said.append(str(error))
    return said or _differences(store.changes(None).numbers, snapshot.numbers())


def _differences(wanted: Collection[int], found: Collection[int]) -> list[str]:
    missing, stray = set(wanted) - set(found), set(found) - set(wanted)
    counted = (
        (len(missing), "exchanges are missing from the search index"),
        (len(stray), "entries of the search index are stray"),
        (len(found) - len(set(found)), "exchanges are in the search index twice"),
    )
    return [f"{number} {what}; rebuild it." for number, what in counted if number]
