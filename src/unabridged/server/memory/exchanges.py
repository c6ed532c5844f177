"""Exchanges over HTTP: one of them, all of them page by page."""

from fastapi import APIRouter
from starlette.responses import Response

from unabridged.domain.exchange import Exchange
from unabridged.server.memory.answers import Page, from_cursor, given, paged
from unabridged.server.memory.calls import MOST_A_PAGE, Asked, Cursor, Limit
from unabridged.server.memory.document import answers
from unabridged.server.memory.route import MemoryRoute
from unabridged.wiring import Memory

router = APIRouter(
    prefix="/memory/exchanges",
    tags=["exchanges"],
    route_class=MemoryRoute,
    default_response_class=Response,
)


@router.get("", responses=answers([Exchange], "Exchanges, the oldest first."))
async def list_exchanges(call: Asked, limit: Limit = 50, cursor: Cursor = None) -> Response:
    """Go through the exchanges of all sessions and branches, the oldest first."""
    after = from_cursor(cursor)

    def work(memory: Memory) -> Page:
        held: list[Exchange] = []
        place = after if isinstance(after, str) else None
        while len(held) <= limit:
            page = memory.page(place, MOST_A_PAGE)
            held += [each for each in page if call.reaches(each.session)]
            if len(page) < MOST_A_PAGE:
                break
            place = page[-1].id
        more = held[limit - 1].id if len(held) > limit else None
        return Page(held[:limit], more)

    return paged(call.request, await call.run(work))


@router.get("/{exchange}", responses=answers(Exchange, "The exchange, whole."))
async def get_exchange(call: Asked, exchange: str) -> Response:
    """Give an exchange by its id or the beginning of it."""
    return given(await call.run(lambda memory: call.exchange(memory, exchange)))
