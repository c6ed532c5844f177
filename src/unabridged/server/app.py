"""The application: every route of the server, with one guard for all."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import BaseRoute

from unabridged.errors import SettingError
from unabridged.home.api_keys import ApiKeys
from unabridged.operations import TABLE
from unabridged.operations.operation import Operation
from unabridged.server import (
    chat_anthropic,
    chat_ollama,
    chat_openai,
    completions,
    generate,
    health,
    model_lists,
    passthrough,
    responses,
)
from unabridged.server.auth import AuthMiddleware
from unabridged.server.lazy_route import Runs
from unabridged.server.observability import ObservabilityMiddleware
from unabridged.server.route_permissions import unruled
from unabridged.server.routes import memory_routes
from unabridged.server.state import Service

_DIALECTS = (
    chat_ollama,
    chat_openai,
    chat_anthropic,
    generate,
    responses,
    completions,
    model_lists,
    passthrough,
)
"""The modules of the routes under ``/api`` and ``/v1``; the last answers what no other does."""


def create_app(
    service: Service,
    more: Sequence[BaseRoute] = (),
    operations: Sequence[Operation[Any, Any]] = TABLE,
) -> Starlette:
    """Make the application of a server.

    Args:
        service: Shared by the handlers; closed when the application ends.
        more: Routes from elsewhere: the MCP server under ``/mcp``.
        operations: The operations under ``/memory``.

    Raises:
        SettingError: A route has no permission rule, or the token cannot be used.
    """

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        service.background.start()
        service.backups.start()
        try:
            async with AsyncExitStack() as running:
                for route in more:
                    if isinstance(route, Runs):
                        await running.enter_async_context(route.running())
                yield
        finally:
            await service.end()

    access = ApiKeys(service.settings.home)
    access.token()
    dialects = [route for module in _DIALECTS for route in module.ROUTES]
    app = Starlette(
        routes=[*health.ROUTES, *memory_routes(operations), *more, *dialects],
        middleware=[
            Middleware(ObservabilityMiddleware, watch=service.watch),
            Middleware(
                AuthMiddleware, settings=service.settings, access=access, clock=service.clock
            ),
        ],
        lifespan=lifespan,
    )
    app.state.service = service
    if missing := unruled(app.routes):
        raise SettingError(
            f"Routes without a permission rule: {', '.join(missing)}.",
            hint="Add them to server/route_permissions.py.",
        )
    return app
