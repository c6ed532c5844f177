"""A connection whose answer another thread may stop, also before the server has begun to answer."""

import socket
from collections.abc import Mapping
from contextlib import suppress
from threading import Lock
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import httpx2

_CONNECTED = frozenset({"connection.connect_tcp.complete", "connection.start_tls.complete"})
"""Events of the HTTP library that hand out the stream of a new connection."""


class StreamConnection:
    """A client for one answer at a time, and the socket that it uses.

    Args:
        client: The client; nothing else uses it.
    """

    def __init__(self, client: "httpx2.Client") -> None:
        self.client = client
        self._stream: Any = None

    def trace(self, event: str, info: Mapping[str, Any]) -> None:
        """Remember the stream of a new connection; the HTTP library calls this."""
        if event in _CONNECTED:
            self._stream = info["return_value"]

    def shut(self) -> None:
        """Shut the socket down, which wakes a thread that reads from it."""
        opened = self._stream and self._stream.get_extra_info("socket")
        if opened is not None:
            with suppress(OSError):
                socket.socket.shutdown(opened, socket.SHUT_RDWR)  # a TLS one, without a goodbye


class AnswerStop:
    """Stops one answer of a connection, and none that comes after it.

    Attributes:
        stopped: Whether it was stopped.
    """

    def __init__(self, connection: StreamConnection) -> None:
        self.stopped = False
        self._connection: StreamConnection | None = connection
        self._lock = Lock()

    def __call__(self) -> None:
        """Stop the answer; any thread may call it."""
        with self._lock:
            if self._connection is not None:
                self.stopped = True
                self._connection.shut()

    def trace(self, event: str, info: Mapping[str, Any]) -> None:
        """Pass an event of the HTTP library on; a new connection is shut if it was stopped."""
        with self._lock:
            if self._connection is not None:
                self._connection.trace(event, info)
                if self.stopped:
                    self._connection.shut()

    def end(self) -> None:
        """Let the connection be used for another answer."""
        with self._lock:
            self._connection = None
