"""The work after recording, in order and in small pages."""

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
"""Exchanges to learn from between two reports; the second number if a model is asked about each."""


@dataclass(frozen=True, slots=True)
class Knowledge:
    """The knowledge of a space.

    Attributes:
        learns: Whether facts are learned.
        requires: Whether requirements are learned.
        asks: Returns the model that also learns them, or None if it only quotes; None to use the
            rules alone.
    """

    facts: Facts
    requirements: Requirements
    annotations: Annotations
    condensations: Condensations
    learns: bool = True
    requires: bool = True
    asks: Callable[[], ChatModel | None] | None = None


def maintain(
    knowledge: Knowledge,
    current: str | None = None,
    *,
    pages: int | None = None,
    page_size: int | None = None,
    threshold: int | None = None,
    archives: SessionArchiver | None = None,
) -> Iterator[MaintenanceProgress]:
    """Annotate messages, learn facts and requirements, condense and archive.

    Each page is stored, so this may be killed at any moment and run again.

    Args:
        knowledge: The space's knowledge.
        current: The session in use: it is not condensed as a whole.
        pages: Up to this many pages of each kind, and the newest sessions only; None for all.
        page_size: Exchanges of a page; None for the usual number, which is different for each kind.
        threshold: Tokens of a session above which it is condensed; None for the setting.
        archives: Archives sessions; None if all stay active.

    Raises:
        StoreError: What was made cannot be stored; what was reported is.
        UpstreamError: The settings want a model, and none is available.
    """
    yield from islice(knowledge.annotations.read_pending(page_size=page_size), pages)
    if knowledge.learns:
        yield from _learn(knowledge, pages, page_size)
    yield from knowledge.condensations.run(current, everything=pages is None, threshold=threshold)
    if archives is not None:
        yield from archives.run(current)


def stages_of(knowledge: Knowledge) -> tuple[str, ...]:
    """Return the stages that the settings want, in order."""
    facts = ("facts",) if knowledge.learns else ()
    requirements = ("requirements",) if knowledge.learns and knowledge.requires else ()
    return ("read", *facts, *requirements, "condense", "periods")


def _learn(
    knowledge: Knowledge, pages: int | None, page_size: int | None
) -> Iterator[MaintenanceProgress]:
    facts, requirements = knowledge.facts, knowledge.requirements
    model = knowledge.asks() if knowledge.asks else None
    size = page_size or PAGE
    size = size if model is None else min(size, PAGE_ASKED)
    extractor = facts.asking(model) if model else None
    stater = requirements.asking(model) if model else None
    learners: tuple[tuple[str, Callable[[], int]], ...] = (
        ("facts", lambda: facts.learn_pending(size, extractor)),
        ("requirements", lambda: requirements.learn_pending(size, stater)),
    )
    wanted = stages_of(knowledge)
    for stage, learn in learners:
        if stage not in wanted:
            continue
        done = page = 0
        while (pages is None or page < pages) and (learnt := learn()):
            done += learnt
            page += 1
            yield MaintenanceProgress(stage, done)
