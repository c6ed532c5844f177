"""Sessions: which one is talked in, and every way to another. Nothing here deletes anything."""

from collections.abc import Mapping

from unabridged.domain.exchange import Exchange
from unabridged.domain.scope import check_name
from unabridged.domain.session import Session
from unabridged.domain.views import SessionLine
from unabridged.errors import NameRefusedError, NotFoundError
from unabridged.ingest import sessions as sessions_of
from unabridged.memory.requests import Requests
from unabridged.ports import Clock, Store, SupportsSaving


class Talking:
    """A space, and the session in it that is being talked in.

    Args:
        store: The space.
        clock: The time and fresh ids.
        wanted: The session to take up; None for the newest.

    Raises:
        NotFoundError: There is no such session.
    """

    def __init__(self, store: Store, clock: Clock, wanted: str | None) -> None:
        self._store = store
        self._clock = clock
        self._session_id = self._first_session(wanted)
        self._title = ""
        self._named: str | None = None

    def _first_session(self, wanted: str | None) -> str | None:
        if wanted is not None:
            return sessions_of.find_session(self._store, wanted).id
        newest = self._store.sessions(newest=1)
        return newest[0].id if newest else None

    @property
    def session(self) -> Session | None:
        """The session that is being talked in; None where the next message begins one."""
        wanted = self._session_id or self._named
        return self._store.session(wanted) if wanted else None

    @property
    def requests(self) -> Requests:
        """What clients' requests did, so that one that is repeated is not done twice."""
        return Requests(self._store, self._clock)

    @property
    def unsaved(self) -> int:
        """Writes that are held back, and lost where the process ends: ``auto_save`` is off."""
        return self._store.unsaved if isinstance(self._store, SupportsSaving) else 0

    def save(self) -> int:
        """Write what was held back; when this returns, it survives a power cut.

        Returns:
            How many writes were held back.

        Raises:
            StoreError: It could not be written; it is still held back.
        """
        return self._store.save() if isinstance(self._store, SupportsSaving) else 0

    def _require_session(self) -> Session:
        session = self.session
        if session is None:
            raise NotFoundError("No session has begun yet.", hint="Say something first.")
        return session

    def sessions(self) -> list[SessionLine]:
        """Every session, the most recently updated first."""
        current = self._session_id or self._named
        counts = self._store.counts()
        return [
            SessionLine(session, counts.get(session.id, 0), session.id == current)
            for session in self._store.sessions()
        ]

    def headers(self) -> list[Session]:
        """The headers of every session, the most recently updated first."""
        return self._store.sessions()

    def counts(self) -> Mapping[str, int]:
        """How many exchanges each session holds, all branches; empty ones are missing."""
        return self._store.counts()

    def by_id(self, session: str) -> Session | None:
        """A session by its whole id, whichever is being talked in; None where there is none."""
        return self._store.session(session)

    def has(self, exchange: str) -> bool:
        """Whether an exchange of this whole id is stored."""
        return bool(self._store.get([exchange]))

    def path(self, session: str, limit: int = 50, before: str | None = None) -> list[Exchange]:
        """Exchanges of a session's current path, oldest first.

        Args:
            session: Its id.
            limit: The last so many.
            before: End before this exchange; None for the newest.
        """
        return self._store.recent(session, limit, before)

    def page(self, after: str | None = None, limit: int = 200) -> list[Exchange]:
        """Exchanges of all sessions and branches in the order of their ids.

        Args:
            after: Begin behind this id; None for the first page.
            limit: At most so many.
        """
        return self._store.scan(after, limit)

    def open_session(self, session: str, title: str = "") -> Session:
        """Begin a session that holds nothing yet, whichever is being talked in.

        Args:
            session: Its id; one that is there already stays as it is.
            title: What people call it; empty to take it from the first message.
        """
        at = self._clock.now()
        if (held := self._store.session(session)) is not None:
            return held
        begun = Session(session, " ".join(title.split()), at, at)
        self._store.amend(begun, None)
        return begun

    def new_session(self, title: str = "") -> None:
        """Let the next message begin a session; the current one stays as it is."""
        self._session_id = None
        self._named = None
        self._title = title

    def take_up(self, session: str) -> Session | None:
        """Take up the session of exactly this id; where there is none, the next message begins it.

        Args:
            session: Its id: any name, as a program that runs many sessions gives them.

        Returns:
            The session, or None where nothing was said in it yet; nothing is stored for that.

        Raises:
            NameRefusedError: No session can be called that.
        """
        try:
            check_name("session", session)
        except ValueError as error:
            raise NameRefusedError(
                f"This session cannot be named: {error}.", hint="Choose another name for it."
            ) from error
        held = self._store.session(session)
        self.new_session()
        self._session_id = held.id if held else None
        self._named = None if held else session
        return held

    @property
    def named(self) -> str | None:
        """The id that the next message begins a session with; None where it gets one of ours."""
        return None if self.session else self._named

    def switch(self, wanted: str) -> Session:
        """Take up another session, by id, number in the list, title or beginning of its id."""
        session = sessions_of.find_session(self._store, wanted)
        self.new_session()
        self._session_id = session.id
        return session

    def retitle(self, title: str) -> Session:
        """Give the current session another title."""
        session = self._require_session()
        return sessions_of.retitle(self._store, session, title, self._clock.now())

    def history(self, limit: int = 50) -> list[Exchange]:
        """The current session's path, oldest first."""
        wanted = self._session_id or self._named  # another process may have begun it
        return self._store.recent(wanted, limit) if wanted else []

    def undo(self) -> Exchange | None:
        """Step back over the newest exchange, which stays stored as a branch."""
        return sessions_of.step_back(self._store, self._require_session(), self._clock.now())

    def branches(self) -> list[Exchange]:
        """The last exchange of every branch of the current session, newest first."""
        session = self.session
        return sessions_of.leaves(self._store, session) if session else []

    def take_branch(self, exchange_id: str) -> Session:
        """Go on from the end of an exchange."""
        session = sessions_of.take_branch(self._store, self.show(exchange_id), self._clock.now())
        self.new_session()
        self._session_id = session.id
        return session

    def show(self, wanted: str) -> Exchange:
        """Give an exchange by its id or the beginning of it.

        Raises:
            NotFoundError: There is none, or several.
        """
        return sessions_of.find_exchange(self._store, wanted)
