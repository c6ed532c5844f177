"""What is done after recording: embedding, judging, drawing facts, condensing."""

from collections.abc import Callable
from itertools import islice

from unabridged.cli.progress import Stages
from unabridged.domain.session import Session
from unabridged.errors import UnabridgedError
from unabridged.ports import ChatModel
from unabridged.space.space import Space

PAGES = 2
"""Pages of each kind after one answer: what waits from before must not hold a person up."""
EMBEDDED = 4
"""Pages that are embedded after one answer."""
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


def maintain_recorded(
    space: Space,
    note: Callable[[str], None],
    *,
    session: Session | None = None,
    model: ChatModel | None = None,
    pages: int | None = PAGES,
) -> None:
    """Do a little of what waits.

    Everything is recorded already and is found: what fails is told, and no failure.

    Args:
        space: Where it was recorded.
        note: Tells a person something.
        session: The session that is being talked in; None for the newest.
        model: The model that may write; None for the space's own.
        pages: At most so many of each kind; None for all.
    """
    try:
        current = session or space.sessions.newest()
        steps = space.maintenance.run(
            current.id if current else None,
            pages=pages,
            threshold=space.contexts.last_memory(),
            model=model,
        )
        for step in steps:
            if step.note:
                note(step.note)
    except UnabridgedError as error:
        note(f"What was recorded was not judged or condensed yet: {error}")


def maintain_all(space: Space, session: Session | None, *, quiet: bool) -> None:
    """Do everything that waits, with a bar; what was done stays when it is interrupted.

    Args:
        space: Where it waits.
        session: The session that is being talked in, or None.
        quiet: Whether no bar is shown.

    Raises:
        UnabridgedError: It cannot be read or stored, or the model that judges failed.
    """
    with Stages(quiet=quiet) as stages:
        for step in space.maintenance.run(session.id if session else None):
            stages.show(_STAGES.get(step.stage, _OTHER), step.done, step.done + step.left)


def judge_pending(space: Space, *, quiet: bool) -> None:
    """Judge every message that was not judged yet; what was done stays when it is interrupted."""
    total = space.annotations.stats().pending
    if not total:
        return
    with Stages(quiet=quiet) as stages:
        for step in space.annotations.read_pending():
            stages.show("Judging", step.done, total)


def embed_recorded(
    space: Space,
    note: Callable[[str], None],
    *,
    pages: int | None = EMBEDDED,
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
