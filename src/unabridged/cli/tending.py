"""What is done after an answer: messages are judged, facts drawn, sessions condensed."""

from collections.abc import Callable

from unabridged.errors import UnabridgedError
from unabridged.wiring import Memory

PAGES = 1
"""Pages of each kind after one answer: what waits from before must not hold a person up."""


def tend_recorded(
    memory: Memory, note: Callable[[str], None], *, pages: int | None = PAGES
) -> None:
    """Do a little of what waits.

    Everything is recorded already and is found: what fails is told, and no failure.

    Args:
        memory: Where it was recorded.
        note: Tells a person something.
        pages: At most so many of each kind; None for all.
    """
    try:
        for step in memory.tend(pages):
            if step.note:
                note(step.note)
    except UnabridgedError as error:
        note(f"What was recorded was not judged or condensed yet: {error}")
