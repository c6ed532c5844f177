"""Exchanges over HTTP: one of them, all of them page by page, and recording one at once."""

from dataclasses import replace
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter
from pydantic import AwareDatetime, Field
from starlette.responses import Response

from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.message import Message, Role, Text
from unabridged.domain.results import Transcript
from unabridged.domain.session import Session, title_from
from unabridged.server.routes.api_calls import MOST_A_PAGE, Asked, Cursor, Id, Limit
from unabridged.server.routes.idempotency_key import IdempotentWrite, What, perform
from unabridged.server.routes.json_responses import Page, from_cursor, given, paged
from unabridged.server.routes.openapi import answers
from unabridged.server.routes.params import Body, Name, Title, Words
from unabridged.server.routes.route import MemoryRoute
from unabridged.server.routes.route_results import RecordedExchange, recorded
from unabridged.space.space import Space

STATES = {True: ExchangeState.COMPLETE, False: ExchangeState.UNANSWERED}

router = APIRouter(
    prefix="/memory/exchanges",
    tags=["exchanges"],
    route_class=MemoryRoute,
    default_response_class=Response,
)


class RecordExchangeBody(Body):
    """What was said elsewhere, to be recorded at once."""

    user: Words
    """The user's message."""
    assistant: Words | None = None
    """The answer; without it, the exchange is unanswered."""
    session: Name | None = None
    """The id of the session that it goes on with; without it, a new one begins."""
    title: Title | None = None
    """The title of a session that begins with it."""
    at: Annotated[AwareDatetime, Field(strict=False)] | None = None
    """When it was said; without it, now."""
    model: Name | None = None
    """The model that answered."""


@router.post(
    "", status_code=201, responses=answers(RecordedExchange, "The exchange as stored.", status=201)
)
async def record_exchange(call: Asked, body: RecordExchangeBody) -> Response:
    """Record an exchange in one step: what a user said, and what was answered."""
    clock = call.service.clock

    def plan(space: Space) -> What:
        session = call.named(space, body.session) or clock.new_id()
        names = {name: clock.new_id() for name in ("exchange", "user", "assistant")}
        return {**names, "session": session, "at": (body.at or clock.now()).isoformat()}

    def do(space: Space, what: What) -> What:
        imported = space.log.import_transcript(_conversation(space, body, what))
        return {"exchange": what["exchange"], "notes": imported.notes}

    answer = await perform(call, IdempotentWrite(do, recorded, plan, status=201))
    call.recorded()
    return answer


def _conversation(space: Space, body: RecordExchangeBody, what: What) -> Transcript:
    at = datetime.fromisoformat(what["at"])
    title = body.title or title_from(body.user)
    session = space.sessions.get(what["session"]) or Session(what["session"], title, at, at)
    before = space.log.history(session.id, 1)
    said = [Message(what["user"], Role.USER, (Text(body.user),), at, session.head)]
    if body.assistant is not None:
        words = (Text(body.assistant),)
        said.append(Message(what["assistant"], Role.ASSISTANT, words, at, what["user"]))
    exchange = Exchange(
        id=what["exchange"],
        session=session.id,
        parent=before[0].id if before else None,
        state=STATES[body.assistant is not None],
        messages=tuple(said),
        at=at,
        model=body.model,
    )
    head = replace(
        session,
        title=session.title or title,
        head=said[-1].id,
        updated=max(at, session.updated),
    )
    return Transcript(head, (exchange,))


@router.get("", responses=answers([Exchange], "Exchanges, the oldest first."))
async def list_exchanges(call: Asked, limit: Limit = 50, cursor: Cursor = None) -> Response:
    """Go through the exchanges of all sessions and branches, the oldest first."""
    after = from_cursor(cursor)

    def work(space: Space) -> Page:
        held: list[Exchange] = []
        place = after if isinstance(after, str) else None
        while len(held) <= limit:
            page = space.log.scan(place, MOST_A_PAGE)
            held += [each for each in page if call.reaches(each.session)]
            if len(page) < MOST_A_PAGE:
                break
            place = page[-1].id
        more = held[limit - 1].id if len(held) > limit else None
        return Page(held[:limit], more)

    return paged(call.request, await call.run(work))


@router.get("/{exchange}", responses=answers(Exchange, "The exchange, whole."))
async def get_exchange(call: Asked, exchange: Id) -> Response:
    """Give an exchange by its id or the beginning of it."""
    return given(await call.run(lambda space: call.exchange(space, exchange)))
