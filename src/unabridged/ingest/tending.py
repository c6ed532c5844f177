"""Tending a space: everything that is done after recording, in its order and in small pages."""

from collections.abc import Iterator
from itertools import islice

from unabridged.domain.views import Step
from unabridged.ingest.readings import Readings
from unabridged.ingest.upkeep import Upkeep
from unabridged.knowledge.book import FactBook

PAGE = 200
"""Exchanges that facts are drawn from between two reports."""


def tend(
    readings: Readings,
    facts: FactBook | None,
    upkeep: Upkeep,
    current: str | None = None,
    *,
    pages: int | None = None,
    threshold: int | None = None,
) -> Iterator[Step]:
    """Judge messages, draw facts, condense what outgrew its budget.

    What was done is stored page by page, so it may be killed at any moment and run again.

    Args:
        readings: Judges messages.
        facts: Draws facts; None to draw none.
        upkeep: Condenses.
        current: The session that is being talked in: it is not condensed as a whole.
        pages: At most so many pages of each kind, and the newest sessions only; None for all.
        threshold: Tokens of a session above which it is condensed; None for the setting.

    Yields:
        How far it has come.
    """
    for read in islice(readings.read_pending(), pages):
        yield Step("read", read.done, read.left)
    done = 0
    for _ in range(pages) if pages is not None else iter(int, 1):
        learnt = facts.learn_pending(PAGE) if facts else 0
        if not learnt:
            break
        done += learnt
        yield Step("learn", done)
    yield from upkeep.run(current, everything=pages is None, threshold=threshold)
