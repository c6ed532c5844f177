"""MCP over streamable HTTP: the route of the server, behind the guard that checks keys.

Clients of protocol 2025-11-25 and older have a session that holds their capabilities, so that a
person can be asked during a call; those of 2026-07-28 need none. A session belongs to the key and
scope that began it, and the server checks each request separately.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

from mcp.server.auth.middleware.auth_context import AuthContextMiddleware
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.mcpserver import MCPServer
from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.types import Receive, Scope as Connection, Send

from unabridged.domain.permissions import Grant
from unabridged.domain.scope import Scope
from unabridged.errors import AccessError, UnabridgedError
from unabridged.factory.space_pool import SpacePool
from unabridged.mcp.request_context import Caller, Identify, ToolRequests
from unabridged.mcp.server import server_of
from unabridged.operations import TABLE
from unabridged.operations.operation import Operation

PATH = "/mcp"
SESSIONS = 1000
"""Clients of the older protocol at the same time."""
IDLE_SECONDS = 30 * 60.0
"""Time after which an idle session is dropped; clients begin a new one by themselves."""
_INVALID_REQUEST = -32600
"""JSON-RPC 2.0, section 5.1."""


class McpRoute(Route):
    """The route of the MCP server; ``running`` must last as long as the application.

    Args:
        server: The MCP server.
        identify: Returns the caller.
        max_body: Bytes of a request, at most.
    """

    def __init__(self, server: MCPServer, identify: Identify, max_body: int) -> None:
        server.streamable_http_app(
            transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
            session_idle_timeout=IDLE_SECONDS,
            max_sessions=SESSIONS,
            max_request_body_size=max_body,
        )  # the guard has checked Host and Origin already
        self._manager = server.session_manager
        super().__init__(
            PATH, _Named(AuthContextMiddleware(self._manager.handle_request), identify)
        )

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Serve sessions; close them all at the end."""
        async with self._manager.run():
            yield


def mcp_mount(
    pool: SpacePool,
    scope_of: Callable[[Request], Scope],
    *,
    recorded: Callable[[Scope], None] | None = None,
    failed: Callable[[Exception], None] | None = None,
    max_body: int = 4 * 2**20,
    operations: Sequence[Operation[Any, Any]] = TABLE,
) -> McpRoute:
    """Return the route of memory over MCP, for ``create_app(service, [route])``.

    Args:
        pool: The open spaces.
        scope_of: Returns whose memory a request reaches; the guard has added its grant.
        recorded: Receives the scope in which something was recorded: ``service.background.soon``.
        failed: Receives unexpected errors, for the log.
        max_body: Bytes of a request, at most.
        operations: The operations that tools follow.
    """

    def identify(request: Request) -> Caller:
        grant: Grant = request.scope["state"]["grant"]
        return Caller(scope_of(request), grant)

    requests = ToolRequests(pool, identify, recorded, failed)
    return McpRoute(server_of(requests, operations), identify, max_body)


class _Named:
    """Passes the caller to the SDK, so that nobody can use the session of another caller."""

    def __init__(self, app: AuthContextMiddleware, identify: Identify) -> None:
        self._app = app
        self._identify = identify

    async def __call__(self, connection: Connection, receive: Receive, send: Send) -> None:
        try:
            caller = self._identify(Request(connection))
        except UnabridgedError as error:
            await _refusal(error)(connection, receive, send)
            return
        scope = caller.scope
        token = AccessToken(
            token="",
            client_id=caller.grant.name,
            scopes=sorted(caller.grant.rights),
            subject="\n".join([scope.user, scope.agent, scope.session or ""]),
        )
        bare = [(name, value.strip(b" \t")) for name, value in connection["headers"]]
        user = AuthenticatedUser(token)
        # RFC 9110, 5.5: spaces around a value are not part of it; not every parser removes them.
        await self._app({**connection, "headers": bare, "user": user}, receive, send)


def _refusal(error: UnabridgedError) -> JSONResponse:
    told = {"code": _INVALID_REQUEST, "message": f"{error} {error.hint}".strip()}
    status = 403 if isinstance(error, AccessError) else 400
    return JSONResponse({"jsonrpc": "2.0", "id": None, "error": told}, status)
