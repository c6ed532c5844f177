"""A model server that fails as it is told: a front before a protocol server, down to the socket."""

import http.client
import json
import random
import socket
import struct
import threading
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

KINDS = ("refused", "reset", "slow", "half a chunk", "wrong JSON", "500", "endless")
CHATS = ("/api/chat", "/v1/chat/completions")
REASON = "the gremlin sat on the bus"
"""What the server says where it says anything."""


class Fault:
    """One fault.

    Args:
        kind: One of ``KINDS``.
        pieces: Pieces of an answer that come before it, where any come at all.
        rng: Chooses its form.
    """

    def __init__(self, kind, pieces, rng):
        self.kind = kind
        self.pieces = pieces
        self.form = rng.randrange(3)
        self.left = threading.Event()
        """Set when the client of an endless stream has gone."""


class Front:
    """The front, on a port of its own.

    Args:
        url: The healthy server's address.
        slow: Seconds for which a slow one says nothing.
    """

    def __init__(self, url, slow):
        self.behind = urlsplit(url)
        self.slow = slow
        self.fault = None
        self.chats = 0
        self.open_ones = set()
        self.lock = threading.Lock()
        self.ending = threading.Event()
        self.port = 0
        self.open()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def open(self):
        """Take connections, always on the same port."""
        self.http = _Http(("127.0.0.1", self.port), self)
        self.port = self.http.server_address[1]
        self.thread = threading.Thread(
            target=self.http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )
        self.thread.start()

    def shut(self):
        """Take no connections any more, and cut those that are there."""
        self.http.shutdown()
        self.thread.join()
        self.http.server_close()
        with self.lock:
            there = list(self.open_ones)
        for one in there:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def close(self):
        """End."""
        self.ending.set()
        self.shut()


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, address, front):
        self.front = front
        super().__init__(address, _Handler)

    def handle_error(self, request, client_address):
        """Say nothing: clients that go away are what is tried here."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def setup(self):
        super().setup()
        self.front = self.server.front
        with self.front.lock:
            self.front.open_ones.add(self.connection)

    def finish(self):
        with self.front.lock:
            self.front.open_ones.discard(self.connection)
        with suppress(OSError):
            super().finish()

    def do_GET(self):
        self._pass_on(None)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.path not in CHATS:
            self._pass_on(body)
            return
        with self.front.lock:
            self.front.chats += 1
            fault, self.front.fault = self.front.fault, None
        if fault is None:
            self._pass_on(body)
        else:
            self._fail(fault, json.loads(body))

    def log_message(self, format, *args):  # noqa: A002 - the base's name
        """Nothing."""

    def _pass_on(self, body):
        behind = http.client.HTTPConnection(self.front.behind.netloc, timeout=30)
        headers = {"Content-Type": "application/json"} if body else {}
        behind.request(self.command, self.path, body, headers)
        answer = behind.getresponse()
        data = answer.read()
        behind.close()
        self._whole(answer.status, answer.headers["Content-Type"], data)

    def _whole(self, status, kind, data):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    # ---- faults ----

    def _fail(self, fault, body):
        self.close_connection = True
        way = {
            "reset": self._reset,
            "slow": self._slow,
            "half a chunk": self._half,
            "wrong JSON": self._wrong,
            "500": self._refuse,
            "endless": self._endless,
        }
        way[fault.kind](fault, body)

    def _begin(self, body):
        stream = body.get("stream", self.path == "/api/chat")
        kind = "application/json"
        if stream:
            kind = "application/x-ndjson" if self.path == "/api/chat" else "text/event-stream"
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.wfile.flush()
        return stream

    def _chunk(self, data):
        self.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))
        self.wfile.flush()

    def _piece(self, number):
        """One piece of an answer in the dialect."""
        word = f"word{number} "
        if self.path == "/api/chat":
            line = {"model": "m", "message": {"role": "assistant", "content": word}, "done": False}
            return json.dumps(line).encode() + b"\n"
        choice = {"index": 0, "delta": {"content": word}, "finish_reason": None}
        event = {"id": "c", "object": "chat.completion.chunk", "choices": [choice]}
        return b"data: " + json.dumps(event).encode() + b"\n\n"

    def _pieces(self, fault, body):
        if self._begin(body):
            for number in range(fault.pieces):
                self._chunk(self._piece(number))

    def _reset(self, fault, body):
        if fault.form:
            self._pieces(fault, body)
            time.sleep(0.05)
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()

    def _slow(self, fault, body):
        if fault.form:
            self._pieces(fault, body)
        self.front.ending.wait(self.front.slow)

    def _half(self, fault, body):
        self._pieces(fault, body)
        half = self._piece(99)
        with suppress(OSError):
            self.wfile.write(b"%x\r\n%b" % (len(half), half[: len(half) // 2]))
            self.wfile.flush()

    def _wrong(self, fault, body):
        wrong = [b'{"model": "m", "mess', b"<html>Bad gateway</html>", b"[1, 2]"][fault.form]
        if self._begin(body):
            for number in range(fault.pieces):
                self._chunk(self._piece(number))
            wrong = wrong + b"\n" if self.path == "/api/chat" else b"data: " + wrong + b"\n\n"
        self._chunk(wrong)
        self.wfile.write(b"0\r\n\r\n")

    def _refuse(self, fault, body):
        if fault.form == 0:
            self._whole(500, "text/plain", REASON.encode())
            return
        error = {"message": REASON, "type": "server_error", "param": None, "code": None}
        said = {"error": REASON if self.path == "/api/chat" else error}
        self._whole(500, "application/json", json.dumps(said).encode())

    def _endless(self, fault, body):
        stream, number = self._begin(body), 0
        try:
            while not self.front.ending.is_set() and number < 10_000:
                self._chunk(self._piece(number) if stream else b" ")
                number += 1
                time.sleep(0.005)
        except OSError:
            fault.left.set()


def made(kind, rng=None):
    """A fault with what chance chooses."""
    rng = rng or random.Random(0)
    return Fault(kind, rng.randrange(5), rng)
