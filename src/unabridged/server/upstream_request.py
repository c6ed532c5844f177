"""One request to a server, and its answer as it arrives."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Protocol

import anyio
import msgspec

from unabridged.errors import UpstreamError
from unabridged.net.relay import RelayedReply, UpstreamRelay
from unabridged.ports import SupportsRelay
from unabridged.server.stream_parser import Listener, StreamPiece, together
from unabridged.wire.stream_lines import encode
from unabridged.wire.upstream_errors import refusal, refusal_of

END_SECONDS = 0.1
"""The longest wait for the end of an answer after its last piece."""
_JSON = {"content-type": "application/json"}
_PATHS = {"anthropic": "/messages", "ollama": "/api/chat", "openai": "/chat/completions"}


class RefusedError(Exception):
    """The upstream returned an error; its body is kept byte for byte."""

    def __init__(
        self, error: UpstreamError, status: int, headers: Mapping[str, str], body: bytes
    ) -> None:
        super().__init__(str(error))
        self.error = error
        self.status = status
        self.headers = headers
        self.body = body


class UpstreamAnswer(Protocol):
    """An answer that has begun."""

    @property
    def headers(self) -> Mapping[str, str]:
        """The upstream's headers; empty if it has none."""
        ...

    def pieces(self) -> AsyncIterator[Sequence[StreamPiece]]:
        """Yield what arrived together, up to the last piece.

        Raises:
            UpstreamError: The answer breaks off.
        """
        ...

    async def close(self) -> None:
        """Stop the upstream if the answer is not complete."""
        ...


class RelayedAnswer:
    """An answer of a server, whose frames can be passed on.

    Args:
        reply: The HTTP answer.
        listener: The parser of its dialect.
        stream: Whether it is streamed; else it is one object.
        understood: Returns what an error in it means.
    """

    def __init__(
        self,
        reply: RelayedReply,
        listener: Listener,
        *,
        stream: bool,
        understood: Callable[[UpstreamError], UpstreamError] = lambda error: error,
    ) -> None:
        self._reply = reply
        self._listener = listener
        self._understood = understood
        self._stream = stream

    @property
    def headers(self) -> Mapping[str, str]:
        return self._reply.headers

    async def pieces(self) -> AsyncIterator[Sequence[StreamPiece]]:
        try:
            async for pieces in self._pieces():
                yield pieces
        except UpstreamError as error:
            error.args = (self._reply.masked(str(error)),)  # some servers quote the key
            meant = self._understood(error)
            if meant is error:
                raise
            raise meant from error

    async def _pieces(self) -> AsyncIterator[Sequence[StreamPiece]]:
        if not self._stream:
            yield list(self._listener.whole(await self._reply.read()))
            return
        arriving = self._reply.pieces()
        async for data in arriving:
            for pieces in together(self._listener.feed(data)):
                yield pieces
                if pieces[-1].last:
                    await _read_end(arriving)
                    return
        for pieces in together(self._listener.end()):
            yield pieces

    async def close(self) -> None:
        await self._reply.close()


async def _read_end(arriving: AsyncIterator[bytes]) -> None:
    # A connection whose answer was not read to its end cannot be used for the next request.
    with suppress(UpstreamError), anyio.move_on_after(END_SECONDS):
        async for _ in arriving:
            pass


async def relayed(
    relay: UpstreamRelay,
    model: SupportsRelay,
    body: Mapping[str, Any],
    listener: Callable[[], Listener],
    window: int | None = None,
    *,
    headers: Mapping[str, str] | None = None,
    query: str = "",
    came: tuple[Mapping[str, Any], bytes] | None = None,
) -> RelayedAnswer:
    """Send a request to a server; return its answer once it begins.

    Args:
        relay: The connection to it.
        model: The model, which handles its server's peculiarities.
        body: The request in the server's dialect.
        listener: Makes the parser of the answer.
        window: The window of the request in tokens, or None if it sets none.
        headers: Headers of the client that the server gets.
        query: The query of the client's request.
        came: The client's body, read and as it came: sent byte for byte if nothing in it changes.

    Raises:
        RefusedError: The server returned an error.
        UpstreamError: The server does not answer.
    """
    path = _PATHS[relay.address.dialect] + (f"?{query}" if query else "")
    sent = {**(headers or {}), **_JSON}
    while True:
        told = model.accent(body)
        data = came[1] if came is not None and told == came[0] else encode(told)
        reply = await relay.open("POST", path, data, sent)
        if reply.status < 400:
            return RelayedAnswer(
                reply,
                listener(),
                stream=bool(body.get("stream")),
                understood=lambda error: model.understood(error, window),
            )
        error, said = await refusal_in(reply)
        if not model.repair(error):
            raise RefusedError(model.understood(error, window), reply.status, reply.headers, said)


async def refusal_in(reply: RelayedReply) -> tuple[UpstreamError, bytes]:
    """Read and close an upstream's refusal; return it as a typed error and as received."""
    try:
        said = await reply.read()
    finally:
        await reply.close()
    try:
        value = msgspec.json.decode(said)
    except (ValueError, RecursionError):
        value = None
    found = refusal_of(value, reply.status) if isinstance(value, dict) else None
    return found or refusal(said[:200].decode("utf-8", "replace"), status=reply.status), said
