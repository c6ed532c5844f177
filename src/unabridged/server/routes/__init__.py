"""Memory itself over HTTP: every operation as a route under ``/memory``."""

from functools import cache
from importlib.metadata import version
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from unabridged.operations import TABLE
from unabridged.server.routes.endpoint import Endpoint, fallback
from unabridged.server.routes.json_responses import given, tagged
from unabridged.server.routes.openapi import document

ENDPOINTS = tuple(Endpoint(operation) for operation in TABLE)


def memory_routes() -> list[BaseRoute]:
    """Return every route under ``/memory``, the last of them for what there is not."""
    routes: list[BaseRoute] = [each.route() for each in ENDPOINTS]
    routes.append(Route("/memory/openapi.json", _openapi, methods=["GET"]))
    return [*routes, fallback(routes)]


@cache
def openapi_document(release: str) -> dict[str, Any]:
    """Return the OpenAPI document of the routes.

    Args:
        release: The version of the program.
    """
    return document(ENDPOINTS, release)


async def _openapi(request: Request) -> Response:
    # When it is asked for: making it takes longer than all else of a server's start.
    made = await run_in_threadpool(openapi_document, version("unabridged"))
    return tagged(request, given(made))
