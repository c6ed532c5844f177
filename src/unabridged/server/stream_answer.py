"""Send an answer to the client as it arrives, and store it however it ends."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import anyio
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from unabridged.domain.chat import StreamChunk
from unabridged.errors import UnabridgedError, UpstreamBrokenError
from unabridged.server.chat_request import Writer
from unabridged.server.client_disconnect import LEFT, ClientLeftError, while_there
from unabridged.server.stream_parser import StreamPiece
from unabridged.server.upstream_request import UpstreamAnswer
from unabridged.wire.own_field import OwnField

_PASSED = ("x-", "openai-", "anthropic-", "request-id", "cf-ray", "retry-after")
"""Prefixes of the upstream's headers that are passed on."""


def passed_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Return those of an upstream's headers that are passed on."""
    return {name: value for name, value in headers.items() if name.startswith(_PASSED)}


class Keeping(Protocol):
    """Stores the answer that arrived."""

    async def __call__(self, *, broken: bool) -> None:
        """Store the answer; the argument is whether it broke off."""
        ...


class _Streamed(StreamingResponse):
    """A stream that ends even if the client left before its first piece."""

    def __init__(
        self,
        told: AsyncIterator[bytes],
        end: Callable[[], Awaitable[None]],
        headers: Mapping[str, str],
        kind: str,
    ) -> None:
        # As a header: Starlette would add a charset to a media type.
        super().__init__(told, headers={**headers, "content-type": kind})
        self._end = end

    async def __call__(  # type: ignore[explicit-override]  # typing.override came with 3.12
        self, scope: Scope, receive: Receive, send: Send
    ) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            await self._end()


@dataclass
class AnswerStream:
    """One answer that is being sent to the client.

    Attributes:
        answer: The answer as the upstream gives it.
        writer: Says it in the client's dialect, where it cannot be passed on byte for byte.
        receive: Takes each chunk of it and returns it for the client; None where nobody does.
        keeping: Stores what came; None where nothing is stored.
        raw: Whether it is passed on byte for byte.
        stream: Whether the client wants it in pieces.
        headers: Headers of ours.
        own: Puts our field into what is passed on.
    """

    answer: UpstreamAnswer
    writer: Writer
    receive: Callable[[StreamChunk], StreamChunk] | None = None
    keeping: Keeping | None = None
    raw: bool = False
    stream: bool = False
    headers: Mapping[str, str] = field(default_factory=dict)
    own: OwnField = field(default_factory=lambda: OwnField("openai", {}))
    _kept: bool = False

    def __post_init__(self) -> None:
        self._headers = {**passed_headers(self.answer.headers), **self.headers}

    async def respond(self, request: Request) -> Response:
        """Return the response; a whole one once the answer is stored.

        Raises:
            UnabridgedError: A whole answer broke off or cannot be stored.
        """
        if self.stream:
            kind = self.answer.headers.get("content-type") if self.raw else None
            kind = kind or self.writer.media_type
            headers = {"cache-control": "no-cache", **self._headers}
            return _Streamed(self._told(), self._end, headers, kind)
        return await self._whole(request)

    # ---- in pieces ----

    async def _told(self) -> AsyncIterator[bytes]:
        waiting: list[bytes] = []
        try:
            if not self.raw and (begun := self.writer.begin()):
                yield begun
            async for pieces in self.answer.pieces():
                for piece in pieces:
                    if piece.last and waiting:
                        yield b"".join(waiting)  # not held back while the answer is stored
                        waiting.clear()
                    waiting.append(self._said(await self._note(piece)))
                if said := b"".join(waiting):
                    yield said
                waiting.clear()
            self._check_end()
        except UnabridgedError as error:
            await self._end()
            yield b"".join([*waiting, self.writer.failed(error)])
        finally:
            await self._end()

    async def _note(self, piece: StreamPiece) -> StreamPiece:
        if piece.chunk is not None and self.receive is not None:
            chunk = self.receive(piece.chunk)
            if chunk is not piece.chunk:
                piece = replace(piece, chunk=chunk)
        if piece.last:
            self._kept = True  # also if it fails: the error is sent once
            with anyio.CancelScope(shield=True):
                await self._store(broken=False)
        return piece

    def _said(self, piece: StreamPiece) -> bytes:
        if self.raw:
            return b"" if piece.quiet else self.own.streamed(piece.frame, last=piece.last)
        if piece.last:
            return self.writer.end(piece.chunk or StreamChunk(done=True))
        return self.writer.piece(piece.chunk) if piece.chunk is not None else b""

    def _check_end(self) -> None:
        if not self._kept:
            raise UpstreamBrokenError(
                "The answer broke off.", hint="Ask again; what arrived is stored."
            )

    async def _end(self) -> None:
        with anyio.CancelScope(shield=True):
            try:
                if not self._kept:
                    self._kept = True
                    await self._store(broken=True)
            finally:
                await self.answer.close()

    async def _store(self, *, broken: bool) -> None:
        if self.keeping is not None:
            await self.keeping(broken=broken)

    # ---- whole ----

    async def _whole(self, request: Request) -> Response:
        try:
            return await while_there(request, self._collected())
        except ClientLeftError:
            return Response(status_code=LEFT)
        finally:
            await self._end()

    async def _collected(self) -> Response:
        chunks: list[StreamChunk] = []
        frames: list[bytes] = []
        async for pieces in self.answer.pieces():
            for piece in pieces:
                frames.append(piece.frame)
                noted = await self._note(piece)
                if noted.chunk is not None:
                    chunks.append(noted.chunk)
        self._check_end()
        if self.raw:
            body = self.own.whole(b"".join(frames))
            return Response(body, headers=self._headers, media_type="application/json")
        whole: Mapping[str, Any] = self.writer.whole(chunks)
        return JSONResponse(whole, headers=self._headers)
