"""An operation as a route under ``/memory``: it reads requests strictly and answers in JSON."""

import json
from collections.abc import Collection, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any
from urllib.parse import unquote

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Match, Route
from starlette.types import Scope as Connection

from unabridged import config
from unabridged.disk.large_files import nameless
from unabridged.errors import UnabridgedError
from unabridged.operations.call import Call
from unabridged.operations.operation import Operation, Paged, Params, Place
from unabridged.operations.operation_results import Download
from unabridged.operations.parameters import fault_of, subset
from unabridged.operations.pending_values import Pending
from unabridged.server.resolve_scope import scope_of
from unabridged.server.routes.idempotency_key import perform
from unabridged.server.routes.json_responses import (
    JSON,
    HttpProblem,
    check_match,
    given,
    paged,
    problem,
    tagged,
)
from unabridged.server.state import grant_of, service_of
from unabridged.space.space import Space

PREFIX = "/memory"
_METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"]


class PartsRoute(Route):
    """A route whose parameters may contain a slash: ``a%2Fb`` is one part of a path."""

    def matches(self, scope: Connection) -> tuple[Match, Connection]:  # type: ignore[explicit-override]  # typing.override came with 3.12
        """Match the path as it was sent, and decode its parameters."""
        raw = scope.get("raw_path") or b""
        if b"%2f" not in raw.lower() or scope.get("root_path"):
            return super().matches(scope)
        match, found = super().matches({**scope, "path": raw.decode("latin-1")})
        parts = found.get("path_params", {})
        return match, {**found, "path_params": {n: unquote(v) for n, v in parts.items()}}


@dataclass(frozen=True)
class Endpoint:
    """An operation over HTTP.

    Attributes:
        operation: The operation.
    """

    operation: Operation[Any, Any]

    @cached_property
    def path_model(self) -> type[Params]:
        """The type of the parameters in the path."""
        return _model_of(self.operation, Place.PATH)

    @cached_property
    def query_model(self) -> type[Params]:
        """The type of the parameters in the query, whose texts are converted."""
        return _model_of(self.operation, Place.QUERY)

    @cached_property
    def body_model(self) -> type[Params] | None:
        """The type of the body; None if there is none."""
        operation = self.operation
        if operation.method in {"GET", "DELETE"} or operation.transfer:
            return None
        names = operation.fields_of(Place.BODY)
        if not names and not operation.bare:
            return None
        is_whole = len(names) == len(operation.params.__struct_fields__)
        return operation.params if is_whole else _model_of(operation, Place.BODY)

    def route(self) -> Route:
        """Return its route."""
        path = f"{PREFIX}{self.operation.path}"
        return PartsRoute(path, self._answer, methods=[self.operation.method])

    async def _answer(self, request: Request) -> Response:
        try:
            return tagged(request, await self._run(request))
        except (UnabridgedError, HttpProblem) as error:
            return problem(error)

    async def _run(self, request: Request) -> Response:
        operation = self.operation
        _check_query(request, operation.fields_of(Place.QUERY))
        if operation.transfer is None:
            _check_media(request)
        service, scope, grant = service_of(request), scope_of(request), grant_of(request)
        params = await self._params(request)
        operation.check(grant)  # before a file is received or a space is created
        make_call = partial(
            Call,
            scope=scope,
            grant=grant,
            pool=service.pool,
            pending=pending_of(request),
            check_unchanged=partial(check_match, request),
        )
        with ExitStack() as files:
            if operation.transfer == "upload":
                file = files.enter_context(nameless(config.folder(service.settings.home, "cache")))
                await _receive(request, file)
                make_call = partial(make_call, upload=file)
            work = await perform(request, operation, params, grant, scope)

            def run(space: Space) -> Any:
                return work(make_call(space))

            # A request that only reads does not create a space.
            result = await service.run(scope, run, create=operation.writes(params))
        if operation.records:
            service.background.soon(scope)
        return _response(request, operation, result)

    async def _params(self, request: Request) -> Params:
        values: dict[str, Any] = {}
        for place, model, data in (
            (Place.PATH, self.path_model, request.path_params),
            (Place.QUERY, self.query_model, dict(request.query_params)),
        ):
            values |= _read(model, data, place)
        if self.body_model is not None:
            values |= _read(self.body_model, await self._body(request), Place.BODY)
        params: Params = self.operation.params(**values)
        return params

    async def _body(self, request: Request) -> Any:
        content = await request.body()
        try:
            # From bytes, `json` would read halves of characters, and other encodings.
            data = json.loads(content.decode("utf-8-sig")) if content else None
        except (ValueError, RecursionError):
            raise HttpProblem(
                400, "json", "The body is not valid JSON.", hint="Check its syntax."
            ) from None
        if data is None and self.operation.bare:
            return {}
        if data is None:
            raise _invalid("body: It is missing.")
        return data


