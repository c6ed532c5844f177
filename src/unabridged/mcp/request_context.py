"""Requests of MCP clients: whose memory they use, and what they may do with it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

import anyio.to_thread
from anyio import CapacityLimiter
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.shared.exceptions import MCPError
from mcp.types import INVALID_PARAMS

from unabridged.domain.permissions import Grant, Right
from unabridged.domain.scope import Scope
from unabridged.errors import UnabridgedError
from unabridged.factory.space_pool import SpacePool
from unabridged.operations.call import Call, need
from unabridged.operations.pending_values import Pending
from unabridged.space.recalled_text import line_of

THREADS = 16
"""Calls that use memories at the same time."""
REQUEST: ContextVar[Any] = ContextVar("request", default=None)
"""The current HTTP request, for handlers to which the SDK does not pass it."""
Ctx = Context[Any, Any]
"""The context that the SDK passes to a tool."""
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Caller:
    """The sender of a request.

    Attributes:
        scope: Whose memory it uses. If it names a session, it reaches only that one.
        grant: What it may do.
    """

    scope: Scope
    grant: Grant


Identify = Callable[[Any], Caller]
"""Returns the caller for an HTTP request, or for None if the client started the server.

It may raise any ``UnabridgedError``: the request names a memory that its key does not reach.
"""
need_read = partial(need, right=Right.READ)


class ToolRequests:
    """Runs the calls of tools, resources and prompts.

    Args:
        pool: The open spaces.
        identify: Returns the caller.
        recorded: Receives the scope in which something was recorded.
        failed: Receives unexpected errors, to log their kind. The client only learns that there
            was one.
    """

    def __init__(
        self,
        pool: SpacePool,
        identify: Identify,
        recorded: Callable[[Scope], None] | None = None,
        failed: Callable[[Exception], None] | None = None,
    ) -> None:
        self._pool = pool
        self._identify = identify
        self._recorded = recorded
        self._failed = failed
        self._pending = Pending(pool.clock)
        self._threads = CapacityLimiter(THREADS)

    def caller(self, request: Any) -> Caller:
        """Return the caller of a request.

        Raises:
            ToolError: The request names a memory that its key does not reach.
        """
        try:
            return self._identify(request)
        except UnabridgedError as error:
            raise refusal_of(error) from error

    async def run(
        self,
        request: Any,
        work: Callable[[Call], Result],
        *,
        check: Callable[[Grant], None] = need_read,
        creates: bool = False,
    ) -> Result:
        """Run something on the memory of a request, in a thread.

        Work that has begun continues to its end if the request is cancelled.

        Args:
            request: The HTTP request, or None.
            work: Takes the call; may block.
            check: Raises if the caller may not do it.
            creates: Whether to create a space that does not exist yet.

        Raises:
            ToolError: It is not allowed, or it failed; the text contains a hint.
        """
        caller = self.caller(request)

        def held() -> Result:
            check(caller.grant)
            with self._pool.use(caller.scope, create=creates) as space:
                narrow = caller.scope.session is not None
                call = Call(
                    space, caller.scope, caller.grant, self._pool, self._pending, is_narrow=narrow
                )
                return work(call)

        try:
            return await anyio.to_thread.run_sync(held, limiter=self._threads)
        except UnabridgedError as error:
            raise refusal_of(error) from error
        except Exception as error:
            if self._failed is not None:
                self._failed(error)
            raise

    def note_recorded(self, request: Any) -> None:
        """Report that something was recorded, so that maintenance runs."""
        if self._recorded is not None:
            self._recorded(replace(self.caller(request).scope, session=None))


def refusal_of(error: UnabridgedError) -> ToolError:
    """Return an error as a tool's error: what failed, and a hint."""
    return ToolError(line_of(f"{error} {error.hint}".strip()))


@contextmanager
def errors_as_bad_parameters() -> Iterator[None]:
    """Turn a refusal into an error of the request's parameters, for handlers other than tools.

    Raises:
        MCPError: Instead of ``ToolError``.
    """
    try:
        yield
    except ToolError as error:
        raise MCPError(INVALID_PARAMS, str(error)) from error
