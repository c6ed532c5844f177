"""The application: every route behind one guard, put together from a service."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager

from fastapi import FastAPI
from fastapi.telemetry import TelemetryConfig
from starlette.routing import BaseRoute

from unabridged.errors import SettingError
from unabridged.home.api_keys import ApiKeys
from unabridged.server import health
from unabridged.server.auth import AuthMiddleware
from unabridged.server.dialects import dialect_routes
from unabridged.server.lazy_route import Runs
from unabridged.server.observability import ObservabilityMiddleware
from unabridged.server.route_permissions import unruled
from unabridged.server.routes import memory_routes
from unabridged.server.state import Service

_SILENT = TelemetryConfig(tracing=False, metrics=False, logs=False, auto_configure=False)
"""FastAPI would tell OpenTelemetry what a request that fails holds, also where nobody asked it to;
what we tell it, and that without content, stands in ``tracing``."""


def create_app(service: Service, more: Sequence[BaseRoute] = ()) -> FastAPI:
    """Make the application of a server.

    Args:
        service: What its handlers share; closed when the application ends.
        more: Routes from elsewhere: the MCP server under ``/mcp``.

    Raises:
        SettingError: A route has no rule that says who may ask for it, or the token cannot be used.
    """

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        service.background.start()
        try:
            async with AsyncExitStack() as running:
                for route in more:
                    if isinstance(route, Runs):
                        await running.enter_async_context(route.running())
                yield
        finally:
            await service.end()

    app = FastAPI(
        title="Unabridged",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        telemetry=_SILENT,
    )
    app.state.service = service
    access = ApiKeys(service.settings.home)
    access.token()
    app.add_middleware(
        AuthMiddleware, settings=service.settings, access=access, clock=service.clock
    )
    app.add_middleware(
        ObservabilityMiddleware, watch=service.watch
    )  # the last one is the outermost
    app.router.routes.extend(health.router.routes)
    app.router.routes.extend([*memory_routes(), *more, *dialect_routes()])
    if missing := unruled(app.routes):
        raise SettingError(
            f"No rule says who may ask for {', '.join(missing)}.",
            hint="Add it to server/route_permissions.py.",
        )
    return app
