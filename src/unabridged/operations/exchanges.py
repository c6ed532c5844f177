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
from unabridged.operations.messages import SaidBody
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
from unabridged.operations.operation_results import AddedMessages, RecordedExchange, recorded
from unabridged.operations.pages import from_cursor, to_cursor
from unabridged.space.idempotency import Done
from unabridged.turn.add import add_messages as add_to_session

MOST_ADDED = 10_000
"""Messages of one request."""

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
    """Record an exchange: what the user said and what was answered, word for word.

    A session of an unknown id begins with it.
    """
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


class AddedBody(Params):
    """Messages that were said elsewhere.

    Attributes:
        messages: The messages, in order; at least one of the role `user`.
        session: The id of the session to add them to; without it, a new one begins.
        at: When they were said; without it, now.
    """

    messages: Annotated[list[SaidBody], Meta(min_length=1, max_length=MOST_ADDED)]
    session: Name | None = None
    at: Annotated[datetime, Meta(tz=True)] | None = None


def _place(call: Call, params: AddedBody) -> What:
    session = call.session_to_write(params.session) or call.space.clock.new_id()
    known = call.space.sessions.get(session)
    return {"session": session, "head": known.head if known else None}


def _shown_added(call: Call, _: AddedBody, what: What) -> AddedMessages:
    log = call.space.log
    stored = tuple(log.get(name) for name in what["exchanges"] if log.has(name))
    return AddedMessages(stored, tuple(what["notes"]))


def _found_added(call: Call, params: AddedBody, done: Done) -> What | None:
    # Look for the messages behind the place where the session was when the request began.
    path = call.space.log.history(done.what["session"], len(params.messages) + 1)
    said = [(message, exchange.id) for exchange in path for message in exchange.messages]
    places = [place for place, (message, _) in enumerate(said) if message.id == done.what["head"]]
    if not places and done.what["head"] is not None:
        return None
    new = said[places[0] + 1 :] if places else said
    wanted = [(one.role, one.message().text) for one in params.messages]
    found = [(message.role.value, message.text) for message, _ in new]
    if not wanted or found[: len(wanted)] != wanted:
        return None
    names = dict.fromkeys(name for _, name in new[: len(wanted)])
    return {"exchanges": [*names], "notes": []}


_ADDED_ONCE: Once[AddedBody, AddedMessages] = Once(
    note=lambda _, __, made: {
        "exchanges": [one.id for one in made.exchanges],
        "notes": [*made.notes],
    },
    show=_shown_added,
    plan=_place,
    found=_found_added,
)


@operation(
    "messages.add",
    "POST /messages",
    "The exchanges as stored.",
    Right.WRITE,
    tag="exchanges",
    status=201,
    once=_ADDED_ONCE,
    records=True,
)
def add_messages(call: Call, params: AddedBody) -> AddedMessages:
    """Add messages that were said elsewhere to the end of a session.

    A session of an unknown id begins with them.
    """
    said = [one.message() for one in params.messages]
    stored = add_to_session(call.space, said, call.planned["session"], params.at)
    notes = dict.fromkeys(note for one in stored for note in one.notes)
    return AddedMessages(tuple(replace(one, notes=()) for one in stored), tuple(notes))


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
