"""The base of the protocol servers: a small HTTP server on a free port of this machine.

For tests only: it has no access control and listens on the loopback.
"""

import json
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import chain
from types import TracebackType
from typing import Any, Self, cast


@dataclass(frozen=True, slots=True)
class Received:
    """A received request.

    Attributes:
        method: ``GET``, ``POST``, ``DELETE`` …
        path: The path without query.
        body: The JSON object sent, or an empty one.
        headers: Names in lower case.
        connection: The number of its connection, from 1.
        raw: The body's bytes.
        query: The text after the path's question mark.
    """

    method: str
    path: str
    body: Mapping[str, Any]
    headers: Mapping[str, str]
    connection: int
    raw: bytes = b""
    query: str = ""


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer to send.

    Attributes:
        body: A JSON object, or pieces of bytes to stream.
        status: The HTTP status.
        kind: The content type.
        headers: More headers.
    """

    body: Mapping[str, Any] | Iterator[bytes]
    status: int = 200
    kind: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)


class BreakOff(Exception):  # noqa: N818 - not an error: it tells a stream to break off
    """Raised inside a stream to break the connection."""


Route = Callable[[Received], Answered]


class ProtocolServer:
    """A server with routes, used as a context manager.

    ``url`` is its address; ``requests`` has all received requests in order.

    Args:
        routes: Method and path to handler.
        missing: The handler of all other requests.
    """

    def __init__(
        self, routes: Mapping[tuple[str, str], Route], missing: Route | None = None
    ) -> None:
        self._routes = routes
        self._missing = missing or _missing
        self.requests: list[Received] = []
        self.connections = 0
        """Connections so far: 1 as long as a client reuses its connection."""
        self._left = threading.Event()
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._http = _Http(("127.0.0.1", 0), self)
        self._thread = threading.Thread(
            target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )
        self._thread.start()

    @property
    def url(self) -> str:
        """The address, without a slash at its end."""
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    def answer(self, received: Received) -> Answered:
        """Store a request and return its handler."""
        self.requests.append(received)
        method = "GET" if received.method == "HEAD" else received.method
        return self._routes.get((method, received.path), self._missing)(received)

    def sent(self, path: str) -> list[Mapping[str, Any]]:
        """Return the bodies sent to a path."""
        return [each.body for each in self.requests if each.path == path]

    def left(self) -> None:
        """Note that a client left before the end of its stream."""
        self._left.set()

    def wait_for_stop(self, seconds: float) -> bool:
        """Return whether a stream stopped early because its client left."""
        return self._left.wait(seconds)

    def close(self) -> None:
        """Stop, and close all open connections."""
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()
        with self._lock:
            still = list(self._open)
        for connection in still:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def connected(self, connection: socket.socket) -> int:
        """Count an accepted connection."""
        with self._lock:
            self._open.add(connection)
            self.connections += 1
            return self.connections

    def disconnected(self, connection: socket.socket) -> None:
        """Note that a connection was closed."""
        with self._lock:
            self._open.discard(connection)


def _missing(received: Received) -> Answered:
    return Answered({"error": f"{received.path} not found"}, 404)


class _Http(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, address: tuple[str, int], owner: ProtocolServer) -> None:
        self.owner = owner
        super().__init__(address, _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:  # type: ignore[explicit-override]  # typing.override came with 3.12
        """Ignore the error: clients that leave are part of the tests."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def setup(self) -> None:  # type: ignore[explicit-override]  # typing.override came with 3.12
        super().setup()
        self.owner = cast("_Http", self.server).owner
        self.number = self.owner.connected(self.connection)

    def finish(self) -> None:  # type: ignore[explicit-override]  # typing.override came with 3.12
        self.owner.disconnected(self.connection)
        super().finish()

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def do_HEAD(self) -> None:
        self._answer()

    def do_PUT(self) -> None:
        self._answer()

    def do_DELETE(self) -> None:
        self._answer()

    def log_message(self, format: str, *args: Any) -> None:  # type: ignore[explicit-override]  # noqa: A002 - the base's name
        """Log nothing: requests contain conversations."""

    def _answer(self) -> None:
        raw = self._body()
        path, _, query = self.path.partition("?")
        headers = {name.lower(): value for name, value in self.headers.items()}
        file = headers.get("content-type") == "application/octet-stream" or "/blobs/" in path
        try:
            body = json.loads(raw) if raw and not file else {}
        except ValueError:
            self._send(Answered({"error": "invalid JSON"}, 400))
            return
        received = Received(self.command, path, body, headers, self.number, raw, query)
        self._send(self.owner.answer(received))

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        pieces = []
        while size := int(self.rfile.readline(), 16):
            pieces.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(pieces)

    def _send(self, answered: Answered) -> None:
        pieces = None if isinstance(answered.body, Mapping) else answered.body
        # Like real servers: no header is sent before there is content.
        first = None if pieces is None else self._first(pieces)
        self.send_response(answered.status)
        self.send_header("Content-Type", answered.kind)
        for name, value in answered.headers.items():
            self.send_header(name, value)
        if pieces is None:
            data = json.dumps(answered.body, ensure_ascii=False).encode()
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(data)
            return
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        if self.command == "HEAD":
            return
        self._stream(chain((first or b"",), pieces))

    def _first(self, pieces: Iterator[bytes]) -> bytes:
        try:
            return next(pieces, b"")
        except BreakOff:
            self.close_connection = True
            raise

    def _stream(self, pieces: Iterator[bytes]) -> None:
        try:
            for piece in pieces:
                if piece:
                    self.wfile.write(b"%X\r\n%s\r\n" % (len(piece), piece))
            self.wfile.write(b"0\r\n\r\n")
        except BreakOff:
            self.close_connection = True
        except OSError:
            self.owner.left()
            self.close_connection = True
