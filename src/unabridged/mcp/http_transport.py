"""MCP over streamable HTTP: a route for the server, which says who may ask before it is reached.

Clients of 2025-11-25 and before have a session that holds what they can do (so that a person can be
asked in the middle of a call); those of 2026-07-28 need none. A session belongs to the key and scope
that began it, and each request is checked for its own.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

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
from unabridged.mcp.request_context import Caller, Knows, ToolRequests
from unabridged.mcp.server import server_of

PATH = "/mcp"
SESSIONS = 1000
"""Clients of the older protocol that are connected at the same time."""
IDLE = 30 * 60.0
"""Seconds after which one that asks nothing is let go; it begins again by itself."""
_INVALID_REQUEST = -32600
"""JSON-RPC 2.0, section 5.1."""


class McpRoute(Route):
    """The route of the MCP server; ``running`` must last as long as the application.

    Args:
        server: The MCP server.
        knows: Says who asks.
        max_body: Bytes that a request may have.
    """

    def __init__(self, server: MCPServer, knows: Knows, max_body: int) -> None:
        server.streamable_http_app(
            transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
            session_idle_timeout=IDLE,
            max_sessions=SESSIONS,
            max_request_body_size=max_body,
        )  # the guard has looked at Host and Origin already
        self._manager = server.session_manager
        super().__init__(PATH, _Named(AuthContextMiddleware(self._manager.handle_request), knows))

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Let clients have sessions; closes them all at its end."""
        async with self._manager.run():
            yield


def mcp_mount(
    pool: SpacePool,
    scope_of: Callable[[Request], Scope],
    *,
    recorded: Callable[[Scope], None] | None = None,
    failed: Callable[[Exception], None] | None = None,
    max_body: int = 4 * 2**20,
) -> McpRoute:
    """Make the route that offers memory over MCP, for ``create_app(service, [route])``.

    Args:
        pool: The open spaces.
        scope_of: Says whose memory a request reaches; the guard has put its grant beside it.
        recorded: Told the scope in which something was recorded: ``service.background.soon``.
        failed: Told of an error that is nobody's but ours, for the log.
        max_body: Bytes that a request may have.
    """

    def knows(request: Request) -> Caller:
        grant: Grant = request.scope["state"]["grant"]
        return Caller(scope_of(request), grant)

    return McpRoute(server_of(ToolRequests(pool, knows, recorded, failed)), knows, max_body)


class _Named:
    """Tells the SDK who asks, so that one's session cannot be used by another."""

    def __init__(self, app: AuthContextMiddleware, knows: Knows) -> None:
        self._app = app
        self._knows = knows

    async def __call__(self, connection: Connection, receive: Receive, send: Send) -> None:
        try:
            caller = self._knows(Request(connection))
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
        # RFC 9110, 5.5: blanks around a value are none of it; not every parser takes them off.
        await self._app({**connection, "headers": bare, "user": user}, receive, send)


def _refusal(error: UnabridgedError) -> JSONResponse:
    told = {"code": _INVALID_REQUEST, "message": f"{error} {error.hint}".strip()}
    status = 403 if isinstance(error, AccessError) else 400
    return JSONResponse({"jsonrpc": "2.0", "id": None, "error": told}, status)
