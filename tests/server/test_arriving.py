import socket

import pytest
from starlette.responses import PlainTextResponse
from tests.helpers.web_server import WebServer

from unabridged.server import header_limits


async def _app(scope, receive, send):
    await PlainTextResponse(f"{len(scope['headers'])}")(scope, receive, send)


@pytest.fixture
def port():
    with WebServer(_app, http=header_limits.Arriving, lifespan="off") as server:
        yield server.port


def said(port, *pieces):
    """What comes back for bytes; all of it, until the server closes or says nothing for a while."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as client:
        got = b""
        try:
            for piece in pieces:
                client.sendall(piece)
            while data := client.recv(65_536):
                got += data
        except (BrokenPipeError, ConnectionResetError):
            pass  # it closed while there was more to send
        return got


LAST = b"connection: close\r\n\r\n"


def test_requests_come_through_one_after_another_on_one_connection(port):
    head = b"GET / HTTP/1.1\r\nhost: x\r\n"
    many = b"".join(b"x-%d: y\r\n" % n for n in range(50))
    got = said(port, head + b"\r\n" + head + many + b"\r\n", head, LAST)
    assert got.count(b"200 OK") == 3
    assert b"52" not in got.splitlines()[-1]


def test_a_head_without_an_end_is_let_go_of(port):
    begun = b"GET / HTTP/1.1\r\nhost: x\r\nx: "
    assert said(port, begun + b"y" * 40_000 + b"\r\n" + LAST).startswith(b"HTTP/1.1 200")
    got = said(port, begun, *[b"y" * 20_000] * 5)
    assert got == b"" or got.startswith(b"HTTP/1.1 431")
    got = said(port, b"GET /" + b"y" * 70_000)
    assert got == b"" or got.startswith(b"HTTP/1.1 431")
    long = b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 500000\r\n" + LAST
    assert said(port, long, b"y" * 500_000).startswith(b"HTTP/1.1 200"), "a body is no head"


@pytest.mark.parametrize("begun", [b"", b"GET / HTTP/1.1\r\nhost: x\r\nx: y"])
def test_a_head_that_does_not_come_is_waited_for_no_longer(monkeypatch, begun, port):
    monkeypatch.setattr(header_limits, "HEAD_SECONDS", 0.2)
    assert said(port, begun).startswith(b"HTTP/1.1 408")
