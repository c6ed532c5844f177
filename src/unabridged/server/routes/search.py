"""Looking things up over HTTP: searching, ledgers of past contexts, figures, spaces."""

from fastapi import APIRouter
from pydantic import Field
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from unabridged.domain.permissions import Grant
from unabridged.domain.results import ContextReport, SearchResult, Stats
from unabridged.domain.scope import SpaceId
from unabridged.errors import NotFoundError
from unabridged.factory.home import Home
from unabridged.server.routes.api_calls import Asked, Id
from unabridged.server.routes.json_responses import Page, given, paged
from unabridged.server.routes.openapi import answers
from unabridged.server.routes.params import Body, Words
from unabridged.server.routes.route import MemoryRoute
from unabridged.server.routes.route_results import SpaceLine
from unabridged.space.space import Space

router = APIRouter(prefix="/memory", route_class=MemoryRoute, default_response_class=Response)

MOST_FOUND = 100
"""Exchanges that one search gives."""


class SearchBody(Body):
    """What to search for."""

    query: Words
    """Words, a question, a time: anything that bears on what is sought."""
    limit: int = Field(default=10, ge=1, le=MOST_FOUND)
    """The most exchanges."""


@router.post(
    "/search", tags=["search"], responses=answers([SearchResult], "What was found, best first.")
)
async def search(call: Asked, body: SearchBody) -> Response:
    """Find exchanges by words, meaning and time, best first; each whole, with its session."""

    def work(space: Space) -> Page:
        narrow = call.scope.session is not None
        found = space.search(body.query, MOST_FOUND if narrow else body.limit)
        return Page([f for f in found if call.reaches(f.exchange.session)][: body.limit])

    return paged(call.request, await call.run(work))


@router.get(
    "/contexts/{context}",
    tags=["contexts"],
    responses=answers(ContextReport, "The account of every token and candidate."),
)
async def get_context(call: Asked, context: Id) -> Response:
    """Account for a context that was begun, and render it again; `last` stands for the newest."""

    def work(space: Space) -> ContextReport:
        account = space.contexts.why(None if context == "last" else context)
        try:
            call.exchange(space, account.id)
        except NotFoundError:
            hint = "Its id is that of the exchange it was prepared for."
            raise NotFoundError(f"There is no context {context!r}.", hint=hint) from None
        return account

    return given(await call.run(work))


@router.get("/stats", tags=["spaces"], responses=answers(Stats, "Figures of the space."))
async def stats(call: Asked) -> Response:
    """Give the figures of the space that the request falls into."""
    call.need_space()
    return given(await call.run(lambda space: space.stats()))


@router.get("/spaces", tags=["spaces"], responses=answers([SpaceLine], "Spaces by name."))
async def list_spaces(call: Asked) -> Response:
    """List the spaces that the key reaches."""
    call.need_space()
    infos = await run_in_threadpool(Home(call.service.settings).spaces)
    lines = [
        SpaceLine(
            name=info.space.name,
            user=info.space.user,
            agent=info.space.agent,
            model=info.space.model,
            sessions=info.sessions,
            exchanges=info.exchanges,
            bytes=info.bytes,
            damaged=info.damaged,
        )
        for info in infos
        if info.space is not None and _reaches(call.grant, info.space)
    ]
    return paged(call.request, Page(sorted(lines, key=lambda line: line.name)))


def _reaches(grant: Grant, space: SpaceId) -> bool:
    return grant.user in (None, space.user) and grant.agent in (None, space.agent)
