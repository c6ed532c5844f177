"""The outermost layer: it counts and logs every request and catches errors.

It reads no content: no queries, no headers of a request, no bodies.
"""

import asyncio
import math
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from starlette.routing import Match
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from unabridged.server.client_disconnect import LEFT
from unabridged.server.log import AccessLogLine, RequestLog
from unabridged.server.metrics import Metrics, method_of
from unabridged.server.trace_spans import Tracing

CONTEXT_HEADER = b"x-unabridged-context"
"""The header of an answer that names its context."""
QUIET = frozenset({"/healthz", "/readyz", "/metrics"})
"""Routes called every few seconds: their requests are counted, but not logged."""
_LISTENING = frozenset({("GET", "/mcp"), *(("GET", path) for path in QUIET)})
"""Requests that shutdown does not wait for: an MCP client listens as long as it runs."""
OTHER = "other"
"""The name of paths without a route."""
FAILED = b'{"error": "Unexpected error in the server. Its log names the place."}'
_STREAMED = (b"text/event-stream", b"application/x-ndjson")


class Watch:
    """The current activity of a server."""

    def __init__(self, metrics: Metrics, log: RequestLog, tracing: Tracing | None = None) -> None:
        self.metrics = metrics
        self.log = log
        self.tracing = tracing or Tracing()
        self._open = 0
        self._idle = asyncio.Event()
        self._idle.set()
        self._left = -math.inf

    @property
    def open(self) -> int:
        """Requests being answered, without those that shutdown does not wait for."""
        return self._open

    def enter(self) -> None:
        """Count the start of a request."""
        self._open += 1
        self._idle.clear()

    def leave(self) -> None:
        """Count the end of a request."""
        self._open -= 1
        if not self._open:
            self._left = perf_counter()
            self._idle.set()

    async def idle(self, seconds: float) -> bool:
        """Wait up to the given seconds until no request is open; return whether none is."""
        try:
            async with asyncio.timeout(seconds):  # `wait_for` loses a cancel before Python 3.12
                await self._idle.wait()
        except TimeoutError:
            return False
        return True

    async def quiet(self, seconds: float, patience: float) -> bool:
        """Wait until no request was open for some seconds; return whether that came in time.

        Args:
            seconds: How long none must have been open.
            patience: The longest to wait, in seconds.
        """
        until = perf_counter() + patience
        while (left := until - perf_counter()) > 0 and await self.idle(left):
            rest = self._left + seconds - perf_counter()
            if rest <= 0:
                return True
            await asyncio.sleep(min(rest, left))
        return False


@dataclass(slots=True)
class _Seen:
    """What was observed of one answer."""

    metrics: Metrics
    stack: ExitStack
    status: int = 0
    bytes: int = 0
    context: str = ""
    whole: bool = False

    def note(self, message: Message) -> None:
        """Note a message of the answer."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            for name, value in message.get("headers", ()):
                if name == CONTEXT_HEADER:
                    self.context = value.decode("latin-1")
                elif name == b"content-type" and value.startswith(_STREAMED):
                    self.stack.enter_context(self.metrics.stream())
        elif message["type"] == "http.response.body":
            self.bytes += len(message.get("body", b""))
            self.whole = not message.get("more_body", False)


class ObservabilityMiddleware:
    """The layer around the application."""

    def __init__(self, app: ASGIApp, watch: Watch) -> None:
        self._app = app
        self._watch = watch

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, count it and log it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        counted = (scope["method"], scope["path"]) not in _LISTENING
        if counted:
            self._watch.enter()
        began = perf_counter()
        stack = ExitStack()
        seen = _Seen(self._watch.metrics, stack)
        try:
            with stack:
                stack.enter_context(self._watch.metrics.request())
                if counted:
                    stack.enter_context(self._traced(scope, seen))
                await self._answer(scope, receive, send, seen)
        finally:
            if counted:
                self._watch.leave()
            self._took_down(scope, seen, perf_counter() - began)

    async def _answer(self, scope: Scope, receive: Receive, send: Send, seen: _Seen) -> None:
        async def noted(message: Message) -> None:
            await send(message)
            seen.note(message)

        try:
            await self._app(scope, receive, noted)
        except Exception as error:  # noqa: BLE001 - the outermost edge: nothing may print what an error quotes
            self._watch.log.failed(error, route_of(scope))
            if not seen.status:
                await noted(_START)
                await noted({"type": "http.response.body", "body": FAILED})

    @contextmanager
    def _traced(self, scope: Scope, seen: _Seen) -> Iterator[None]:
        parent = b"".join(v for k, v in scope["headers"] if k == b"traceparent").decode("latin-1")
        method = method_of(scope["method"])
        with self._watch.tracing.request(method, parent) as span:
            try:
                yield
            finally:
                route = route_of(scope)
                span.named(f"{method} {route}")
                span.note(
                    {
                        "http.request.method": method,
                        "http.route": route,
                        "http.response.status_code": seen.status or None,
                    }
                )
                if seen.status >= FAULT:
                    span.failed(str(seen.status))

    def _took_down(self, scope: Scope, seen: _Seen, seconds: float) -> None:
        route = route_of(scope)
        status = seen.status or LEFT
        self._watch.metrics.answered(scope["method"], route, status, seconds)
        if route not in QUIET:
            grant = scope.get("state", {}).get("grant")
            self._watch.log.access(
                AccessLogLine(
                    method=method_of(scope["method"]),
                    route=route,
                    status=status,
                    seconds=seconds,
                    bytes=seen.bytes,
                    whole=seen.whole,
                    key=getattr(grant, "name", ""),
                    context=seen.context,
                )
            )


FAULT = 500
"""The lowest status of a server failure."""
_START: Message = {
    "type": "http.response.start",
    "status": 500,
    "headers": [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(FAILED)).encode()),
    ],
}


def route_of(scope: Scope) -> str:
    """Return the template of a request's route, or ``other``: a path may contain anything."""
    route: Any = scope.get("route")
    if route is None and "app" in scope:  # an outer layer refused it
        route = next((r for r in scope["app"].routes if _is_for(r, scope)), None)
    path = getattr(route, "path", "")
    return path or OTHER


def _is_for(route: Any, scope: Scope) -> bool:
    match, _ = route.matches(scope)
    return match is not Match.NONE