def pending_of(request: Request) -> Pending:
    """Return the values that the server keeps between two calls."""
    state = request.app.state
    if not hasattr(state, "pending"):
        state.pending = Pending(service_of(request).clock)
    pending: Pending = state.pending
    return pending


def fallback(routes: Sequence[BaseRoute]) -> Route:
    """Return the route for all other requests below ``/memory``; it answers 404 or 405.

    Args:
        routes: The other routes.
    """

    async def nothing(request: Request) -> Response:
        path = request.scope["path"]
        near = [r for r in routes if r.matches(request.scope)[0] is Match.PARTIAL]
        if not near:
            hint = "GET /memory/openapi.json lists the routes."
            return problem(HttpProblem(404, "no-route", f"There is nothing at {path}.", hint=hint))
        allowed = sorted({m for route in near for m in getattr(route, "methods", ())} - {"HEAD"})
        return problem(
            HttpProblem(
                405,
                "method",
                f"{path} does not take {request.method}.",
                hint=f"It takes {', '.join(allowed)}.",
                headers={"Allow": ", ".join(allowed)},
            )
        )

    return Route(f"{PREFIX}/{{rest:path}}", nothing, methods=_METHODS, include_in_schema=False)


def _model_of(operation: Operation[Any, Any], place: Place) -> type[Params]:
    names = sorted(operation.fields_of(place), key=lambda name: name in Paged.__struct_fields__)
    return subset(operation.params, names)


def _read(model: type[Params], data: Any, place: Place) -> dict[str, Any]:
    try:
        read = msgspec.convert(data, model, strict=place is Place.BODY)
    except msgspec.ValidationError as error:
        where, what = fault_of(error)
        raise _invalid(f"{place}{where}: {what}") from None
    except UnicodeError:
        raise _invalid(f"{place}: It has half of a character where none can be.") from None
    return msgspec.structs.asdict(read)


async def _receive(request: Request, file: Any) -> None:
    try:
        async for piece in request.stream():
            await run_in_threadpool(file.write, piece)
    except ClientDisconnect:
        raise HttpProblem(400, "broke-off", "The upload broke off.", hint="Repeat it.") from None
    file.seek(0)


def _response(request: Request, operation: Operation[Any, Any], result: Any) -> Response:
    if isinstance(result, Download):
        headers = {"Content-Disposition": f'attachment; filename="{result.name}"'}
        return StreamingResponse(result.pieces, media_type=result.media_type, headers=headers)
    if operation.is_page:
        return paged(request, result)
    return given(result, operation.status)


def _check_query(request: Request, known: Collection[str]) -> None:
    unknown = [name for name in request.query_params if name not in known]
    if unknown:
        raise HttpProblem(
            422,
            "unknown-parameter",
            f"{request.url.path} has no parameter {unknown[0][:100]!r}.",
            hint=f"It has {', '.join(sorted(known))}." if known else "It has none.",
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


def _invalid(error: str) -> HttpProblem:
    hint = "GET /memory/openapi.json describes what each route takes."
    return HttpProblem(422, "invalid", error, hint=hint)
