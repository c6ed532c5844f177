"""Memory over HTTP: every operation of the table as a route under ``/memory``."""

from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from unabridged.operations import TABLE
from unabridged.operations.operation import Operation
from unabridged.server.routes.endpoint import Endpoint, fallback
from unabridged.server.routes.json_responses import given, tagged
from unabridged.server.routes.openapi import document


def memory_routes(table: Sequence[Operation[Any, Any]] = TABLE) -> list[BaseRoute]:
    """Return every route under ``/memory``. The last one answers requests for unknown paths."""
    rows = tuple(table)

    async def openapi(request: Request) -> Response:
        # On request only: it takes longer than the rest of the server's start.
        made = await run_in_threadpool(openapi_document, version("unabridged"), rows)
        return tagged(request, given(made))

    routes: list[BaseRoute] = [Endpoint(operation).route() for operation in rows]
    routes.append(Route("/memory/openapi.json", openapi, methods=["GET"]))
    return [*routes, fallback(routes)]


@cache
def openapi_document(
    release: str, table: tuple[Operation[Any, Any], ...] = TABLE
) -> dict[str, Any]:
    """Return the OpenAPI document of the routes.

    Args:
        release: The version of the program.
        table: The operations.
    """
    return document([Endpoint(operation) for operation in table], release)
