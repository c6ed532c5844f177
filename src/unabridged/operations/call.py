"""One call of an operation: its space, and what it may reach."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, BinaryIO

from unabridged.domain.exchange import Exchange
from unabridged.domain.permissions import Grant, Right
from unabridged.domain.scope import Scope, SpaceId
from unabridged.domain.session import Session
from unabridged.domain.topic import Moved
from unabridged.errors import NotFoundError, PermissionRefusedError
from unabridged.operations.pending_values import Pending
from unabridged.space.sessions import check_session_name

if TYPE_CHECKING:
    from unabridged.factory.space_pool import SpacePool
    from unabridged.space.space import Space

What = Mapping[str, Any]
"""Ids and figures of what is written."""


def _take_any(_: object) -> None:
    return None


def _ignore(_: str, __: int, ___: int) -> None:
    return None


@dataclass(frozen=True, slots=True)
class Call:
    """A call of an operation, and what it may reach.

    Attributes:
        space: The space.
        scope: Whose memory it is. If it names a session, the call reaches only that one.
        grant: What the caller may do.
        pool: The open spaces, for operations on two spaces.
        pending: Values that are kept between two calls.
        planned: Ids that were chosen before anything is written.
        check_unchanged: Takes the current state of what will change; raises if the caller saw
            another one.
        upload: The file that was sent.
        moved: Is called with the progress of long work: the stage, what is done, and the total.
        is_narrow: Whether a prompt recalls only from the scope's session, also if the key reaches
            more.
    """

    space: "Space"
    scope: Scope
    grant: Grant
    pool: "SpacePool"
    pending: Pending
    planned: What = field(default_factory=dict)
    check_unchanged: Callable[[object], None] = _take_any
    upload: BinaryIO | None = None
    moved: Moved = _ignore
    is_narrow: bool = False

    @property
    def owner(self) -> tuple[str, str]:
        """Whose memory it is, for values that are kept between two calls."""
        return self.scope.user, self.scope.agent

    def reaches(self, session: str) -> bool:
        """Whether the call reaches a session."""
        return self.scope.session in (None, session)

    def reaches_space(self, space: SpaceId) -> bool:
        """Whether the caller's key reaches a space."""
        grant = self.grant
        return grant.user in (None, space.user) and grant.agent in (None, space.agent)

    def session(self, session: str) -> Session:
        """Return a session by its id.

        Raises:
            NotFoundError: The call reaches no such session.
        """
        if self.reaches(session) and (found := self.space.sessions.get(session)) is not None:
            return found
        raise NotFoundError(
            f"There is no session {session!r}.", hint="List the sessions to find its id."
        )

    def find_session(self, wanted: str) -> Session:
        """Return a session by its id, the beginning of it, its title, or its number in the list.

        Raises:
            NotFoundError: The call reaches no such session.
        """
        only = self.scope.session
        if only is not None and wanted != only:
            raise NotFoundError(
                f"There is no session {wanted!r} here.",
                hint=f"This request reaches the session {only!r} only.",
            )
        return self.space.sessions.find(wanted)

    def newest_session(self) -> Session | None:
        """Return the newest session that the call reaches; None if there is none yet."""
        if self.scope.session is not None:
            return self.space.sessions.get(self.scope.session)
        return self.space.sessions.newest()

    def session_to_write(self, session: str | None) -> str | None:
        """Return the id of the session to write to; None for a new one.

        Args:
            session: The session that the call names; one that is not there yet begins. Without it,
                the session of the key or header.

        Raises:
            NotFoundError: The call reaches another session only.
            NameRefusedError: No session can have this id.
        """
        if session is None:
            return self.scope.session
        if not self.reaches(session):
            return self.session(session).id
        check_session_name(session)
        return session

    def exchange(self, wanted: str) -> Exchange:
        """Return an exchange by its id or the beginning of it.

        Raises:
            NotFoundError: The call reaches no such exchange.
        """
        found = self.space.log.get(wanted)
        if self.reaches(found.session):
            return found
        raise NotFoundError(
            f"There is no exchange {wanted!r}.", hint="Search for it to find its id."
        )


def need(grant: Grant, right: Right) -> None:
    """Refuse a key that lacks a right.

    Raises:
        PermissionRefusedError: The key lacks it.
    """
    if right not in grant.rights:
        raise PermissionRefusedError(
            f"This key lacks the right {right.value!r}.",
            hint="Use a key that has it; `unabridged keys create` makes one.",
        )


def need_space(grant: Grant) -> None:
    """Refuse a key for one session.

    Raises:
        PermissionRefusedError: The key is for one session.
    """
    if grant.session is not None:
        raise PermissionRefusedError(
            "This key is for one session, and this needs the whole memory.",
            hint="Use a key without a session; `unabridged keys create` makes one.",
        )
