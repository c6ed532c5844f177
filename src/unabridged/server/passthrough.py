"""Pass requests to the upstream unchanged, and its answers back byte for byte.

This is for requests that are neither recalled nor recorded. The upstream gets the configured key
and never a client's, but for Anthropic's dialect: see ``client_credentials``. Of a client's headers
it gets those that describe the body and the accepted answer.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping

import anyio
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from unabridged.errors import NotFoundError, UpstreamRefusedError
from unabridged.net.relay import RelayedReply, UpstreamRelay
from unabridged.server.client_credentials import upstream_headers, with_address
from unabridged.server.client_disconnect import while_there
from unabridged.server.error_responses import Handler, speaking
from unabridged.server.state import service_of

_SENT = frozenset(
    "accept content-encoding content-length content-type if-none-match openai-beta range "
    "user-agent x-request-id".split()
)
"""A client's headers that are sent to the upstream; all others stay here."""
_BLOBS = "/api/blobs/"
"""Bodies below this path may have gigabytes: they are streamed, never held in memory."""


class PassedResponse(StreamingResponse):
    """An upstream's answer; its connection is closed however it ends."""

    def __init__(self, reply: RelayedReply, more: Mapping[str, str] | None = None) -> None:
        super().__init__(reply.pieces(), reply.status, {**reply.headers, **(more or {})})
        self._reply = reply

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # type: ignore[explicit-override]  # typing.override came with 3.12
        """Send the answer."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            await self.drop()

    async def drop(self) -> None:
        """Close the upstream's answer, sent or not; also when cancelled."""
        with anyio.CancelScope(shield=True):
            await self._reply.close()


async def pass_through(
    request: Request,
    relay: UpstreamRelay,
    *,
    body: bytes | None = None,
    more: Mapping[str, str] | None = None,
) -> PassedResponse:
    """Send a request on unchanged; return the answer as it arrives.

    Args:
        request: The client's request.
        relay: The connection to the upstream, which has the same dialect.
        body: The body if it was read before; None reads it.
        more: Headers to add to the answer.

    Raises:
        NotFoundError: Its path leaves the dialect.
        UpstreamError: The upstream does not answer.
        ClientLeftError: The client left before the answer began; the upstream is stopped.
    """
    path = _path(request)
    headers = {name: value for name, value in request.headers.items() if name in _SENT}
    if relay.address.dialect == "anthropic":
        headers |= with_address(upstream_headers(request), relay.address)
    sent: bytes | AsyncIterator[bytes] | None = body
    if body is not None:
        headers.pop("content-length", None)
    elif path.startswith(_BLOBS):
        sent = _stream(request) if request.method not in ("GET", "HEAD") else None
    else:
        headers.pop("content-length", None)
        sent = await request.body() or None
    opened = relay.open(request.method, path, sent, headers)
    streams = isinstance(sent, AsyncIterator)  # its body is being read: nothing else may listen
    return PassedResponse(await (opened if streams else while_there(request, opened)), more)


def passing(
    dialect: str, handler: Callable[[Request, UpstreamRelay | None], Awaitable[Response]]
) -> Handler:
    """Pass requests to an upstream of the same dialect, else to the handler.

    Args:
        dialect: The dialect of the requests.
        handler: Takes a request and the connection to the upstream, None for one inside this
            process.
    """

    async def passed(request: Request) -> Response:
        relay = await service_of(request).relay()
        if relay is not None and relay.address.dialect == dialect:
            return await pass_through(request, relay)
        return await handler(request, relay)

    return speaking(dialect, passed)


def _path(request: Request) -> str:
    if any(part in (".", "..") for part in request.scope["path"].replace("\\", "/").split("/")):
        raise NotFoundError("The path leaves the dialect.", hint="Send a path without `..`.")
    raw: bytes = request.scope.get("raw_path") or request.scope["path"].encode()
    query: bytes = request.scope["query_string"]
    path = raw.decode("latin-1").removeprefix("/v1")
    return f"{path}?{query.decode('latin-1')}" if query else path


async def _stream(request: Request) -> AsyncIterator[bytes]:
    async for piece in request.stream():
        yield piece


def lacking(what: str, dialect: str) -> UpstreamRefusedError:
    """Return the error for what the upstream does not have.

    Args:
        what: What was requested.
        dialect: The upstream's dialect, or ``none``.
    """
    spoken = {
        "anthropic": "an Anthropic server",
        "openai": "an OpenAI server",
        "ollama": "Ollama",
        "none": "inside this process",
    }
    return UpstreamRefusedError(
        f"The upstream is {spoken[dialect]} and has no {what}.",
        status=501,
        hint="Use a model server that has it, or set another upstream.",
    )


async def _no_counterpart(request: Request, relay: UpstreamRelay | None) -> Response:
    raise lacking(request.url.path, relay.address.dialect if relay else "none")


async def _unknown(request: Request) -> Response:
    raise NotFoundError(
        f"Invalid URL ({request.method} {request.url.path}).",
        hint="This server has messages, chat/completions, responses, completions, embeddings and "
        "models.",
    )


ALL_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
OPENAI_REST = ("audio/{rest:path}", "images/{rest:path}", "moderations", "rerank")
"""Routes of OpenAI's dialect that are passed on. Its files, batches, threads and stored
conversations are not: all users of this server would share them."""

ROUTES = [
    *(
        Route(f"/v1/{path}", passing("openai", _no_counterpart), methods=["POST"])
        for path in OPENAI_REST
    ),
    Route("/v1/{rest:path}", speaking("openai", _unknown), methods=list(ALL_METHODS)),
    Route("/api/{rest:path}", passing("ollama", _no_counterpart), methods=list(ALL_METHODS)),
]
"""Return the last routes of an application, for what no other answers."""
