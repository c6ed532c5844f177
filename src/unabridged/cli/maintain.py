"""Work after recording: embed, classify, learn facts, condense."""

from collections.abc import Callable
from itertools import islice

from unabridged.cli.progress import Stages
from unabridged.domain.session import Session
from unabridged.errors import UnabridgedError
from unabridged.ports import ChatModel
from unabridged.space.space import Space

PAGES = 2
"""Pages of each kind after one answer: a backlog must not delay a person."""
EMBEDDED = 4
"""Pages to embed after one answer."""
_OTHER = "Maintaining"
_STAGES = {
    "read": "Classifying",
    "facts": "Learning",
    "requirements": "Looking for requirements",
    "condense": "Condensing",
    "periods": "Summarizing months",
    "archive": "Archiving",
}
"""The names of the stages of maintenance for people."""


def maintain_recorded(
    space: Space,
    note: Callable[[str], None],
    *,
    session: Session | None = None,
    model: ChatModel | None = None,
    pages: int | None = PAGES,
) -> None:
    """Do some of the pending maintenance.

    Everything is recorded and searchable already, so an error becomes a note.

    Args:
        space: The space.
        note: Shows a note to a person.
        session: The current session; None for the newest.
        model: The model to use; None for that of the space.
        pages: The most pages of each kind; None for all.
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
        note(f"Maintenance is postponed: {error}")


def maintain_all(space: Space, session: Session | None, *, quiet: bool) -> None:
    """Do all pending maintenance, with a bar; an interruption keeps what is done.

    Args:
        space: The space.
        session: The current session, or None.
        quiet: Whether to show no bar.

    Raises:
        UnabridgedError: The store failed, or the model that classifies.
    """
    with Stages(quiet=quiet) as stages:
        for step in space.maintenance.run(session.id if session else None):
            stages.show(_STAGES.get(step.stage, _OTHER), step.done, step.done + step.left)


def judge_pending(space: Space, *, quiet: bool) -> None:
    """Classify every new message; an interruption keeps what is done."""
    total = space.annotations.stats().pending
    if not total:
        return
    with Stages(quiet=quiet) as stages:
        for step in space.annotations.read_pending():
            stages.show("Classifying", step.done, total)


def embed_recorded(
    space: Space,
    note: Callable[[str], None],
    *,
    pages: int | None = EMBEDDED,
    moved: Callable[[int], None] = lambda _: None,
) -> None:
    """Embed exchanges that have no vectors yet.

    Everything is recorded and found by words already, so an error becomes a note.

    Args:
        space: The space.
        note: Shows a note to a person.
        pages: The most pages; None for all.
        moved: Called with the number of embedded exchanges.
    """
    try:
        for step in islice(space.maintenance.embed(), pages):
            moved(step.done)
    except UnabridgedError as error:
        note(f"Embedding is postponed; until then new messages are found by their words: {error}")
