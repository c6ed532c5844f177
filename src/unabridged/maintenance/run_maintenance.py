"""Tending a space: everything that is done after recording, in its order and in small pages."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

from unabridged.annotations.annotate import Annotations
from unabridged.domain.results import MaintenanceProgress
from unabridged.knowledge.facts import Facts
from unabridged.knowledge.requirements import Requirements
from unabridged.maintenance.archive_sessions import SessionArchiver
from unabridged.maintenance.condense_sessions import Condensations
from unabridged.ports import ChatModel

PAGE, PAGE_ASKED = 200, 4
"""Exchanges that facts are drawn from between two reports; and where a model is asked about each."""


@dataclass(frozen=True, slots=True)
class Books:
    """What is known of a space beside its words.

    Attributes:
        asks: Gives the model that draws them too, or None where it writes nothing of its own; None
            for the rules alone.
    """

    facts: Facts
    requirements: Requirements
    annotations: Annotations
    condensations: Condensations
    learns: bool = True
    asks: Callable[[], ChatModel | None] | None = None


def maintain(
    books: Books,
    current: str | None = None,
    *,
    pages: int | None = None,
    threshold: int | None = None,
    archives: SessionArchiver | None = None,
) -> Iterator[MaintenanceProgress]:
    """Judge messages, draw facts and requirements, condense and archive what outgrew its limits.

    What was done is stored page by page, so it may be killed at any moment and run again.

    Args:
        books: What is known of the space.
        current: The session that is being talked in: it is not condensed as a whole.
        pages: At most so many pages of each kind, and the newest sessions only; None for all.
        threshold: Tokens of a session above which it is condensed; None for the setting.
        archives: What archives sessions; None where all stay active.

    Raises:
        StoreError: What was made cannot be stored; what was reported is.
        UpstreamError: No model can be had, where the settings want one.
    """
    yield from islice(books.annotations.read_pending(), pages)
    if books.learns:
        yield from _learn(books, pages)
    yield from books.condensations.run(current, everything=pages is None, threshold=threshold)
    if archives is not None:
        yield from archives.run(current)


def _learn(books: Books, pages: int | None) -> Iterator[MaintenanceProgress]:
    facts, requirements = books.facts, books.requirements
    model = books.asks() if books.asks else None
    size = PAGE if model is None else PAGE_ASKED
    extractor = facts.asking(model) if model else None
    stater = requirements.asking(model) if model else None
    learners: tuple[tuple[str, Callable[[], int]], ...] = (
        ("facts", lambda: facts.learn_pending(size, extractor)),
        ("requirements", lambda: requirements.learn_pending(size, stater)),
    )
    for stage, learn in learners:
        done = page = 0
        while (pages is None or page < pages) and (learnt := learn()):
            done += learnt
            page += 1
            yield MaintenanceProgress(stage, done)
