"""Requests as they arrive: their heads are bounded before the application hears of them.

uvicorn gathers a head until it is whole, however long that takes and however large it grows; the
guard sees it then. So a client that sends a head without an end, or a byte of it now and then, is
let go of here.
"""

import asyncio
from typing import cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEAD_BYTES = 65_536
"""Bytes of a request's line and headers; the guard allows half of it for the headers."""
HEAD_SECONDS = 30.0
"""Seconds from a request's first byte, or from connecting, to the end of its head."""
_TOO_LARGE = b"HTTP/1.1 431 Request Header Fields Too Large\r\n"
_TOO_SLOW = b"HTTP/1.1 408 Request Timeout\r\n"
_REST = b"content-length: 0\r\nconnection: close\r\n\r\n"


class Arriving(HttpToolsProtocol):
    """uvicorn's protocol, with bounds on the head of a request."""

    _head = 0
    _in_head = True
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:  # type: ignore[explicit-override]  # typing.override came with 3.12
        """Wait for a request."""
        super().connection_made(cast("asyncio.Transport", transport))
        self._start()

    def connection_lost(self, exc: Exception | None) -> None:  # type: ignore[explicit-override]  # as above
        """Wait no more."""
        self._stop()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:  # type: ignore[explicit-override]  # as above
        """Take bytes, and let go of a head that grows without an end."""
        if self._in_head:
            self._head += len(data)
        super().data_received(data)
        if self._in_head and self._head > HEAD_BYTES:
            self._refuse(_TOO_LARGE)

    def on_message_begin(self) -> None:  # type: ignore[explicit-override]  # as above
        """Begin to count a head; what came with its first bytes is not counted."""
        super().on_message_begin()
        if not self._in_head:
            self._start()

    def on_headers_complete(self) -> None:  # type: ignore[explicit-override]  # as above
        """The head is whole."""
        self._in_head = False
        self._stop()
        super().on_headers_complete()

    def _start(self) -> None:
        self._stop()
        self._head, self._in_head = 0, True
        self._timer = self.loop.call_later(HEAD_SECONDS, self._refuse, _TOO_SLOW)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _refuse(self, line: bytes) -> None:
        self._stop()
        if self.transport.is_closing():
            return
        if getattr(self.cycle, "response_complete", True):  # before the first request there is none
            self.transport.write(line + _REST)
        self.transport.close()
