"""The sessions of a space: finding, naming, branching, archiving. Nothing here deletes anything."""

from collections.abc import Sequence

from unabridged.context.working_folders import folders
from unabridged.domain.arguments import checks_arguments
from unabridged.domain.exchange import Exchange
from unabridged.domain.results import SessionSummary
from unabridged.domain.scope import check_name
from unabridged.domain.session import Session
from unabridged.errors import NameRefusedError
from unabridged.maintenance.archive_sessions import SessionArchiver
from unabridged.ports import Clock, Store
from unabridged.recording import sessions as sessions_of


@checks_arguments
class Sessions:
    """The sessions of one space."""

    def __init__(self, store: Store, clock: Clock, archives: SessionArchiver) -> None:
        self._store = store
        self._clock = clock
        self.archives = archives

    def get(self, session: str) -> Session | None:
        """Return a session by its whole id; None if there is none."""
        return self._store.session(session)

    def find(self, wanted: str) -> Session:
        """Return a session by id, number in the list, title or prefix of its id.

        Raises:
            NotFoundError: There is none, or several.
        """
        return sessions_of.find_session(self._store, wanted)

    def newest(self) -> Session | None:
        """Return the session that was updated last; None if there is none."""
        return next(iter(self._store.sessions(newest=1)), None)

    def all(self) -> list[Session]:
        """Return the headers of every session, the last updated first."""
        return self._store.sessions()

    def folders(self, sessions: Sequence[str]) -> dict[str, str]:
        """Return the working folders that programs named, by session; others are missing."""
        return folders(self._store, sessions)

    def summaries(
        self, current: str | None = None, limit: int | None = None
    ) -> list[SessionSummary]:
        """Return sessions with their counts, the last updated first; ``current`` is marked."""
        held = self._store.sessions()[:limit]
        counts = self._store.counts()
        return [
            SessionSummary(session, counts.get(session.id, 0), session.id == current)
            for session in held
            # Others may have forgotten it between the two reads.
            if session.id in counts or self._store.session(session.id) is not None
        ]

    def begin(self, session: str, title: str = "") -> Session:
        """Begin a session that holds nothing yet; one that is there already stays as it is.

        Raises:
            NameRefusedError: No session can have this id.
        """
        check_session_name(session)
        at = self._clock.now()
        if (known := self._store.session(session)) is not None:
            return known
        begun = Session(session, " ".join(title.split()), at, at)
        self._store.set_session(begun, None)
        return begun

    def rename(self, session: Session, title: str) -> Session:
        """Rename a session.

        Raises:
            InputError: The title is empty.
        """
        return sessions_of.retitle(self._store, session, title, self._clock.now())

    def undo(self, session: Session) -> Exchange | None:
        """Step back over the newest exchange, which stays stored as a branch.

        Returns:
            The exchange that was stepped over, or None if the session is empty.
        """
        return sessions_of.step_back(self._store, session, self._clock.now())

    def branches(self, session: Session) -> list[Exchange]:
        """Return the last exchange of every branch of a session, newest first."""
        return sessions_of.leaves(self._store, session)

    def checkout(self, exchange: Exchange) -> Session:
        """Continue a session from the end of an exchange.

        Raises:
            NotFoundError: The session does not exist any more.
        """
        return sessions_of.take_branch(self._store, exchange, self._clock.now())


RESERVED = frozenset({".", "..", "last"})
"""Session ids that mean something else: the first two in addresses, ``last`` over HTTP and MCP."""


def check_session_name(session: str) -> None:
    """Check the id of a session.

    Raises:
        NameRefusedError: No session can have this id.
    """
    if session in RESERVED:
        raise NameRefusedError(
            f"A session cannot have the id {session!r}.",
            hint="Give another id; without one, the newest session is meant.",
        )
    try:
        check_name("session", session)
    except (ValueError, TypeError, AttributeError) as error:
        raise NameRefusedError(
            f"This session cannot be named: {error}.", hint="Use another id, as text."
        ) from error
