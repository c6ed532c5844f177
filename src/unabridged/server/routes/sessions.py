"""Sessions over HTTP: the list, one of them, its exchanges, a new one, another title, archiving."""

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from unabridged.domain.exchange import Exchange
from unabridged.domain.session import Session
from unabridged.server.routes.api_calls import ApiCall, Asked, Cursor, Id, Limit
from unabridged.server.routes.idempotency_key import IdempotentWrite, What, perform
from unabridged.server.routes.json_responses import Page, check_match, from_cursor, given, paged
from unabridged.server.routes.openapi import answers
from unabridged.server.routes.params import Body, Title
from unabridged.server.routes.route import MemoryRoute
from unabridged.server.routes.route_results import SessionResult
from unabridged.space.space import Space

router = APIRouter(
    prefix="/memory/sessions",
    tags=["sessions"],
    route_class=MemoryRoute,
    default_response_class=Response,
)


class NewSession(Body):
    """A session that begins."""

    title: Title | None = None
    """What people call it; without it, the first message gives one."""


class SessionChange(Body):
    """What shall be changed of a session."""

    title: Title | None = None
    """Another title."""
    archived: bool | None = None
    """True moves it out of the active set, false takes it up again."""


@router.get("", responses=answers([SessionResult], "Sessions, the last updated first."))
async def list_sessions(
    call: Asked,
    called: Annotated[
        str | None,
        Query(
            min_length=1,
            max_length=200,
            description="Only the one that is called so: its id, the beginning of it, its title or"
            " its number in the list.",
        ),
    ] = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> Response:
    """List the sessions, the last updated first."""
    after = from_cursor(cursor)

    def work(space: Space) -> Page:
        counts = space.log.counts()
        if called is not None:
            found = call.session(space, space.sessions.find(called).id)
            return Page([view(found, counts.get(found.id, 0))])
        held = [s for s in space.sessions.all() if call.reaches(s.id)]
        if after is not None:
            held = [s for s in held if _place(s) < tuple(after)]
        page = sorted(held, key=_place, reverse=True)[:limit]
        more = _place(page[-1]) if len(held) > limit else None
        return Page([view(s, counts.get(s.id, 0)) for s in page], more)

    return paged(call.request, await call.run(work))


@router.post("", status_code=201, responses=answers(SessionResult, "The session.", status=201))
async def new_session(call: Asked, body: NewSession | None = None) -> Response:
    """Begin a session that holds nothing yet."""
    call.need_space()
    title = (body.title if body else None) or ""

    def plan(_: Space) -> What:
        return {"session": call.service.clock.new_id()}

    def do(space: Space, what: What) -> What:
        space.sessions.begin(what["session"], title)
        return what

    deed = IdempotentWrite(
        do, lambda space, what: seen(call, space, what["session"]), plan, status=201
    )
    return await perform(call, deed)


@router.get("/{session}", responses=answers(SessionResult, "The session."))
async def get_session(call: Asked, session: Id) -> Response:
    """Give a session."""
    return given(await call.run(lambda space: seen(call, space, session)))


@router.patch("/{session}", responses=answers(SessionResult, "The session as it is now."))
async def change_session(call: Asked, session: Id, body: SessionChange) -> Response:
    """Give a session another title, archive it, or take it up again."""

    def work(space: Space) -> SessionResult:
        with space.editing:
            check_match(call.request, seen(call, space, session))
            held = call.session(space, session)
            if body.title is not None:
                held = space.sessions.rename(held, body.title)
            archives = space.sessions.archives
            if body.archived is not None:
                (archives.archive if body.archived else archives.restore)(held)
            return seen(call, space, session)

    return given(await call.run(work))


@router.get(
    "/{session}/exchanges",
    responses=answers([Exchange], "Exchanges of the session's current path, the newest first."),
)
async def list_session_exchanges(
    call: Asked, session: Id, limit: Limit = 50, cursor: Cursor = None
) -> Response:
    """List the exchanges of a session's current path, the newest first."""
    before = from_cursor(cursor)

    def work(space: Space) -> Page:
        held = call.session(space, session)
        page = space.log.history(held.id, limit, before if isinstance(before, str) else None)
        more = page[0].id if len(page) == limit and page[0].parent is not None else None
        return Page(page[::-1], more)

    return paged(call.request, await call.run(work))


def view(session: Session, exchanges: int) -> SessionResult:
    """Give a session as this room shows it."""
    return SessionResult(
        id=session.id,
        title=session.title,
        created=session.created,
        updated=session.updated,
        head=session.head,
        source=session.source,
        foreign_id=session.foreign_id,
        archived=session.archived,
        exchanges=exchanges,
    )


def seen(call: ApiCall, space: Space, session: str) -> SessionResult:
    """Show a session by its id."""
    found = call.session(space, session)
    return view(found, space.log.counts().get(found.id, 0))


def _place(session: Session) -> tuple[str, str]:
    return session.updated.isoformat(), session.id
