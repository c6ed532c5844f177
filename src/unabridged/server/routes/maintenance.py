"""Upkeep over HTTP: condensations, opened and made, and what is done after recording."""

from itertools import islice

from fastapi import APIRouter
from pydantic import Field
from starlette.responses import Response

from unabridged.domain.condensation import Condensation
from unabridged.domain.results import CondensePreview, ExpandedCondensation, MaintenanceProgress
from unabridged.server.routes.api_calls import Asked, Cursor, Id, Limit
from unabridged.server.routes.json_responses import Page, given, paged
from unabridged.server.routes.openapi import answers
from unabridged.server.routes.pages import sliced
from unabridged.server.routes.params import Body, Name
from unabridged.server.routes.route import MemoryRoute
from unabridged.server.routes.route_results import Tended
from unabridged.space.space import Space

router = APIRouter(
    prefix="/memory", tags=["upkeep"], route_class=MemoryRoute, default_response_class=Response
)
MOST_STEPS = 10_000
"""Steps of one tending; it goes on where it stopped."""


class Condensing(Body):
    """Which session is condensed, and how. Doing it twice changes nothing more."""

    session: Name
    """The id of the session."""
    force: bool = False
    """Whether it is condensed also where nothing is due."""
    dry_run: bool = False
    """Whether it is only said what would be done."""


class Tending(Body):
    """How much is tended."""

    pages: int = Field(default=2, ge=1, le=20)
    """At most so many pages of each kind."""


@router.get("/condensations", responses=answers([Condensation], "Condensations by id."))
async def list_condensations(call: Asked, limit: Limit = 50, cursor: Cursor = None) -> Response:
    """List the stored condensations, in the order of their ids."""

    def work(space: Space) -> Page:
        held = space.condensations.condensations()
        mine = [c for c in held if call.scope.session is None or call.reaches(c.session)]
        return sliced(sorted(mine, key=lambda c: c.id), lambda c: c.id, limit, cursor)

    return paged(call.request, await call.run(work))


@router.get(
    "/condensations/{condensation}",
    responses=answers(ExpandedCondensation, "It, and its originals."),
)
async def expand(call: Asked, condensation: Id) -> Response:
    """Open a condensation: what it says, and the exchanges that it stands for, whole."""

    def work(space: Space) -> ExpandedCondensation:
        opened = space.condensations.expand(condensation)
        for exchange in opened.exchanges:
            call.exchange(space, exchange.id)
        if not opened.exchanges:
            call.need_space()
        return opened

    return given(await call.run(work))


@router.post("/condensations", responses=answers(CondensePreview, "What was done, or would be."))
async def condense(call: Asked, body: Condensing) -> Response:
    """Condense a session that outgrew its budget; every original stays stored."""

    def work(space: Space) -> CondensePreview:
        session = call.session(space, body.session)
        if body.dry_run:
            return space.condensations.plan(session.id)
        return space.condensations.condense(session.id, force=body.force)

    return given(await call.run(work))


@router.post("/tend", responses=answers(Tended, "How far it has come."))
async def maintain(call: Asked, body: Tending | None = None) -> Response:
    """Do what is done after recording: judge messages, draw facts, condense.

    It goes on where it stopped, so it may be repeated until `done`.
    """
    call.need_space()
    pages = (body or Tending()).pages

    def work(space: Space) -> Tended:
        stages: dict[str, MaintenanceProgress] = {}
        newest, memory = space.sessions.newest(), space.contexts.last_memory()
        steps = space.maintenance.run(newest.id if newest else None, pages=pages, threshold=memory)
        for each in islice(steps, MOST_STEPS):
            stages[each.stage] = each
        return Tended(tuple(stages.values()), all(step.left == 0 for step in stages.values()))

    return given(await call.run(work))
