"""The route class of ``/memory``: every error is a problem, every GET has its ETag."""

from collections.abc import Callable, Collection, Coroutine, Sequence
from typing import Any

from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Match, Route
from starlette.types import Receive, Scope, Send

from unabridged.errors import UnabridgedError
from unabridged.server.routes.json_responses import JSON, HttpProblem, problem, tagged

RAW = "x-raw-body"
"""Marks an operation that takes a body of any media type."""


class MemoryRoute(APIRoute):
    """A route that answers errors as problems, and GETs with an ETag."""

    def matches(  # type: ignore[explicit-override]  # typing.override came with 3.12
        self, scope: Scope
    ) -> tuple[Match, Scope]:
        """Take HEAD for GET."""
        return super().matches(self._as_get(scope))

    async def handle(  # type: ignore[explicit-override]  # as above
        self, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Handle a request; the server below leaves the body of an answer to HEAD out by itself."""
        await super().handle(self._as_get(scope), receive, send)

    def _as_get(self, scope: Scope) -> Scope:
        if scope.get("method") == "HEAD" and "GET" in (self.methods or ()):
            return {**scope, "method": "GET"}
        return scope

    def get_route_handler(  # type: ignore[explicit-override]  # typing.override came with 3.12
        self,
    ) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Give the handler."""
        handle = super().get_route_handler()
        raw = RAW in (self.openapi_extra or {})
        known = {field.alias for field in self.dependant.query_params}

        async def handler(request: Request) -> Response:
            try:
                _check_query(request, known)
                if not raw:
                    _check_media(request)
                return tagged(request, await handle(request))
            except RequestValidationError as error:
                return problem(_invalid(error))
            except (UnabridgedError, HttpProblem) as error:
                return problem(error)
            except HTTPException as error:
                return problem(HttpProblem(error.status_code, "request", str(error.detail)))

        return handler


def fallback(routes: Sequence[BaseRoute]) -> Route:
    """Give the route that answers what no other below ``/memory`` does: 404, or 405.

    Args:
        routes: The others.
    """

    async def nothing(request: Request) -> Response:
        path = request.scope["path"]
        near = [r for r in routes if r.matches(request.scope)[0] is Match.PARTIAL]
        if not near:
            hint = "The routes stand in GET /memory/openapi.json."
            return problem(HttpProblem(404, "no-route", f"There is nothing at {path}.", hint=hint))
        allowed = sorted({m for route in near for m in getattr(route, "methods", ())})
        return problem(
            HttpProblem(
                405,
                "method",
                f"{path} does not take {request.method}.",
                hint=f"It takes {', '.join(allowed)}.",
                headers={"Allow": ", ".join(allowed)},
            )
        )

    return Route("/memory/{rest:path}", nothing, methods=METHODS, include_in_schema=False)


METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"]


def _check_query(request: Request, known: Collection[str]) -> None:
    unknown = [name for name in request.query_params if name not in known]
    if unknown:
        raise HttpProblem(
            422,
            "unknown-parameter",
            f"{request.url.path} knows no parameter {unknown[0][:100]!r}.",
            hint=f"It knows {', '.join(sorted(known))}." if known else "It knows none.",
        )


def _check_media(request: Request) -> None:
    has_body = request.headers.get("content-length", "0") != "0" or (
        "transfer-encoding" in request.headers
    )
    media = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if has_body and request.method not in ("GET", "HEAD", "DELETE") and media != JSON:
        raise HttpProblem(
            415,
            "media-type",
            f"This route takes {JSON}, not {media or 'a body without a type'}.",
            hint=f"Send Content-Type: {JSON}",
            headers={"Accept-Post": JSON},
        )


def _invalid(error: RequestValidationError) -> HttpProblem:
    found = error.errors()
    if any(each["type"] == "json_invalid" for each in found):
        return HttpProblem(400, "json", "The body is no JSON.", hint="Look at its syntax.")
    told = [f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in found[:5]]
    more = f" (and {len(found) - 5} more)" if len(found) > 5 else ""
    return HttpProblem(
        422,
        "invalid",
        f"{'; '.join(told)}{more}",
        hint="What each route takes stands in GET /memory/openapi.json.",
    )
