"""One call of a route under ``/memory``: whose memory it is of, and how far it reaches."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, TypeVar

from fastapi import Depends, Path, Query
from starlette.requests import Request

from unabridged.domain.exchange import Exchange
from unabridged.domain.permissions import Grant, Right
from unabridged.domain.scope import Scope
from unabridged.domain.session import Session
from unabridged.errors import NotFoundError, PermissionRefusedError
from unabridged.server.resolve_scope import scope_of
from unabridged.server.state import Service, grant_of, service_of
from unabridged.space.space import Space

MOST_A_PAGE = 200
"""Items of one page."""

Result = TypeVar("Result")
_LOOKING = frozenset({"GET", "HEAD"})


@dataclass(frozen=True, slots=True)
class ApiCall:
    """A request, and what it may reach.

    Attributes:
        request: The request.
        service: What handlers share.
        scope: Whose memory; a session in it is the only one that is reached.
        grant: What the key allows.
    """

    request: Request
    service: Service
    scope: Scope
    grant: Grant

    @property
    def owner(self) -> tuple[str, str]:
        """Whose memory it is, for what the server itself holds."""
        return self.scope.user, self.scope.agent

    async def run(self, work: Callable[[Space], Result]) -> Result:
        """Do something with the space, in a thread; see ``Service.run``.

        Who only looks begins no space.
        """
        create = self.request.method not in _LOOKING
        return await self.service.run(self.scope, work, create=create)

    def recorded(self) -> None:
        """Let what is due after recording be done in the background."""
        self.service.background.soon(self.scope)

    def need(self, right: Right) -> None:
        """Refuse what the key does not allow.

        Raises:
            PermissionRefusedError: It has not this right.
        """
        if right not in self.grant.rights:
            raise PermissionRefusedError(
                f"This key has not the right {right.value!r}.", hint="Use a key that has it."
            )

    def need_space(self) -> None:
        """Refuse what concerns a whole space to a key for one session.

        Raises:
            PermissionRefusedError: The key is for one session.
        """
        if self.grant.session is not None:
            raise PermissionRefusedError(
                "This key is for one session, and this concerns the whole memory.",
                hint="Use a key without a session.",
            )

    def reaches(self, session: str) -> bool:
        """Whether the request reaches a session."""
        return self.scope.session in (None, session)

    def session(self, space: Space, session: str) -> Session:
        """Return a session by its id.

        Raises:
            NotFoundError: There is none that the request reaches.
        """
        if self.reaches(session) and (found := space.sessions.get(session)) is not None:
            return found
        raise NotFoundError(
            f"There is no session {session!r}.", hint="List them: GET /memory/sessions"
        )

    def named(self, space: Space, session: str | None) -> str | None:
        """Give the id of the session that something is written to; None for a new one.

        Args:
            space: The space.
            session: The one that the body names, which must be there. Without it, the one that the
                key or the header names, which is begun where it is not there yet.

        Raises:
            NotFoundError: There is none that the request reaches.
        """
        return self.session(space, session).id if session is not None else self.scope.session

    def exchange(self, space: Space, wanted: str) -> Exchange:
        """Find an exchange by its id or the beginning of it.

        Raises:
            NotFoundError: There is none that the request reaches.
        """
        found = space.log.get(wanted)
        if self.reaches(found.session):
            return found
        raise NotFoundError(
            f"There is no exchange {wanted!r}.", hint="Search for it: POST /memory/search"
        )


async def _call_of(request: Request) -> ApiCall:
    return ApiCall(request, service_of(request), scope_of(request), grant_of(request))


Asked = Annotated[ApiCall, Depends(_call_of)]
"""The parameter of a handler that is the call."""
Id = Annotated[str, Path(min_length=1, max_length=200)]
"""An id in a path."""
Limit = Annotated[int, Query(ge=1, le=MOST_A_PAGE, description="The most items of a page.")]
Cursor = Annotated[
    str | None,
    Query(max_length=4096, description="`next` of the page before; without it, the first page."),
]
