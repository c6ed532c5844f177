"""Embedding what a command recorded, where the embedder takes its time; a failure is a note."""

from collections.abc import Callable
from itertools import islice

from unabridged.errors import UnabridgedError
from unabridged.space.space import Space

PAGES = 4
"""Pages that are embedded after one answer: what waits from before must not hold a person up."""


def embed_recorded(
    space: Space,
    note: Callable[[str], None],
    *,
    pages: int | None = PAGES,
    moved: Callable[[int], None] = lambda _: None,
) -> None:
    """Embed what was recorded and has no vectors yet.

    Everything is recorded already, and words find it: a server that fails is told, and no failure.

    Args:
        space: Where it was recorded.
        note: Tells a person something.
        pages: At most so many; None for all.
        moved: Called with the exchanges that were embedded so far.
    """
    try:
        for step in islice(space.maintenance.embed(), pages):
            moved(step.done)
    except UnabridgedError as error:
        note(f"What was recorded is found by words only until it is embedded: {error}")
