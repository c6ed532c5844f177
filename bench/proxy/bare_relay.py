"""The bare relay: the cost of passing a stream on with the same libraries.

An ASGI application under uvicorn that asks over httpx2 and passes the answer on.
"""

import socket
import sys
from typing import Any

Scope = dict[str, Any]


class BareRelay:
    """The application.

    Args:
        upstream: The base address of the upstream.
    """

    def __init__(self, upstream: str) -> None:
        import httpx2  # noqa: PLC0415 - an extra, which this program alone needs

        self._upstream = upstream
        limits = httpx2.Limits(max_connections=None, max_keepalive_connections=64)
        self._client = httpx2.AsyncClient(timeout=60, limits=limits, trust_env=False)

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        """Pass one request on, and its answer back."""
        if scope["type"] == "lifespan":
            await receive()
            await send({"type": "lifespan.startup.complete"})
            await receive()
            await self._client.aclose()
            await send({"type": "lifespan.shutdown.complete"})
            return
        body = b""
        while True:
            event = await receive()
            body += event.get("body", b"")
            if not event.get("more_body"):
                break
        url = self._upstream + scope["path"]
        headers = {"content-type": "application/json"}
        async with self._client.stream(
            scope["method"], url, content=body, headers=headers
        ) as answer:
            kind = answer.headers["content-type"].encode()
            head = {"type": "http.response.start", "status": answer.status_code}
            await send({**head, "headers": [(b"content-type", kind)]})
            async for piece in answer.aiter_raw():
                await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body", "body": b""})


def main(upstream: str) -> None:
    """Serve until a signal; the first line of output is the address."""
    import uvicorn  # noqa: PLC0415 - likewise

    taken = socket.create_server(("127.0.0.1", 0), backlog=256)
    taken.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # as uvicorn's own sockets have it
    made = uvicorn.Config(
        BareRelay(upstream), http="httptools", ws="none", log_level="warning", access_log=False
    )
    sys.stdout.write(f"http://127.0.0.1:{taken.getsockname()[1]}\n")
    sys.stdout.flush()
    uvicorn.Server(made).run(sockets=[taken])


if __name__ == "__main__":
    main(sys.argv[1])
