"""HTTP towards a model server: reused connections, and every failure as a typed error."""

import ipaddress
import json
import socket
import threading
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

from unabridged.errors import (
    MissingExtraError,
    SettingError,
    UpstreamAwayError,
    UpstreamBrokenError,
    UpstreamError,
)
from unabridged.net.stream_connection import AnswerStop, StreamConnection
from unabridged.wire.stream_lines import encode
from unabridged.wire.upstream_errors import refusal, refusal_of

if TYPE_CHECKING:
    import httpx2

CONNECT_SECONDS = 5.0
"""The longest wait for a connection; a server that is up takes it at once."""
LISTEN_SECONDS = 0.25
"""The longest wait for a server on this machine to take a connection."""
SECRET = 8
"""Shortest length in characters of a secret; shorter keys (``none``, ``ollama``) are words of texts."""


class HttpUpstream:
    """A model server at an address.

    Args:
        url: Its base address.
        name: What people call it: ``Ollama``, ``the server``.
        key: Sent with each request, if not empty.
        timeout: Seconds to wait for it to begin answering, and between two pieces.
        hint: What to do when nobody answers.
        dialect: ``anthropic`` if its key is sent as that API requires; empty for a bearer token.
    """

    def __init__(
        self,
        url: str,
        *,
        name: str,
        key: str = "",
        timeout: float = 300.0,
        hint: str = "",
        dialect: str = "",
    ) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise SettingError(
                f"{url!r} is no address of a server.",
                hint="Write it with its scheme, as in http://127.0.0.1:11434.",
            )
        self.url = url.rstrip("/")
        self.host = parts.hostname
        self.shown = urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2])).rstrip("/")
        self._name = name
        self.key = key
        self._dialect = dialect
        self.timeout = timeout
        self._hint = hint
        self._secrets = [word for word in (key, parts.password) if word and len(word) >= SECRET]
        self._port = parts.port or (443 if parts.scheme == "https" else 80)
        self._client: httpx2.Client | None = None
        self._opening = threading.Lock()  # requests of a server ask one model at the same time
        self._answered = False
        self._spare: list[StreamConnection] = []
        self._closings = 0
        self._verify: Any = None

    def check_listening(self) -> None:
        """Connect and hang up, if the server is on this machine: quick, without the HTTP library.

        Raises:
            UpstreamAwayError: Nobody listens there.
        """
        if not is_local(self.host):
            return
        try:
            socket.create_connection((self.host, self._port), LISTEN_SECONDS).close()
        except OSError as error:
            raise self._away() from error

    def get(self, path: str, *, beside: bool = False) -> dict[str, Any]:
        """Ask for a JSON object below the base address.

        ``beside``: below the parent of ``/v1`` instead, where servers keep what is not OpenAI's.

        Raises:
            UpstreamError: Nobody answers, or not with a JSON object.
        """
        base = self.url.removesuffix("/v1") if beside else self.url
        return self._json("GET", f"{base}{path}", None)

    def post(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """Send a JSON object and take one; raises as ``get``."""
        return self._json("POST", f"{self.url}{path}", body)

    def stream(
        self,
        path: str,
        body: Mapping[str, Any],
        opened: Callable[[Callable[[], None]], None] | None = None,
    ) -> Generator[bytes, None, None]:
        """Send a JSON object, and yield the bytes of the answer as they come.

        Closing the iterator closes the connection, which stops the server.

        Args:
            path: The path below the base address.
            body: What is sent.
            opened: Called with a function that closes the connection from any thread.

        Raises:
            UpstreamError: As ``get``; ``UpstreamBrokenError`` if the answer breaks off.
        """
        connection, closings = self._connection(), self._closings
        stop = AnswerStop(connection)
        if opened is not None:
            opened(stop)
        try:
            yield from self._pieces(f"{self.url}{path}", body, stop, connection.client)
        finally:
            stop.end()
            with self._opening:
                is_open = closings == self._closings
                self._spare += [connection] if is_open else []
            if not is_open:
                connection.client.close()

    def _pieces(
        self, url: str, body: Mapping[str, Any], stop: AnswerStop, client: "httpx2.Client"
    ) -> Iterator[bytes]:
        answer = self._send("POST", url, body, client, stop)
        with closing(answer):
            if answer.status_code >= 400:
                with self.failures(begun=True):
                    answer.read()
                raise self._refused(answer)
            pieces = answer.iter_bytes()
            with self.failures(begun=False):
                first = next(pieces, b"")
            yield first
            with self.failures(begun=True):
                yield from pieces

    def masked(self, text: str) -> str:
        """Return an error's text with asterisks for our key and password, which some servers quote."""
        for word in self._secrets:
            text = text.replace(word, "*" * len(word))
        return text

    def masked_body(self, body: bytes) -> bytes:
        """Return the body of an error, masked; of JSON only the texts, so that it stays JSON."""
        if not self._secrets:
            return body
        text = body.decode("utf-8", "replace")
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return body if self.masked(text) == text else self.masked(text).encode()
        hidden = self._masked_value(value)
        return body if hidden == value else encode(hidden)

    def _masked_value(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.masked(value)
        if isinstance(value, list):
            return [self._masked_value(each) for each in value]
        if isinstance(value, dict):
            return {name: self._masked_value(each) for name, each in value.items()}
        return value

    def close(self) -> None:
        """Close every connection; a later request opens a new one."""
        with self._opening:
            clients = [connection.client for connection in self._spare]
            clients += [self._client] if self._client is not None else []
            self._client, self._spare = None, []
            self._closings += 1
        self._answered = False
        for client in clients:
            client.close()

    def _json(self, method: str, url: str, body: Mapping[str, Any] | None) -> dict[str, Any]:
        answer = self._send(method, url, body, self._open())
        if answer.status_code >= 400:
            raise self._refused(answer)
        try:
            value = json.loads(answer.content)
        except ValueError:
            value = None
        if not isinstance(value, dict):
            raise UpstreamBrokenError(
                f"{self.shown} returned something that is not a JSON object.",
                hint="Check that the address is a model server's.",
            )
        return value

    def _send(
        self,
        method: str,
        url: str,
        body: Mapping[str, Any] | None,
        client: "httpx2.Client",
        stop: AnswerStop | None = None,
    ) -> "httpx2.Response":
        module = httpx2_module()
        content = None if body is None else encode(body)
        headers = None if body is None else _JSON
        extensions = {"trace": stop.trace} if stop is not None else None
        request = client.build_request(
            method, url, content=content, headers=headers, extensions=extensions
        )
        stream = stop is not None
        with self.failures(begun=False):
            try:
                answer = client.send(request, stream=stream)
            except (module.RemoteProtocolError, module.ReadError, module.WriteError):
                if not self._answered or (stop is not None and stop.stopped):
                    raise
                # A server may close a reused connection at the moment when we send: as it said
                # nothing, asking once more on a new one is right.
                answer = client.send(request, stream=stream)
        self._answered = True
        return answer

    def _open(self) -> "httpx2.Client":
        with self._opening:
            if self._client is None:
                self._client = self._made()
            return self._client

    def _connection(self) -> StreamConnection:
        with self._opening:
            return self._spare.pop() if self._spare else StreamConnection(self._made())

    def _made(self) -> "httpx2.Client":
        module = httpx2_module()
        if self._verify is None:
            self._verify = module.create_ssl_context()  # slow to make, and shared
        headers = key_headers(self.key, self._dialect)
        timeout = module.Timeout(self.timeout, connect=min(CONNECT_SECONDS, self.timeout))
        # A proxy named in the environment is for the world outside, never for this machine.
        client: httpx2.Client = module.Client(
            headers=headers,
            timeout=timeout,
            trust_env=not is_local(self.host),
            verify=self._verify,
        )
        return client

    @contextmanager
    def failures(self, *, begun: bool) -> Iterator[None]:
        """Turn what the HTTP library raises into our errors; ``begun``: whether the answer had begun.

        Raises:
            UpstreamAwayError: Nobody answers, or not in time.
            UpstreamBrokenError: The connection broke off.
        """
        module = httpx2_module()
        try:
            yield
        except (module.ConnectError, module.ConnectTimeout, module.ProxyError) as error:
            raise self._away() from error
        except module.ReadTimeout as error:
            if begun:
                raise self._broken(f"nothing more came for {self.timeout:g} s") from error
            raise UpstreamAwayError(
                f"{self._name} at {self.shown} did not begin to answer in {self.timeout:g} s.",
                hint="A large model may take longer to load: raise the setting timeout.",
            ) from error
        except (module.HTTPError, module.StreamError) as error:
            raise self._broken(str(error) or type(error).__name__) from error

    def _refused(self, answer: "httpx2.Response") -> UpstreamError:
        text, status = (
            self.masked_body(answer.content).decode("utf-8", "replace"),
            answer.status_code,
        )
        try:
            body = json.loads(text)
        except ValueError:
            body = None
        found = refusal_of(body, status) if isinstance(body, Mapping) else None
        return found or refusal(text[:200], status=status)

    def _away(self) -> UpstreamAwayError:
        return UpstreamAwayError(f"{self._name} does not answer at {self.shown}.", hint=self._hint)

    def _broken(self, reason: str) -> UpstreamBrokenError:
        return UpstreamBrokenError(
            f"The connection to {self.shown} broke off: {reason}.",
            hint="What came is kept; ask again, and look at the server's log if it happens again.",
        )


_JSON = {"Content-Type": "application/json"}
_ANTHROPIC_VERSION = {"anthropic-version": "2023-06-01"}
"""The version of Anthropic's API; its servers refuse a request without one."""


def key_headers(key: str, dialect: str = "") -> dict[str, str]:
    """Return the headers that a server of a dialect wants with every request."""
    if dialect == "anthropic":
        return {**_ANTHROPIC_VERSION, **({"x-api-key": key} if key else {})}
    return {"Authorization": f"Bearer {key}"} if key else {}


def is_local(host: str) -> bool:
    """Whether a host is this machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def httpx2_module() -> Any:
    """Return the HTTP library, or say which extra is missing."""
    try:
        import httpx2  # noqa: PLC0415 - an extra, and slow to import
    except ModuleNotFoundError as error:
        raise MissingExtraError("httpx2", "http") from error
    return httpx2
