"""Maintenance after recording or importing: embed, annotate, learn facts, condense."""

from collections.abc import Callable
from itertools import islice

from unabridged.cli.progress import Stages
from unabridged.domain.session import Session
from unabridged.errors import UnabridgedError
from unabridged.ports import ChatModel
from unabridged.space.space import Space

PAGES = 2
"""Pages of each kind after one answer: older work must not keep a person waiting."""
EMBEDDED = 4
"""Pages to embed after one answer."""


def maintain_recorded(
    space: Space,
    note: Callable[[str], None],
    *,
    session: Session | None = None,
    model: ChatModel | None = None,
    pages: int | None = PAGES,
) -> None:
    """Do some of the pending maintenance.

    Everything is recorded and searchable already, so an error is only a note.

    Args:
        space: The space.
        note: Receives a sentence for a person.
        session: The current session; None for the newest.
        model: The model that may write; None for the space's own.
        pages: Up to this many of each kind; None for all.
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
        note(f"What was recorded is not annotated or condensed yet: {error}")


def steps_after_import(space: Space) -> tuple[str, ...]:
    """Return the steps after an import that is already searchable."""
    embeds = ("embed",) if space.maintenance.embeds_later else ()
    return (*embeds, *space.maintenance.stages())


def embed_all(space: Space, stages: Stages, expected: int, note: Callable[[str], None]) -> None:
    """Embed imported exchanges if the embedder is too slow to do it at once."""

    def moved(done: int) -> None:
        stages.show("embed", min(done, expected), expected)

    if space.maintenance.embeds_later:
        embed_recorded(space, note, pages=None, moved=moved)


def maintain_all(
    space: Space, session: Session | None, *, stages: Stages, expected: int = 0
) -> None:
    """Do all pending maintenance, with a bar; an interrupt keeps what was done.

    Args:
        space: The space.
        session: The current session, or None.
        stages: Shows the progress.
        expected: The number of pending exchanges, if it is known.

    Raises:
        UnabridgedError: Something cannot be read or stored, or the model failed.
    """
    for step in space.maintenance.run(session.id if session else None):
        total = step.done + step.left
        stages.show(step.stage, step.done, total if step.left else max(total, expected))


def judge_pending(space: Space, *, quiet: bool) -> None:
    """Annotate every message that has no annotation; an interrupt keeps what was done."""
    total = space.annotations.stats().pending
    if not total:
        return
    with Stages(quiet=quiet) as stages:
        for step in space.annotations.read_pending():
            stages.show("read", step.done, total)


def embed_recorded(
    space: Space,
    note: Callable[[str], None],
    *,
    pages: int | None = EMBEDDED,
    moved: Callable[[int], None] = lambda _: None,
) -> None:
    """Embed exchanges that have no vectors yet.

    Everything is recorded and already found by words, so an error is only a note.

    Args:
        space: The space.
        note: Receives a sentence for a person.
        pages: Up to this many; None for all.
        moved: Called with the number of exchanges embedded so far.
    """
    try:
        for step in islice(space.maintenance.embed(), pages):
            moved(step.done)
    except UnabridgedError as error:
        note(f"Embedding is postponed; until then new messages are found by their words: {error}")
