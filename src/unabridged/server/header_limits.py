"""Limits on the head of a request, before the application sees it, and the account that sent it.

uvicorn collects a head until it is complete, with no limit of time or size; only then does the
guard see it. So this module disconnects a client that sends an endless head, or sends it byte by
byte.
"""

import asyncio
from typing import cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from unabridged.server.local_accounts import ACCOUNT, account_of
from unabridged.server.origin_check import is_loopback

HEAD_BYTES = 65_536
"""Bytes of a request's line and headers; the guard allows half of them for the headers."""
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
        """Start the timer of a new connection, and note whose it is."""
        super().connection_made(cast("asyncio.Transport", transport))
        if self.client and self.server and is_loopback(self.client[0]):
            account = account_of(self.client, (self.server[0], self.server[1] or 0))
            self.app_state = {**self.app_state, ACCOUNT: account}
        self._start()

    def connection_lost(self, exc: Exception | None) -> None:  # type: ignore[explicit-override]  # as above
        """Stop the timer."""
        self._stop()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:  # type: ignore[explicit-override]  # as above
        """Receive bytes; disconnect if the head grows too large."""
        if self._in_head:
            self._head += len(data)
        super().data_received(data)
        if self._in_head and self._head > HEAD_BYTES:
            self._refuse(_TOO_LARGE)

    def on_message_begin(self) -> None:  # type: ignore[explicit-override]  # as above
        """Start counting a head, without what arrived with its first bytes."""
        super().on_message_begin()
        if not self._in_head:
            self._start()

    def on_headers_complete(self) -> None:  # type: ignore[explicit-override]  # as above
        """Stop counting: the head is complete."""
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
