"""Maintenance: list, expand and make condensations; do the work after recording."""

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Annotated

from msgspec import Meta

from unabridged.domain.condensation import Condensation
from unabridged.domain.permissions import Right
from unabridged.domain.results import CondensePreview, ExpandedCondensation, MaintenanceProgress
from unabridged.operations.call import Call, need_space
from unabridged.operations.operation import Name, Page, Paged, Params, operation
from unabridged.operations.operation_results import Tended
from unabridged.operations.pages import page_of

if TYPE_CHECKING:
    from unabridged.space.space import Space

CondensationName = Annotated[
    Name, Meta(description="The id of the condensation, such as c-1a2b3c4d5e.")
]
MOST_STEPS = 10_000
"""Steps of one run; the next run continues."""


@operation("condensations.list", "GET /condensations", "Condensations by id.", tag="upkeep")
def list_condensations(call: Call, params: Paged) -> Page[Condensation]:
    """List the stored condensations, in the order of their ids."""
    held = call.space.condensations.condensations()
    mine = [c for c in held if call.scope.session is None or call.reaches(c.session)]
    return page_of(sorted(mine, key=lambda c: c.id), lambda c: c.id, params.limit, params.cursor)


@operation(
    "condensations.expand",
    "GET /condensations/{condensation}",
    "The condensation and its originals.",
    tag="upkeep",
    tool="expand",
)
def expand(call: Call, condensation: CondensationName) -> ExpandedCondensation:
    """Expand a condensation: its text, and the original exchanges that it replaces, whole."""
    opened = call.space.condensations.expand(condensation)
    for exchange in opened.exchanges:
        call.exchange(exchange.id)
    if not opened.exchanges:
        need_space(call.grant)
    return opened


class Condensing(Params):
    """Which session to condense, and how. Repeating it changes nothing more.

    Attributes:
        session: The id of the session.
        force: Whether to condense it even if nothing is due.
        dry_run: Whether to only report what would be done.
    """

    session: Name
    force: bool = False
    dry_run: bool = False


@operation(
    "condensations.add",
    "POST /condensations",
    "What was done or would be done.",
    Right.WRITE,
    tag="upkeep",
)
def condense(call: Call, params: Condensing) -> CondensePreview:
    """Condense a session that exceeds its budget; every original stays stored."""
    session = call.session(params.session)
    if params.dry_run:
        return call.space.condensations.plan(session.id)
    return call.space.condensations.condense(session.id, force=params.force)


class Tending(Params):
    """How much to do.

    Attributes:
        pages: Pages of each kind of work, at most.
    """

    pages: Annotated[int, Meta(ge=1, le=20)] = 2


@operation(
    "maintenance.run",
    "POST /tend",
    "The progress.",
    Right.WRITE,
    tag="upkeep",
    whole=True,
    bare=True,
)
def maintain(call: Call, params: Tending) -> Tended:
    """Do the work after recording: annotate messages, learn facts, condense.

    Each run continues the last one; repeat it until `done`.
    """
    stages: dict[str, MaintenanceProgress] = {}
    for each in islice(steps_due(call.space, params.pages), MOST_STEPS):
        stages[each.stage] = each
    return Tended(tuple(stages.values()), all(step.left == 0 for step in stages.values()))


def steps_due(space: "Space", pages: int) -> Iterator[MaintenanceProgress]:
    """Do the work that is due after recording, up to this many pages of each kind."""
    newest, memory = space.sessions.newest(), space.contexts.last_memory()
    return space.maintenance.run(newest.id if newest else None, pages=pages, threshold=memory)
