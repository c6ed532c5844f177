"""Checking a search index against the log."""

from unabridged.domain.changes import Changes
from unabridged.errors import StoreError
from unabridged.projections.search_index.snapshot import IndexSnapshot
from unabridged.projections.search_index.storage import SegmentStorage


def verify(storage: SegmentStorage, snapshot: IndexSnapshot) -> list[str]:
    """Return the damage of every segment, in words."""
    said: list[str] = []
    for name in snapshot.segments:
        try:
            storage.verify(name)
        except StoreError as error:
            said.append(str(error))
    return said


def differences(everything: Changes, snapshot: IndexSnapshot) -> list[str]:
    """Return whatever does not fit the log, in words.

    Args:
        everything: What the log holds.
        snapshot: What the index holds, of the same revision.
    """
    numbers = snapshot.numbers()
    wanted, found = set(everything.numbers), set(numbers)
    counted = (
        (len(wanted - found), "exchanges are missing from the search index"),
        (len(found - wanted), "entries of the search index are stray"),
        (len(numbers) - len(found), "exchanges are in the search index twice"),
    )
    return [f"{number} {what}; rebuild it." for number, what in counted if number]
