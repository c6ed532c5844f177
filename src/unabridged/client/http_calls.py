"""Requests to a server's ``/memory``: pages, typed errors, safe repeats of writes."""

import ipaddress
import json
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar, cast
from urllib.parse import quote, urlsplit

from unabridged.domain.arguments import checked
from unabridged.errors import (
    InputError,
    KeyRefusedError,
    MissingExtraError,
    NotFoundError,
    PermissionRefusedError,
    SettingError,
    StoreBusyError,
    StoreClosedError,
    UnabridgedError,
    UpstreamAwayError,
    UpstreamBrokenError,
    UpstreamRefusedError,
)
from unabridged.operations.operation import MOST_A_PAGE, Operation, Page, Paged, Place
from unabridged.wire.json_api import error_from, from_plain, to_json

if TYPE_CHECKING:
    import httpx2

_JSON = {"Content-Type": "application/json"}
_BYTES = {"Content-Type": "application/octet-stream"}
_KINDS: Mapping[int, Callable[..., UnabridgedError]] = {
    401: KeyRefusedError,
    403: PermissionRefusedError,
    404: NotFoundError,
    503: StoreBusyError,
}

R = TypeVar("R")
Item = TypeVar("Item")


class Wire:
    """The requests to one server.

    Args:
        url: The server's base address.
        headers: The headers of each request: the key, and whose memory it is.
        timeout: Seconds to wait for an answer.

    Raises:
        InputError: The address is no text.
        SettingError: The address is not valid.
        MissingExtraError: ``httpx2`` is not installed.
    """

    def __init__(self, url: str, headers: Mapping[bytes, bytes], timeout: float) -> None:
        parts = urlsplit(checked("url", url, str))
        if parts.path.rstrip("/").endswith("/v1"):
            raise SettingError(
                f"{url!r} is the address of a server's chat.",
                hint="Give the address of the server, without /v1.",
            )
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise SettingError(
                f"{url!r} is not the address of a server.",
                hint="Write it with its scheme, as in http://127.0.0.1:11435.",
            )
        try:
            import httpx2  # noqa: PLC0415 - an extra, and slow to import
        except ModuleNotFoundError as error:
            raise MissingExtraError("httpx2", "http") from error
        self._module = httpx2
        self.url = url.rstrip("/")
        # A proxy from the environment is never used for this machine.
        self._client = httpx2.Client(
            base_url=f"{self.url}/memory/",
            headers=headers,
            timeout=timeout,
            trust_env=not _is_local(parts.hostname),
        )

    def close(self) -> None:
        """Close every connection."""
        self._client.close()

    def call(self, operation: Operation[Any, R], **given: object) -> R:
        """Call an operation, with its parameters by name; those that are None are omitted.

        If the answer is lost, it is sent again under the same key, so that it is done once.

        Raises:
            UnabridgedError: The error that the server reports.
        """
        fields = {name: value for name, value in given.items() if value is not None}
        data = self._send(operation, fields)
        if operation.is_page:
            items = [self._value(operation.result, item) for item in data["items"]]
            return cast("R", Page(items, data["next"]))
        return cast("R", self._value(operation.result, data))

    def all(self, operation: Operation[Any, Page[Item]], **given: object) -> Iterator[Item]:
        """Read a list page by page; without a limit, by the largest pages."""
        if issubclass(operation.params, Paged):
            given = {"limit": MOST_A_PAGE, **given}
        cursor: str | None = None
        while True:
            page = self.call(operation, **given, cursor=cursor)
            yield from page.items
            cursor = page.next
            if cursor is None:
                return

    def upload(self, operation: Operation[Any, R], data: bytes | BinaryIO, **given: object) -> R:
        """Upload a file."""
        with self._failures():
            answer = self._client.post(
                _path(operation, given), content=data, headers=_BYTES, params=_texts(given)
            )
        return cast("R", self._value(operation.result, self._read(answer)))

    def download(self, operation: Operation[Any, Any], to: BinaryIO, **given: object) -> None:
        """Download a file into another one."""
        with self._failures():
            path = _path(operation, given)
            request = self._client.build_request("GET", path, params=_texts(given))
            answer = self._client.send(request, stream=True)
            with closing(answer):
                if answer.status_code >= 400:
                    answer.read()
                    raise _error(answer)
                to.writelines(answer.iter_bytes())

    def _send(self, operation: Operation[Any, Any], given: Mapping[str, object]) -> Any:
        query: dict[str, object] = {}
        body: dict[str, object] = {}
        for name, value in given.items():
            place = operation.place_of(name)
            if place is not Place.PATH:
                (query if place is Place.QUERY else body)[name] = value
        has_body = operation.method in {"POST", "PATCH"}
        headers = dict(_JSON) if has_body else {}
        if operation.once is not None:
            headers["Idempotency-Key"] = str(uuid.uuid4())

        def send() -> "httpx2.Response":
            return self._client.request(
                operation.method,
                _path(operation, given),
                params=_texts(query),
                content=to_json(body) if has_body else None,
                headers=headers,
            )

        with self._failures():
            try:
                answer = send()
            except (self._module.RemoteProtocolError, self._module.ReadError):
                if not operation.is_repeatable:
                    raise
                answer = send()  # whether or not the first arrived, it is done once
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

    def _value(self, kind: Any, data: Any) -> Any:
        try:
            return from_plain(kind, data)
        except ValueError as error:
            raise self._strange() from error

    def _strange(self) -> UpstreamBrokenError:
        return UpstreamBrokenError(
            f"{self.url} returned an invalid response. Is it an Unabridged server?",
            hint="Check the address, and that client and server have the same version.",
        )

    @contextmanager
    def _failures(self) -> Iterator[None]:
        module = self._module
        if self._client.is_closed:
            raise StoreClosedError(
                "The memory was closed.", hint="Open it again: RemoteMemory(url, key=…)."
            )
        try:
            yield
        except (module.ConnectError, module.ConnectTimeout, module.ProxyError) as error:
            raise UpstreamAwayError(
                f"No Unabridged server answers at {self.url}.", hint="Start it: unabridged serve"
            ) from error
        except module.HTTPError as error:
            raise UpstreamBrokenError(
                f"The connection to {self.url} failed: {error or type(error).__name__}.",
                hint="Try again; a write is done only once.",
            ) from error


def _path(operation: Operation[Any, Any], given: Mapping[str, object]) -> str:
    names = {name: _part(str(given[name])) for name in operation.fields_of(Place.PATH)}
    return operation.path.lstrip("/").format_map(names)


def _part(name: str) -> str:
    # Programs between client and server drop such parts, and would reach another route.
    if name in {"", ".", ".."}:
        raise NotFoundError(f"Nothing has the id {name!r}.", hint="Give the whole id.")
    return quote(name, safe="")


def _texts(query: Mapping[str, object]) -> dict[str, str]:
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
    said = str(problem.get("detail") or f"The server returned status {status}.")
    hint = str(problem.get("hint") or "The log of the server has details.")
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
