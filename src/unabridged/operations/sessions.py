"""Sessions: list, create, show, rename and archive them; list their exchanges."""

from collections.abc import Mapping, Sequence
from typing import Annotated

from msgspec import Meta

from unabridged.domain.exchange import Exchange
from unabridged.domain.permissions import Right
from unabridged.domain.session import Session
from unabridged.operations.call import Call, What
from unabridged.operations.operation import Name, Once, Page, Paged, Params, Title, operation
from unabridged.operations.operation_results import SessionResult, extended
from unabridged.operations.pages import from_cursor, to_cursor

LAST = "last"
"""Instead of an id: the newest."""

SessionName = Annotated[Name, Meta(description="The id of the session.")]


class SessionList(Paged):
    """Which sessions to list.

    Attributes:
        called: Only the session of this id, beginning of an id, title or number in the list.
        archived: True lists archived sessions only, false only the others.
    """

    called: Annotated[str, Meta(min_length=1, max_length=200)] | None = None
    archived: bool | None = None


@operation("sessions.list", "GET /sessions", "Sessions, the last updated first.", tool="sessions")
def list_sessions(call: Call, params: SessionList) -> Page[SessionResult]:
    """List the sessions, the last updated first."""
    held = [s for s in call.space.sessions.all() if call.reaches(s.id)]
    numbers = {s.id: number for number, s in enumerate(held, 1)}
    if params.called is not None:
        held, cursor = [call.session(call.space.sessions.find(params.called).id)], None
    else:
        cursor = from_cursor(params.cursor)
    if params.archived is not None:
        held = [s for s in held if (s.archived is not None) is params.archived]
    if cursor is not None:
        held = [s for s in held if _place(s) < tuple(cursor)]
    page = sorted(held, key=_place, reverse=True)[: params.limit]
    more = to_cursor(_place(page[-1])) if len(held) > params.limit else None
    return Page(_results(call, page, numbers), more)


class NewSession(Params):
    """A new session.

    Attributes:
        title: Its title; without it, the first message gives one.
    """

    title: Title | None = None


def _planned(call: Call, _: NewSession) -> What:
    return {"session": call.space.clock.new_id()}


_ONCE: Once[NewSession, SessionResult] = Once(
    note=lambda _, __, made: {"session": made.id},
    show=lambda call, _, what: _shown(call, what["session"]),
    plan=_planned,
)


@operation(
    "sessions.add",
    "POST /sessions",
    "The session.",
    Right.WRITE,
    status=201,
    whole=True,
    once=_ONCE,
    bare=True,
)
def new_session(call: Call, params: NewSession) -> SessionResult:
    """Create an empty session."""
    begun = call.space.sessions.begin(call.planned["session"], params.title or "")
    return _shown(call, begun.id)


@operation("sessions.get", "GET /sessions/{session}", "The session.")
def get_session(call: Call, session: SessionName) -> SessionResult:
    """Return a session."""
    return _shown(call, session)


class SessionChange(Params):
    """What to change of a session.

    Attributes:
        session: The id of the session.
        title: The new title.
        archived: True archives it, false activates it again.
    """

    session: Name
    title: Title | None = None
    archived: bool | None = None


@operation("sessions.edit", "PATCH /sessions/{session}", "The session as it is now.", Right.WRITE)
def change_session(call: Call, params: SessionChange) -> SessionResult:
    """Rename a session, archive it, or activate it again."""
    sessions = call.space.sessions
    with call.space.editing:
        call.check_unchanged(_shown(call, params.session))
        held = call.session(params.session)
        if params.title is not None:
            held = sessions.rename(held, params.title)
        if params.archived is not None:
            (sessions.archives.archive if params.archived else sessions.archives.restore)(held)
        return _shown(call, params.session)


class SessionPage(Paged, kw_only=True):
    """A session, and which page of it.

    Attributes:
        session: The id of the session; `last` is the newest.
    """

    session: Name


@operation(
    "sessions.exchanges",
    "GET /sessions/{session}/exchanges",
    "Exchanges, the newest first.",
    tool="recent",
)
def list_session_exchanges(call: Call, params: SessionPage) -> Page[Exchange]:
    """List the exchanges of a session's current path."""
    before = from_cursor(params.cursor)
    held = call.newest_session() if params.session == LAST else call.session(params.session)
    if held is None:
        return Page([])
    page = call.space.log.history(
        held.id, params.limit, before if isinstance(before, str) else None
    )
    more = len(page) == params.limit and page[0].parent is not None
    return Page(page[::-1], to_cursor(page[0].id) if more else None)


def _results(
    call: Call, sessions: Sequence[Session], numbers: Mapping[str, int]
) -> list[SessionResult]:
    folders = call.space.sessions.folders([session.id for session in sessions])
    counts, handed = call.space.log.counts(), call.space.sharing.handed_off()
    return [
        extended(
            SessionResult,
            session,
            exchanges=counts.get(session.id, 0),
            number=numbers.get(session.id),
            handed_to=tuple(space.name for space in handed.get(session.id, ())),
            folder=folders.get(session.id, ""),
        )
        for session in sessions
    ]


def _shown(call: Call, session: str) -> SessionResult:
    return _results(call, [call.session(session)], {})[0]


def _place(session: Session) -> tuple[str, str]:
    return session.updated.isoformat(), session.id
