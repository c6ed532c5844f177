"""A client that costs little: one request over a bare socket, the time of every chunk noted."""

import asyncio
import time
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from bench.proxy.stream_script import LONGEST, stamps

_END = b"\r\n0\r\n\r\n"


@dataclass(slots=True)
class StreamTimes:
    """The results of one answer.

    Attributes:
        status: The HTTP status; 0 if none came.
        first: Milliseconds until the first chunk; None without any.
        delays: Milliseconds from the upstream to the client, for each chunk.
        whole: Whether the answer is complete.
        body: The body with the frames of HTTP; empty unless it is kept.
    """

    status: int = 0
    first: float | None = None
    delays: list[float] = field(default_factory=list)
    whole: bool = False
    body: bytes = b""


class _Listening(asyncio.Protocol):
    """Takes one answer after another on one connection."""

    def __init__(self) -> None:
        self.out: asyncio.WriteTransport | None = None
        self.heard = StreamTimes()
        self.done: asyncio.Future[None] | None = None
        self.most = 0
        self.keep = False
        self.began = 0
        self._held = b""
        self._left: int | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:  # type: ignore[explicit-override]  # typing.override came with 3.12
        """It was opened."""
        if isinstance(transport, asyncio.WriteTransport):
            self.out = transport

    def connection_lost(self, _: Exception | None) -> None:  # type: ignore[explicit-override]  # typing.override came with 3.12
        """It was closed."""
        self.out = None
        self._end()

    def ask(self, request: bytes) -> None:
        """Send a request."""
        self.heard, self._held, self._left = StreamTimes(), b"", None
        self.began = time.monotonic_ns()
        if self.out is not None:
            self.out.write(request)

    def data_received(self, data: bytes) -> None:  # type: ignore[explicit-override]  # typing.override came with 3.12
        """Note what came, and when."""
        now = time.monotonic_ns()
        heard = self.heard
        body = data
        if not heard.status:
            self._held += data
            head, gap, body = self._held.partition(b"\r\n\r\n")
            if not gap:
                return
            self._read_head(head)
            self._held = b""
            body = b"\r\n" + body
        if self.keep:
            heard.body += body
        told = self._held + body
        for sent in stamps(told):
            heard.delays.append((now - sent) / 1e6)
            if heard.first is None:
                heard.first = (now - self.began) / 1e6
        self._held = told[-LONGEST:]
        at = self._held.rfind(b" ")
        if at >= 0:
            self._held = self._held[at + 1 :]
        self._look(told, len(body))

    def _look(self, told: bytes, size: int) -> None:
        heard = self.heard
        if self._left is not None:
            self._left -= size
            heard.whole = self._left <= 0
        else:
            heard.whole = told.endswith(_END)
        if heard.whole or (self.most and len(heard.delays) >= self.most):
            self._end()

    def _read_head(self, head: bytes) -> None:
        lines = head.lower().split(b"\r\n")
        self.heard.status = int(lines[0].split(b" ")[1])
        for line in lines[1:]:
            if line.startswith(b"content-length:"):
                self._left = int(line[15:]) + 2  # and the line break put before the body

    def _end(self) -> None:
        if self.done is not None and not self.done.done():
            self.done.set_result(None)


class StreamClient:
    """Asks one server, over connections that are kept.

    Args:
        url: Its base address.
        token: The token for memory; empty for none.
    """

    def __init__(self, url: str, token: str = "") -> None:
        found = urlsplit(url)
        self._host, self._port = found.hostname or "", found.port or 80
        self._token = token
        self._idle: list[_Listening] = []

    async def ask(
        self,
        path: str,
        body: bytes = b"",
        *,
        method: str = "POST",
        most: int = 0,
        keep: bool = False,
        seconds: float = 120.0,
    ) -> StreamTimes:
        """Send a request, and take its answer.

        Args:
            path: Its path.
            body: Its body, JSON.
            method: The HTTP method.
            most: Chunks after which the connection is closed in the middle; 0 for never.
            keep: Whether the body is kept.
            seconds: The longest to wait.
        """
        one = await self._connection()
        one.done = asyncio.get_running_loop().create_future()
        one.most, one.keep = most, keep
        one.ask(self._request(method, path, body))
        try:
            await asyncio.wait_for(one.done, seconds)
        except TimeoutError:
            one.heard.whole = False
        heard = one.heard
        if heard.whole and one.out is not None:
            self._idle.append(one)
        elif one.out is not None:
            one.out.abort()
        return heard

    async def _connection(self) -> _Listening:
        while self._idle:
            one = self._idle.pop()
            if one.out is not None:
                return one
        loop = asyncio.get_running_loop()
        _, made = await loop.create_connection(_Listening, self._host, self._port)
        return made

    def _request(self, method: str, path: str, body: bytes) -> bytes:
        lines = [
            f"{method} {path} HTTP/1.1",
            f"host: {self._host}:{self._port}",
            "content-type: application/json",
            f"content-length: {len(body)}",
        ]
        if self._token:
            lines.append(f"authorization: Bearer {self._token}")
        return "\r\n".join(lines).encode() + b"\r\n\r\n" + body

    def close(self) -> None:
        """Close every connection."""
        for one in self._idle:
            if one.out is not None:
                one.out.close()
        self._idle.clear()
