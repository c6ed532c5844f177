"""Requests to a server's ``/memory``: pages, problems as typed errors, writes repeated safely."""

import ipaddress
import json
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar
from urllib.parse import quote, urlsplit

from unabridged.errors import (
    InputError,
    KeyRefusedError,
    MissingExtraError,
    NotFoundError,
    PermissionRefusedError,
    SettingError,
    StoreBusyError,
    UnabridgedError,
    UpstreamAwayError,
    UpstreamBrokenError,
    UpstreamRefusedError,
)
from unabridged.wire.json_api import error_from, from_plain, to_json

if TYPE_CHECKING:
    import httpx2

PAGE = 200
"""Items of one page."""
_JSON = {"Content-Type": "application/json"}
_BYTES = {"Content-Type": "application/octet-stream"}
_KINDS: Mapping[int, Callable[..., UnabridgedError]] = {
    401: KeyRefusedError,
    403: PermissionRefusedError,
    404: NotFoundError,
    503: StoreBusyError,
}

Value = TypeVar("Value")


class Wire:
    """A server's memory, as requests.

    Args:
        url: The server's base address.
        headers: What goes with each request: the key, and whose memory it is.
        timeout: Seconds to wait for an answer.

    Raises:
        SettingError: The address is none.
        MissingExtraError: ``httpx2`` is not installed.
    """

    def __init__(self, url: str, headers: Mapping[bytes, bytes], timeout: float) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise SettingError(
                f"{url!r} is no address of a server.",
                hint="Write it with its scheme, as in http://127.0.0.1:11435.",
            )
        try:
            import httpx2  # noqa: PLC0415 - an extra, and slow to import
        except ModuleNotFoundError as error:
            raise MissingExtraError("httpx2", "http") from error
        self._module = httpx2
        self.url = url.rstrip("/")
        # A proxy named in the environment is for the world outside, never for this machine.
        self._client = httpx2.Client(
            base_url=f"{self.url}/memory/",
            headers=headers,
            timeout=timeout,
            trust_env=not _is_local(parts.hostname),
        )

    def close(self) -> None:
        """Close every connection."""
        self._client.close()

    def get(self, path: str, kind: type[Value], **query: object) -> Value:
        """Read one value.

        Raises:
            UnabridgedError: As the server says.
        """
        return self._value(kind, self._send("GET", path, query))

    def all(self, path: str, kind: type[Value], **query: object) -> Iterator[Value]:
        """Read a list, page by page."""
        cursor: str | None = None
        while True:
            page = self._send("GET", path, {**query, "cursor": cursor})
            for item in page["items"]:
                yield self._value(kind, item)
            cursor = page["next"]
            if cursor is None:
                return

    def items(self, path: str, kind: type[Value], **query: object) -> list[Value]:
        """Read one page."""
        page = self._send("GET", path, query)
        return [self._value(kind, item) for item in page["items"]]

    def post(self, path: str, body: Mapping[str, object] | None = None, **query: object) -> Any:
        """Send what writes, once: where the answer is lost, it is repeated under the same key."""
        headers = {"Idempotency-Key": str(uuid.uuid4())}
        return self._send("POST", path, query, body or {}, headers, again=True)

    def made(self, path: str, kind: type[Value], body: Mapping[str, object]) -> Value:
        """Send what writes, and read the value that it gives."""
        return self._value(kind, self.post(path, body))

    def ask(self, path: str, body: Mapping[str, object]) -> Any:
        """Send a question that is too long for an address; nothing is written."""
        return self._send("POST", path, {}, body)

    def change(self, path: str, kind: type[Value], body: Mapping[str, object]) -> Value:
        """Change fields of something, and read it as it is now."""
        return self._value(kind, self._send("PATCH", path, {}, body))

    def delete(self, path: str, kind: type[Value]) -> Value:
        """Take something away, and read it as it was."""
        return self._value(kind, self._send("DELETE", path, {}))

    def upload(self, path: str, data: bytes, **query: object) -> Any:
        """Send a file."""
        with self._failures():
            answer = self._client.post(path, content=data, headers=_BYTES, params=_told(query))
        return self._read(answer)

    def download(self, path: str, to: BinaryIO, **query: object) -> None:
        """Read a file into another one."""
        with self._failures():
            request = self._client.build_request("GET", path, params=_told(query))
            answer = self._client.send(request, stream=True)
            with closing(answer):
                if answer.status_code >= 400:
                    answer.read()
                    raise _error(answer)
                to.writelines(answer.iter_bytes())

    def _send(
        self,
        method: str,
        path: str,
        query: Mapping[str, object],
        body: Mapping[str, object] | None = None,
        headers: Mapping[str, str] | None = None,
        *,
        again: bool = False,
    ) -> Any:
        content = None if body is None else to_json(body)
        sent = {**(headers or {}), **(_JSON if content is not None else {})}

        def send() -> "httpx2.Response":
            return self._client.request(
                method, path, params=_told(query), content=content, headers=sent
            )

        with self._failures():
            try:
                answer = send()
            except (self._module.RemoteProtocolError, self._module.ReadError):
                if not again and method != "GET":
                    raise
                answer = send()  # whatever became of the first, it is done once
        return self._read(answer)

    def _read(self, answer: "httpx2.Response") -> Any:
        if answer.status_code >= 400:
            raise _error(answer)
        try:
            value = json.loads(answer.content)
        except ValueError as error:
            raise self._strange() from error
        if not isinstance(value, dict):
            raise self._strange()
        return value

    def _value(self, kind: type[Value], data: Any) -> Value:
        try:
            return from_plain(kind, data)
        except ValueError as error:
            raise self._strange() from error

    def _strange(self) -> UpstreamBrokenError:
        return UpstreamBrokenError(
            f"{self.url} answered with something that is no answer of Unabridged.",
            hint="Check the address, and that both are of one version.",
        )

    @contextmanager
    def _failures(self) -> Iterator[None]:
        module = self._module
        try:
            yield
        except (module.ConnectError, module.ConnectTimeout, module.ProxyError) as error:
            raise UpstreamAwayError(
                f"No server of Unabridged answers at {self.url}.", hint="Start it: unabridged serve"
            ) from error
        except module.HTTPError as error:
            raise UpstreamBrokenError(
                f"The connection to {self.url} broke off: {error or type(error).__name__}.",
                hint="Ask again; what was written is there once.",
            ) from error


def path_of(*names: str) -> str:
    """Give names as a path; each may hold any character."""
    return "/".join(quote(name, safe="") for name in names)


def _told(query: Mapping[str, object]) -> dict[str, str]:
    given = {name: value for name, value in query.items() if value is not None}
    return {n: str(v).lower() if isinstance(v, bool) else str(v) for n, v in given.items()}


def _error(answer: "httpx2.Response") -> UnabridgedError:
    try:
        problem = json.loads(answer.content)
    except ValueError:
        problem = None
    if not isinstance(problem, Mapping):
        problem = {}
    if (known := error_from(problem)) is not None:
        return known
    status = answer.status_code
    said = str(problem.get("detail") or f"The server answered {status}.")
    hint = str(problem.get("hint") or "The server's own log says more.")
    if status in _KINDS:
        return _KINDS[status](said, hint=hint)
    if status < 500:
        return InputError(said, hint=hint)
    return UpstreamRefusedError(said, status=status, hint=hint)


def _is_local(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
