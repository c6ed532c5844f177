"""What is done after recording: messages are judged, facts drawn, sessions condensed."""

from collections.abc import Callable

from unabridged.cli.progress import Stages
from unabridged.errors import UnabridgedError
from unabridged.wiring import Memory

PAGES = 2
"""Pages of each kind after one answer: what waits from before must not hold a person up."""
_OTHER = "Tending"
_STAGES = {
    "read": "Judging",
    "facts": "Learning",
    "requirements": "Looking for requirements",
    "condense": "Condensing",
    "periods": "Summing up months",
    "archive": "Archiving",
}
"""What a person reads of the stages of upkeep."""


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


def tend_all(memory: Memory, *, quiet: bool) -> None:
    """Do everything that waits, with a bar; what was done stays when it is interrupted.

    Args:
        memory: Where it waits.
        quiet: Whether no bar is shown.

    Raises:
        UnabridgedError: It cannot be read or stored, or the model that judges failed.
    """
    with Stages(quiet=quiet) as stages:
        for step in memory.tend():
            stages.show(_STAGES.get(step.stage, _OTHER), step.done, step.done + step.left)
