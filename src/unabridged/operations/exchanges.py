"""Exchanges: list, show and record them."""

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

ExchangeName = Annotated[Name, Meta(description="The id of the exchange, or the beginning of it.")]
BRANCHED = "Another program wrote to this session at the same time: this is stored as a branch."
"""The note for an exchange that is not on its session's current path."""


class RecordExchangeBody(Params):
    """An exchange to record.

    Attributes:
        user: What the user said, word for word.
        assistant: The answer, word for word; without it, the exchange is unanswered.
        session: The id of the session that it continues; without it, a new one begins.
        title: The title of a new session.
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
    return {
        **names,
        "session": session,
        "is_new": call.space.sessions.get(session) is None,
        "at": (params.at or clock.now()).isoformat(),
    }


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
    tool="record",
)
def record_exchange(call: Call, params: RecordExchangeBody) -> RecordedExchange:
    """Record an exchange: what the user said and what was answered, word for word."""
    transcript = _conversation(call, params)
    imported = call.space.log.import_transcript(transcript)
    now = call.space.sessions.get(transcript.session.id)
    is_branch = bool(imported.added) and now is not None and now.head != transcript.session.head
    notes = [*imported.notes, *([BRANCHED] if is_branch else [])]
    return recorded(call.space, {"exchange": call.planned["exchange"], "notes": notes})


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
        model=params.model or call.scope.model,
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
    """List the exchanges of all sessions and branches, the oldest first."""
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
def get_exchange(call: Call, exchange: ExchangeName) -> Exchange:
    """Return an exchange by its id or the beginning of it."""
    return call.exchange(exchange)
