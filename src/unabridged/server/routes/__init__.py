"""Memory itself over HTTP: every route under ``/memory``."""

from functools import cache
from importlib.metadata import version
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from unabridged.server.routes import (
    contexts,
    exchanges,
    facts,
    forgetting,
    import_transcripts,
    maintenance,
    requirements,
    search,
    sessions,
    shares,
)
from unabridged.server.routes.json_responses import given, tagged
from unabridged.server.routes.openapi import document
from unabridged.server.routes.route import fallback

ROUTERS = (
    search.router,
    sessions.router,
    exchanges.router,
    contexts.router,
    facts.router,
    requirements.router,
    maintenance.router,
    forgetting.router,
    shares.router,
    import_transcripts.router,
)


def memory_routes() -> list[BaseRoute]:
    """Give every route under ``/memory``, the last of them for what there is not."""
    routes = _routes()

    async def openapi(request: Request) -> Response:
        return tagged(request, given(await run_in_threadpool(_document)))

    routes.append(Route("/memory/openapi.json", openapi, methods=["GET"]))
    return [*routes, fallback(routes)]


def openapi_document(release: str) -> dict[str, Any]:
    """Give the OpenAPI document of the routes.

    Args:
        release: The version of the program.
    """
    return document(_routes(), release)


@cache
def _document() -> dict[str, Any]:
    # When it is asked for: making it takes longer than all else of a server's start.
    return openapi_document(version("unabridged"))


def _routes() -> list[BaseRoute]:
    return [route for router in ROUTERS for route in router.routes]
