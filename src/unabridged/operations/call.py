"""One call of an operation: whose memory it is of, and how far it reaches."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from unabridged.domain.exchange import Exchange
from unabridged.domain.permissions import Grant, Right
from unabridged.domain.scope import Scope, SpaceId
from unabridged.domain.session import Session
from unabridged.errors import NotFoundError, PermissionRefusedError
from unabridged.factory.space_pool import SpacePool
from unabridged.operations.pending_values import Pending
from unabridged.space.space import Space

What = Mapping[str, Any]
"""Ids and figures of what is written."""


def _take_any(_: object) -> None:
    return None


@dataclass(frozen=True, slots=True)
class Call:
    """A call of an operation, and what it may reach.

    Attributes:
        space: The space.
        scope: Whose memory; a session in it is the only one that is reached.
        grant: What the caller may do.
        pool: The open spaces, for what concerns another one.
        pending: What is held between two calls.
        planned: The ids that were chosen before anything was written.
        check_unchanged: Takes what is about to be changed as it is now, and refuses where the
            caller saw something else.
        upload: The file that was sent.
    """

    space: Space
    scope: Scope
    grant: Grant
    pool: SpacePool
    pending: Pending
    planned: What = field(default_factory=dict)
    check_unchanged: Callable[[object], None] = _take_any
    upload: BinaryIO | None = None

    @property
    def owner(self) -> tuple[str, str]:
        """Whose memory it is, for what is held between two calls."""
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
            NotFoundError: There is none that the call reaches.
        """
        if self.reaches(session) and (found := self.space.sessions.get(session)) is not None:
            return found
        raise NotFoundError(
            f"There is no session {session!r}.", hint="List them: GET /memory/sessions"
        )

    def session_to_write(self, session: str | None) -> str | None:
        """Return the id of the session that something is written to; None for a new one.

        Args:
            session: The one that the call names, which must be there. Without it, the one that the
                key or the header names, which is begun where it is not there yet.

        Raises:
            NotFoundError: There is none that the call reaches.
        """
        return self.session(session).id if session is not None else self.scope.session

    def exchange(self, wanted: str) -> Exchange:
        """Find an exchange by its id or the beginning of it.

        Raises:
            NotFoundError: There is none that the call reaches.
        """
        found = self.space.log.get(wanted)
        if self.reaches(found.session):
            return found
        raise NotFoundError(
            f"There is no exchange {wanted!r}.", hint="Search for it: POST /memory/search"
        )


def need(grant: Grant, right: Right) -> None:
    """Refuse what a key does not allow.

    Raises:
        PermissionRefusedError: It has not this right.
    """
    if right not in grant.rights:
        raise PermissionRefusedError(
            f"This key has not the right {right.value!r}.", hint="Use a key that has it."
        )


def need_space(grant: Grant) -> None:
    """Refuse what concerns a whole space to a key for one session.

    Raises:
        PermissionRefusedError: The key is for one session.
    """
    if grant.session is not None:
        raise PermissionRefusedError(
            "This key is for one session, and this concerns the whole memory.",
            hint="Use a key without a session.",
        )
