"""Requests put to an application without a socket, so that any bytes can stand in them."""

import asyncio
import os
from dataclasses import dataclass, field

HERE, ELSEWHERE = ("127.0.0.1", 50_000), ("192.0.2.7", 50_000)


@dataclass
class Answer:
    status: int = 0
    headers: list = field(default_factory=list)
    body: bytes = b""

    def header(self, name):
        return next((v.decode() for k, v in self.headers if k.lower() == name.encode()), None)

    @property
    def everything(self):
        """All that the client got, as text."""
        lines = [k + b": " + v for k, v in self.headers]
        return b"\n".join([*lines, self.body]).decode("utf-8", "replace")


def raw(headers):
    pairs = headers.items() if isinstance(headers, dict) else headers
    return [
        (k.lower().encode(), v if isinstance(v, bytes) else v.encode("latin-1")) for k, v in pairs
    ]


async def ask(
    app,
    method,
    path,
    headers=(),
    body=b"",
    *,
    client=HERE,
    host="127.0.0.1:11435",
    pieces=None,
    seconds=20,
    account=None,
):
    """One request, of this account if no other is named. `pieces` are parts of a body: bytes, or None for a client that leaves."""
    sent = raw(headers)
    if host is not None and not any(k == b"host" for k, _ in sent):
        sent.insert(0, (b"host", host.encode()))
    parts = list(pieces) if pieces is not None else [body]
    answer, ended = Answer(), asyncio.Event()

    async def receive():
        if not parts:
            await ended.wait()
            return {"type": "http.disconnect"}
        part = parts.pop(0)
        if part is None:
            return {"type": "http.disconnect"}
        return {"type": "http.request", "body": part, "more_body": bool(parts)}

    async def send(message):
        if message["type"] == "http.response.start":
            assert not answer.status, "an answer began twice"
            answer.status, answer.headers = message["status"], list(message["headers"])
        else:
            answer.body += message.get("body", b"")
            if not message.get("more_body"):
                ended.set()

    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": sent,
        "client": client,
        "server": ("127.0.0.1", 11435),
        "state": {"account": os.geteuid() if account is None else account},
    }
    async with asyncio.timeout(seconds):
        await app(scope, receive, send)
    return answer
