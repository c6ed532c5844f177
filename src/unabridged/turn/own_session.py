"""The session that a conversation owns, whether it is stored here or by a server."""

from unabridged.domain.context import Context
from unabridged.errors import InputError
from unabridged.ports import Clock
from unabridged.space.sessions import check_session_name


class SessionOwner:
    """The owner of a session: its id, and the title of one that begins.

    Args:
        clock: The time and ids.
        session: The id of the session; None for a new one.
        title: The title of a session that begins.

    Attributes:
        is_named: Whether the owner chose the session's id.

    Raises:
        NameRefusedError: No session can have this id.
    """

    def __init__(self, clock: Clock, session: str | None, title: str) -> None:
        if session is not None:
            check_session_name(session)
        self._clock = clock
        self._session = session
        self._title = title
        self.is_named = session is not None

    @property
    def session(self) -> str:
        """The id of the session."""
        if self._session is None:
            self._session = self._clock.new_id()
        return self._session

    def _check_own(self, context: Context, memory: str) -> None:
        theirs = context.scope.session
        elsewhere = context.placed or context.retry_of is not None  # found by its messages
        if not elsewhere and self._session is not None and theirs != self._session:
            raise InputError(
                f"This context is of the session {theirs!r}, not of {self._session!r}.",
                hint=f"Record it with its own conversation, or with {memory}.record().",
            )
