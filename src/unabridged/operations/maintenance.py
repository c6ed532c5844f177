"""Maintenance: condensations, opened and made, and what is done after recording."""

from itertools import islice
from typing import Annotated

from msgspec import Meta

from unabridged.domain.condensation import Condensation
from unabridged.domain.permissions import Right
from unabridged.domain.results import CondensePreview, ExpandedCondensation, MaintenanceProgress
from unabridged.operations.call import Call, need_space
from unabridged.operations.operation import Name, Page, Paged, Params, operation
from unabridged.operations.operation_results import Tended
from unabridged.operations.pages import page_of

MOST_STEPS = 10_000
"""Steps of one run; it goes on where it stopped."""


@operation("condensations.list", "GET /condensations", "Condensations by id.", tag="upkeep")
def list_condensations(call: Call, params: Paged) -> Page[Condensation]:
    """List the stored condensations, in the order of their ids."""
    held = call.space.condensations.condensations()
    mine = [c for c in held if call.scope.session is None or call.reaches(c.session)]
    return page_of(sorted(mine, key=lambda c: c.id), lambda c: c.id, params.limit, params.cursor)


@operation(
    "condensations.expand",
    "GET /condensations/{condensation}",
    "It, and its originals.",
    tag="upkeep",
)
def expand(call: Call, condensation: Name) -> ExpandedCondensation:
    """Open a condensation: what it says, and the exchanges that it stands for, whole."""
    opened = call.space.condensations.expand(condensation)
    for exchange in opened.exchanges:
        call.exchange(exchange.id)
    if not opened.exchanges:
        need_space(call.grant)
    return opened


class Condensing(Params):
    """Which session is condensed, and how. Doing it twice changes nothing more.

    Attributes:
        session: The id of the session.
        force: Whether it is condensed also where nothing is due.
        dry_run: Whether it is only said what would be done.
    """

    session: Name
    force: bool = False
    dry_run: bool = False


@operation(
    "condensations.add",
    "POST /condensations",
    "What was done, or would be.",
    Right.WRITE,
    tag="upkeep",
)
def condense(call: Call, params: Condensing) -> CondensePreview:
    """Condense a session that outgrew its budget; every original stays stored."""
    session = call.session(params.session)
    if params.dry_run:
        return call.space.condensations.plan(session.id)
    return call.space.condensations.condense(session.id, force=params.force)


class Tending(Params):
    """How much is tended.

    Attributes:
        pages: At most so many pages of each kind.
    """

    pages: Annotated[int, Meta(ge=1, le=20)] = 2


@operation(
    "maintenance.run",
    "POST /tend",
    "How far it has come.",
    Right.WRITE,
    tag="upkeep",
    whole=True,
    bare=True,
)
def maintain(call: Call, params: Tending) -> Tended:
    """Do what is done after recording: judge messages, draw facts, condense.

    It goes on where it stopped, so it may be repeated until `done`.
    """
    space = call.space
    stages: dict[str, MaintenanceProgress] = {}
    newest, memory = space.sessions.newest(), space.contexts.last_memory()
    steps = space.maintenance.run(
        newest.id if newest else None, pages=params.pages, threshold=memory
    )
    for each in islice(steps, MOST_STEPS):
        stages[each.stage] = each
    return Tended(tuple(stages.values()), all(step.left == 0 for step in stages.values()))
