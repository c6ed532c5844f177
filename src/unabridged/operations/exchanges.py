"""Exchanges: one of them, all of them page by page, and recording one at once."""

from dataclasses import replace
from datetime import datetime
from typing import Annotated

from msgspec import Meta

from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.message import Message, Role, Text
from unabridged.domain.permissions import Right
from unabridged.domain.results import Transcript
from unabridged.domain.session import Session, title_from
from unabridged.operations.call import Call, What
from unabridged.operations.operation import (
    MOST_A_PAGE,
    Name,
    Once,
    Page,
    Paged,
    Params,
    Title,
    Words,
    operation,
)
from unabridged.operations.operation_results import RecordedExchange, recorded
from unabridged.operations.pages import from_cursor, to_cursor


class RecordExchangeBody(Params):
    """What was said elsewhere, to be recorded at once.

    Attributes:
        user: The user's message.
        assistant: The answer; without it, the exchange is unanswered.
        session: The id of the session that it goes on with; without it, a new one begins.
        title: The title of a session that begins with it.
        at: When it was said; without it, now.
        model: The model that answered.
    """

    user: Words
    assistant: Words | None = None
    session: Name | None = None
    title: Title | None = None
    at: Annotated[datetime, Meta(tz=True)] | None = None
    model: Name | None = None


def _planned(call: Call, params: RecordExchangeBody) -> What:
    clock = call.space.clock
    session = call.session_to_write(params.session) or clock.new_id()
    names = {name: clock.new_id() for name in ("exchange", "user", "assistant")}
    return {**names, "session": session, "at": (params.at or clock.now()).isoformat()}


_ONCE: Once[RecordExchangeBody, RecordedExchange] = Once(
    note=lambda call, _, made: {
        "exchange": call.planned["exchange"],
        "notes": [*made.notes],
    },
    show=lambda call, _, what: recorded(call.space, what),
    plan=_planned,
)


@operation(
    "exchanges.add",
    "POST /exchanges",
    "The exchange as stored.",
    Right.WRITE,
    status=201,
    once=_ONCE,
    records=True,
)
def record_exchange(call: Call, params: RecordExchangeBody) -> RecordedExchange:
    """Record an exchange in one step: what a user said, and what was answered."""
    imported = call.space.log.import_transcript(_conversation(call, params))
    what = {"exchange": call.planned["exchange"], "notes": imported.notes}
    return recorded(call.space, what)


def _conversation(call: Call, params: RecordExchangeBody) -> Transcript:
    space, what = call.space, call.planned
    at = datetime.fromisoformat(what["at"])
    title = params.title or title_from(params.user)
    session = space.sessions.get(what["session"]) or Session(what["session"], title, at, at)
    before = space.log.history(session.id, 1)
    said = [Message(what["user"], Role.USER, (Text(params.user),), at, session.head)]
    if params.assistant is not None:
        words = (Text(params.assistant),)
        said.append(Message(what["assistant"], Role.ASSISTANT, words, at, what["user"]))
    is_answered = params.assistant is not None
    exchange = Exchange(
        id=what["exchange"],
        session=session.id,
        parent=before[0].id if before else None,
        state=ExchangeState.COMPLETE if is_answered else ExchangeState.UNANSWERED,
        messages=tuple(said),
        at=at,
        model=params.model,
    )
    head = replace(
        session,
        title=session.title or title,
        head=said[-1].id,
        updated=max(at, session.updated),
    )
    return Transcript(head, (exchange,))


@operation("exchanges.list", "GET /exchanges", "Exchanges, the oldest first.")
def list_exchanges(call: Call, params: Paged) -> Page[Exchange]:
    """Go through the exchanges of all sessions and branches, the oldest first."""
    after = from_cursor(params.cursor)
    held: list[Exchange] = []
    place = after if isinstance(after, str) else None
    while len(held) <= params.limit:
        page = call.space.log.scan(place, MOST_A_PAGE)
        held += [each for each in page if call.reaches(each.session)]
        if len(page) < MOST_A_PAGE:
            break
        place = page[-1].id
    more = to_cursor(held[params.limit - 1].id) if len(held) > params.limit else None
    return Page(held[: params.limit], more)


@operation("exchanges.get", "GET /exchanges/{exchange}", "The exchange, whole.")
def get_exchange(call: Call, exchange: Name) -> Exchange:
    """Give an exchange by its id or the beginning of it."""
    return call.exchange(exchange)
