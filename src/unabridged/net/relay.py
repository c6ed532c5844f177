"""Passing requests on to a model server as they are, and its answers back as they come.

The one place below the server that is ``async``: hundreds of streams share one thread.
"""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from unabridged.domain.chat import Address
from unabridged.errors import UpstreamBrokenError
from unabridged.net.http import (
    CONNECT_SECONDS,
    HttpUpstream,
    httpx2_module,
    is_local,
    key_headers,
)
from unabridged.net.read_ahead import ReadAhead

if TYPE_CHECKING:
    import httpx2

ERROR = 400
"""The lowest status of an error."""
HOP_BY_HOP = frozenset(
    "connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer "
    "transfer-encoding upgrade".split()
)
"""Headers of one connection, which are not passed on (RFC 9110, 7.6.1)."""
_OURS = HOP_BY_HOP | frozenset("content-encoding content-length date server set-cookie".split())
"""Headers of an answer that do not come through: ours say the same, or they are nobody's."""


@dataclass(slots=True)
class RelayedReply:
    """An answer that has begun; its headers are in small letters, without those of the connection.

    In an error, asterisks replace our key and password where the server quotes them; all other
    answers are passed on byte for byte.
    """

    status: int
    headers: Mapping[str, str]
    _answer: "httpx2.Response"
    _server: HttpUpstream
    _ahead: ReadAhead | None = None

    async def pieces(self) -> AsyncIterator[bytes]:
        """Give its bytes as they arrive; an ``UpstreamBrokenError`` is raised if it breaks off."""
        if self.status >= ERROR:
            yield await self.read()  # whole, since a word could be cut between two pieces
            return
        self._ahead = ReadAhead(self._answer.aiter_bytes())
        with self._server.failures(begun=True):
            async for piece in self._ahead.pieces():
                yield piece

    async def read(self) -> bytes:
        """Give all of it; raises as ``pieces``."""
        with self._server.failures(begun=True):
            body = await self._answer.aread()
        return self._server.masked_body(body) if self.status >= ERROR else body

    def masked(self, text: str) -> str:
        """Return the text of an error inside the answer without our key and password."""
        return self._server.masked(text)

    async def close(self) -> None:
        """Close the connection where it did not come to its end, which stops the server."""
        if self._ahead is not None:
            await self._ahead.stop()
        await self._answer.aclose()


class UpstreamRelay:
    """A model server, for one event loop.

    Args:
        address: Where it listens; nothing of a request changes it.
        name: What people call it.
        hint: What to do when nobody answers.
    """

    def __init__(self, address: Address, *, name: str, hint: str = "") -> None:
        self.address = address
        self._server = HttpUpstream(
            address.url, name=name, key=address.key, timeout=address.timeout, hint=hint
        )
        self._client: httpx2.AsyncClient | None = None
        self._answered = False

    async def open(
        self,
        method: str,
        path: str,
        body: bytes | AsyncIterator[bytes] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> RelayedReply:
        """Send a request; give the answer when it has begun, whatever its status.

        Args:
            method: The HTTP method.
            path: Below the base address; with its query.
            body: What to send.
            headers: In addition to the server's own key.

        Raises:
            UpstreamAwayError: Nobody answers, or not in time.
            UpstreamBrokenError: The connection broke off, or the server sends us elsewhere.
        """
        client, module = self._open(), httpx2_module()
        request = client.build_request(
            method, f"{self._server.url}{path}", content=body, headers=headers
        )
        with self._server.failures(begun=False):
            try:
                answer = await client.send(request, stream=True)
            except (module.RemoteProtocolError, module.ReadError, module.WriteError):
                if not self._answered or not (body is None or isinstance(body, bytes)):
                    raise
                # A server may close a reused connection at the moment when we send: as it said
                # nothing, asking once more on a new one is right.
                answer = await client.send(request, stream=True)
        self._answered = True
        if answer.is_redirect:
            await answer.aclose()
            raise UpstreamBrokenError(
                f"{self._server.shown} sends us to another address, and none is followed.",
                hint="Set the address of the model server itself.",
            )
        kept = {name: value for name, value in answer.headers.items() if name not in _OURS}
        if answer.status_code >= ERROR:
            kept = {name: self._server.masked(value) for name, value in kept.items()}
        return RelayedReply(answer.status_code, kept, answer, self._server)

    async def close(self) -> None:
        """Close every connection; a later request opens a new one."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    def _open(self) -> "httpx2.AsyncClient":
        if self._client is None:
            module: Any = httpx2_module()
            headers = {"Accept-Encoding": "identity"}
            headers |= key_headers(self.address.key, self.address.dialect)
            seconds = self.address.timeout
            self._client = module.AsyncClient(
                headers=headers,
                timeout=module.Timeout(seconds, connect=min(CONNECT_SECONDS, seconds), pool=None),
                limits=module.Limits(max_connections=None, max_keepalive_connections=64),
                trust_env=not is_local(self._server.host),
                follow_redirects=False,
            )
        return self._client
