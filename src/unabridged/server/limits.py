"""Limits on the size, depth, slowness and number of requests.

Statuses: RFC 9110 (408, 413) and RFC 6585 (429, 431).
"""

import asyncio
import re
from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil

from starlette.types import Message, Receive

from unabridged.errors import RequestRefusedError

Headers = Iterable[tuple[bytes, bytes]]

_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+["\\]?|[\[{]|[\]}]', re.DOTALL)
"""A string of JSON, also one that is never closed, or a bracket; linear in the body's length."""
_DISCONNECT = "http.disconnect"
MINUTE = 60.0


class ClientGoneError(Exception):
    """The client left before its request was complete."""


@dataclass(frozen=True, slots=True)
class RequestLimits:
    """The limits of one request.

    Attributes:
        body: Bytes of its body.
        depth: Levels of brackets in a body of JSON.
        headers: Headers.
        header_bytes: Bytes of all headers.
        pause: Seconds between two pieces of the body.
        seconds: Seconds for the whole body.
    """

    body: int
    depth: int = 64
    headers: int = 128
    header_bytes: int = 32_768
    pause: float = 30.0
    seconds: float = 300.0


def check_headers(headers: Headers, limits: RequestLimits) -> None:
    """Refuse too many headers, or too large ones.

    Raises:
        RequestRefusedError: 431.
    """
    number = size = 0
    for name, value in headers:
        number += 1
        size += len(name) + len(value)
    if number > limits.headers or size > limits.header_bytes:
        raise RequestRefusedError(
            f"The request has {number:,} headers of {size:,} bytes.",
            status=431,
            code="headers_too_large",
            hint=f"Send at most {limits.headers} of {limits.header_bytes:,} bytes together.",
        )


def check_depth(body: bytes, limits: RequestLimits) -> None:
    """Refuse JSON that is nested too deeply; other bodies pass.

    Raises:
        RequestRefusedError: 400.
    """
    if body.lstrip()[:1] not in (b"{", b"["):
        return
    if body.count(b"[") + body.count(b"{") <= limits.depth:
        return
    depth = 0
    for found in _TOKEN.finditer(body):
        first = found[0][0]
        if first in b"[{":
            depth += 1
            if depth > limits.depth:
                raise RequestRefusedError(
                    f"The body's JSON is nested deeper than {limits.depth} levels.",
                    status=400,
                    code="body_too_deep",
                    hint="Send a flatter object.",
                )
        elif first in b"]}":
            depth -= 1


async def read_body(headers: Headers, receive: Receive, limits: RequestLimits) -> bytes:
    """Return the body of a request, within the limits.

    Raises:
        RequestRefusedError: 400, 408 or 413.
        ClientGoneError: The client left.
    """
    _check_length(headers, limits)
    pieces: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(limits.seconds):
            while True:
                async with asyncio.timeout(limits.pause):
                    message = await receive()
                if message["type"] == _DISCONNECT:
                    raise ClientGoneError
                pieces.append(message.get("body", b""))
                size += len(pieces[-1])
                if size > limits.body:
                    raise _too_large(limits)
                if not message.get("more_body", False):
                    return b"".join(pieces)
    except TimeoutError:
        raise _too_slow() from None


def counted(headers: Headers, receive: Receive, limits: RequestLimits) -> Receive:
    """Return a ``receive`` that streams the body and raises at a limit.

    Raises:
        RequestRefusedError: 400 or 413, at once; 408 or 413 while it is read.
    """
    _check_length(headers, limits)
    size = 0

    async def piece() -> Message:
        nonlocal size
        if size < 0:  # the body is complete: this waits for the client to leave
            return await receive()
        try:
            async with asyncio.timeout(limits.pause):
                message = await receive()
        except TimeoutError:
            raise _too_slow() from None
        size += len(message.get("body", b""))
        if size > limits.body:
            raise _too_large(limits)
        if not message.get("more_body", False):
            size = -1
        return message

    return piece


def replay(body: bytes, receive: Receive) -> Receive:
    """Return a ``receive`` that yields a body read before, then waits for the client to leave."""
    waiting = [body]

    async def again() -> Message:
        if waiting:
            return {"type": "http.request", "body": waiting.pop(), "more_body": False}
        return await receive()

    return again


def _check_length(headers: Headers, limits: RequestLimits) -> None:
    for name, value in headers:
        if name != b"content-length":
            continue
        if not value.isdigit() or len(value) > len(str(limits.body)) + 1:
            if value.isdigit():
                raise _too_large(limits)
            raise RequestRefusedError(
                "The header Content-Length is not a number.",
                status=400,
                code="invalid_request",
                hint="Send it in digits, or leave it out.",
            )
        if int(value) > limits.body:
            raise _too_large(limits)


def _too_slow() -> RequestRefusedError:
    return RequestRefusedError(
        "The body arrived too slowly.", status=408, code="too_slow", hint="Send it again."
    )


def _too_large(limits: RequestLimits) -> RequestRefusedError:
    return RequestRefusedError(
        f"The body is larger than {limits.body:,} bytes.",
        status=413,
        code="body_too_large",
        hint="Send less, or raise the setting max_body.",
    )


class Rates:
    """The request rate of each key: a token bucket, filled evenly over a minute.

    Args:
        rate: Requests in a minute, or None for any number.
    """

    def __init__(self, rate: int | None) -> None:
        self._rate = rate
        self._left: dict[str, tuple[float, float]] = {}

    def take(self, who: str, now: float) -> None:
        """Count a request.

        Args:
            who: The key; only accepted requests are counted, so there are at most as many as keys.
            now: Seconds of a monotonic clock.

        Raises:
            RequestRefusedError: 429, with the seconds to wait.
        """
        if self._rate is None:
            return
        left, then = self._left.get(who, (float(self._rate), now))
        left = min(float(self._rate), left + (now - then) * self._rate / MINUTE)
        if left < 1:
            wait = ceil((1 - left) * MINUTE / self._rate)
            raise RequestRefusedError(
                f"This key sent more than {self._rate:,} requests in a minute.",
                status=429,
                code="rate_limit_exceeded",
                hint=f"Repeat in {wait} s, or raise the setting rate.",
                wait=wait,
            )
        self._left[who] = (left - 1, now)


class Streams:
    """The number of answers being sent.

    Args:
        most: The most at once.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self.now = 0

    def enter(self) -> None:
        """Count an answer until ``leave``.

        Raises:
            RequestRefusedError: 429: the limit is reached.
        """
        if self.now >= self._most:
            raise RequestRefusedError(
                f"The server is sending {self._most:,} answers, the most it may.",
                status=429,
                code="too_many_streams",
                hint="Repeat in a moment, or raise the setting max_streams.",
                wait=1,
            )
        self.now += 1

    def leave(self) -> None:
        """Stop counting an answer."""
        self.now -= 1
