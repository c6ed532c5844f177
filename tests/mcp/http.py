"""The MCP route on a port of its own, behind a guard that knows a few keys."""

from contextlib import asynccontextmanager

import anyio
import httpx2
from mcp.client.streamable_http import streamable_http_client
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from tests.helpers.web_server import WebServer

from mcp import Client
from unabridged import config
from unabridged.domain.permissions import Grant
from unabridged.domain.scope import Scope
from unabridged.factory.space_pool import SpacePool
from unabridged.mcp.http_transport import mcp_mount

GRANTS = {
    "ann": Grant("ann", user="ann"),
    "bob": Grant("bob", user="bob"),
    "reader": Grant("reader", user="ann", rights=frozenset({"read"})),
    "writer": Grant("writer", user="ann", rights=frozenset({"read", "write"})),
    "one_forgetter": Grant("another key", user="ann"),
    "one": Grant("one", user="ann", session="one"),
}


class _Guard:
    """Knows keys by their names."""

    def __init__(self, app):
        self.app = app

    async def __call__(self, scope, receive, send):
        if scope["type"] == "http":
            key = dict(scope["headers"]).get(b"authorization", b"").decode().removeprefix("Bearer ")
            if key not in GRANTS:
                await PlainTextResponse("no key", 401)(scope, receive, send)
                return
            scope.setdefault("state", {})["grant"] = GRANTS[key]
        await self.app(scope, receive, send)


def scope_of(request):
    grant = request.scope["state"]["grant"]
    return Scope(user=grant.user, session=grant.session)


class Running(WebServer):
    """A server in a thread of its own."""

    def __init__(self, home, mount=mcp_mount):
        settings = config.load(home=home, environ={}, upstream="quote")
        self.pool = SpacePool(settings)
        self.recorded = []
        route = mount(self.pool, scope_of, recorded=self.recorded.append)

        @asynccontextmanager
        async def lifespan(_):
            async with route.running():
                yield

        app = Starlette(routes=[route], lifespan=lifespan)
        app.add_middleware(_Guard)
        super().__init__(app)
        self.url += "/mcp"

    def stop(self):
        try:
            super().stop()
        finally:
            self.pool.close()

    @asynccontextmanager
    async def client(self, key="ann", *, headers=(), mode="auto", **options):
        """The official client, with a key."""
        given = {"Authorization": f"Bearer {key}", **dict(headers)}
        async with httpx2.AsyncClient(headers=given, timeout=30) as http:
            transport = streamable_http_client(self.url, http_client=http)
            async with Client(transport, mode=mode, cache=None, **options) as client:
                yield client

    def talk(self, work, key="ann", **options):
        """Run a coroutine function with a client."""

        async def talk():
            async with self.client(key, **options) as client:
                return await work(client)

        return anyio.run(talk)
