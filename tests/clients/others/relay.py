"""A server between a program and ours: it passes everything on, and keeps what the program sent."""

import http.client
import json
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

OWN_HOP = ("host", "connection", "transfer-encoding", "accept-encoding")


@dataclass
class Passed:
    """A request with a JSON body, and how it was answered."""

    path: str
    body: dict
    status: int
    headers: dict
    answer: bytes = field(default=b"", repr=False)


class Relay(ThreadingHTTPServer):
    """The server: ``url`` is its address, ``passed`` what it passed on."""

    daemon_threads = True

    def __init__(self, url):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.to = urlsplit(url)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        self.passed = []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def _pass_on(self):
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        there = http.client.HTTPConnection(
            self.server.to.hostname, self.server.to.port, timeout=120
        )
        kept = {name: text for name, text in self.headers.items() if name.lower() not in OWN_HOP}
        there.request(self.command, self.path, raw or None, kept)
        answer = there.getresponse()
        headers = {name.lower(): text for name, text in answer.getheaders()}
        row = Passed(self.path.partition("?")[0], _read(raw), answer.status, headers)
        self.server.passed.append(row)
        self.send_response(answer.status)
        for name, text in headers.items():
            if name not in OWN_HOP:
                self.send_header(name, text)
        self.end_headers()
        while piece := answer.read1(65_536):
            row.answer += piece
            self.wfile.write(piece)
            self.wfile.flush()
        there.close()

    do_GET = do_POST = do_HEAD = do_DELETE = _pass_on  # noqa: N815 - the names of http.server


def _read(raw):
    try:
        body = json.loads(raw)
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}
