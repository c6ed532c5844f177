"""A request: where a request's memory comes from, and what it may do with it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import anyio.to_thread
from anyio import CapacityLimiter
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.shared.exceptions import MCPError
from mcp.types import INVALID_PARAMS

from unabridged.domain.exchange import Exchange
from unabridged.domain.permissions import Grant, Right
from unabridged.domain.scope import Scope
from unabridged.domain.session import Session
from unabridged.errors import NotFoundError, PermissionRefusedError, UnabridgedError
from unabridged.factory.space_pool import SpacePool
from unabridged.space.recalled_text import line_of
from unabridged.space.space import Space

THREADS = 16
"""Tool calls that ask memories at the same time."""

ASKING: ContextVar[Any] = ContextVar("asking", default=None)
"""The HTTP request that is being answered, for handlers whom the SDK does not tell it."""

Ctx = Context[Any, Any]
"""What the SDK hands a tool of its request."""
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks.

    Attributes:
        scope: Whose memory; a session in it is the only one that may be reached.
        grant: What may be done.
    """

    scope: Scope
    grant: Grant


Knows = Callable[[Any], Caller]
"""Says who asks, from the HTTP request, or from None where the server was started by its client.

It may raise any ``UnabridgedError``: the request names somebody whom its key does not reach.
"""


class ToolRequests:
    """Gives tools the memory that they may use.

    Args:
        pool: The open spaces.
        knows: Says who asks.
        recorded: Told the scope in which something was recorded; None where nobody tends to it.
        failed: Told of an error that is nobody's but ours, so that it can be logged by its kind;
            the client learns only that there was one.
    """

    def __init__(
        self,
        pool: SpacePool,
        knows: Knows,
        recorded: Callable[[Scope], None] | None = None,
        failed: Callable[[Exception], None] | None = None,
    ) -> None:
        self.pool = pool
        self._knows = knows
        self._recorded = recorded
        self._failed = failed
        self._threads = CapacityLimiter(THREADS)

    def caller(self, request: Any) -> Caller:
        """Say who asks.

        Raises:
            ToolError: The request names somebody whom its key does not reach.
        """
        try:
            return self._knows(request)
        except UnabridgedError as error:
            raise refusal_of(error) from error

    async def run(
        self,
        ctx: Ctx,
        right: Right,
        work: Callable[[Space, Scope], Result],
        *,
        whole: bool = False,
    ) -> Result:
        """Do something with the memory of a request, in a thread.

        Begun work goes on to its end where the request is cancelled.

        Args:
            ctx: The request.
            right: What is needed for it.
            work: Takes the space and the scope; may block.
            whole: Whether it concerns the whole space, which a key for one session does not reach.

        Raises:
            ToolError: It may not be done, or could not be; the text says what to do next.
        """
        caller = self.caller(ctx.request_context.request)
        return await self.run_for(caller, right, work, whole=whole)

    async def run_for(
        self,
        caller: Caller,
        right: Right,
        work: Callable[[Space, Scope], Result],
        *,
        whole: bool = False,
    ) -> Result:
        """Do something with the memory of a caller; see ``run``."""

        def held() -> Result:
            if right not in caller.grant.rights:
                raise PermissionRefusedError(
                    f"This key does not allow it: it lacks the right {right.value!r}.",
                    hint="Whoever runs this server can make one that does.",
                )
            if whole and caller.grant.session is not None:
                raise PermissionRefusedError(
                    "This key is for one session, and this concerns the whole memory.",
                    hint="A key without a session does it.",
                )
            create = right is not Right.READ  # who only looks begins no space
            with self.pool.use(caller.scope, create=create) as space:
                return work(space, caller.scope)

        try:
            return await anyio.to_thread.run_sync(held, limiter=self._threads)
        except UnabridgedError as error:
            raise refusal_of(error) from error
        except Exception as error:
            if self._failed is not None:
                self._failed(error)
            raise

    def note_recorded(self, ctx: Ctx) -> None:
        """Tell whoever tends to memory that something was recorded."""
        if self._recorded is not None:
            self._recorded(replace(self.caller(ctx.request_context.request).scope, session=None))


def refusal_of(error: UnabridgedError) -> ToolError:
    """An error of the house as a tool tells it: what happened, and what to do next."""
    return ToolError(line_of(f"{error} {error.hint}".strip()))


@contextmanager
def errors_as_bad_parameters() -> Iterator[None]:
    """Tell a refusal where there is no tool: as a fault of the request's parameters.

    Raises:
        MCPError: Instead of ``ToolError``.
    """
    try:
        yield
    except ToolError as error:
        raise MCPError(INVALID_PARAMS, str(error)) from error


def within(scope: Scope, exchange: Exchange) -> Exchange:
    """Give an exchange that a scope reaches.

    Raises:
        NotFoundError: It is of a session that the scope does not reach.
    """
    if scope.session is not None and exchange.session != scope.session:
        raise NotFoundError(
            f"There is no exchange {exchange.id!r}.",
            hint="This request reaches one session only.",
        )
    return exchange


def session_of(space: Space, scope: Scope, wanted: str | None) -> Session | None:
    """Return the session that a call means; None where it has not begun.

    Args:
        space: The space.
        scope: Whose; a session in it is the only one.
        wanted: What the call names: id, title, number or beginning of an id; None for a new one.

    Raises:
        NotFoundError: There is none of that name, or the scope does not reach it.
    """
    only = scope.session
    if only is not None and wanted not in {None, only}:
        raise NotFoundError(
            f"There is no session {wanted!r} here.",
            hint=f"This request reaches the session {only!r} only.",
        )
    name = only or wanted
    if name is None or (only is not None and space.sessions.get(only) is None):
        return None
    return space.sessions.find(name)
