"""Requests to a server's ``/memory``: pages, typed errors, safe repeats of writes."""

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
from unabridged.net.http import httpx2_module, is_local
from unabridged.operations.operation import MOST_A_PAGE, Operation, Page, Paged, Place
from unabridged.wire.json_api import error_from, from_plain, to_json

if TYPE_CHECKING:
    import httpx2

_KINDS: Mapping[int, Callable[..., UnabridgedError]] = {
    401: KeyRefusedError,
    403: PermissionRefusedError,
    404: NotFoundError,
    503: StoreBusyError,
}

R = TypeVar("R")
Item = TypeVar("Item")
Value = TypeVar("Value")


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
        self._module = httpx2_module()
        self.url = url.rstrip("/")
        # A proxy from the environment is never used for this machine.
        self._client: httpx2.Client = self._module.Client(
            base_url=f"{self.url}/memory/",
            headers=headers,
            timeout=timeout,
            trust_env=not is_local(parts.hostname),
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
        with self._answer(operation, given) as answer:
            return cast("R", self._value(operation.result, answer, is_page=operation.is_page))

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

    def upload(
        self, operation: Operation[Any, Any], kind: type[Value], file: BinaryIO, **given: object
    ) -> Value:
        """Upload a file, and read the result as a value of another type than the operation's."""
        with self._answer(operation, given, file) as answer:
            return cast("Value", self._value(kind, answer))

    def download(self, operation: Operation[Any, Any], to: BinaryIO, **given: object) -> None:
        """Download a file into another one."""
        with self._answer(operation, given) as answer:
            to.writelines(answer.iter_bytes())

    @contextmanager
    def _answer(
        self,
        operation: Operation[Any, Any],
        given: Mapping[str, object],
        file: BinaryIO | None = None,
    ) -> Iterator["httpx2.Response"]:
        with self._failures():
            request = self._request(operation, given, file)
            streams = operation.transfer == "download"
            try:
                answer = self._client.send(request, stream=streams)
            except (self._module.RemoteProtocolError, self._module.ReadError):
                if not operation.is_repeatable:
                    raise
                # Whether or not the first arrived, it is done once.
                answer = self._client.send(request, stream=streams)
            with closing(answer):
                if answer.status_code >= 400:
                    answer.read()
                    raise _error(answer)
                yield answer

    def _request(
        self, operation: Operation[Any, Any], given: Mapping[str, object], file: BinaryIO | None
    ) -> "httpx2.Request":
        placed: dict[Place, dict[str, object]] = {place: {} for place in Place}
        for name, value in given.items():
            if value is not None:
                placed[operation.place_of(name)][name] = value
        headers: dict[str, str] = {}
        content: BinaryIO | bytes | None = file
        if file is not None:
            headers["Content-Type"] = "application/octet-stream"
        elif operation.method in {"POST", "PATCH"}:
            headers["Content-Type"] = "application/json"
            content = to_json(placed[Place.BODY])
        if operation.once is not None:
            headers["Idempotency-Key"] = str(uuid.uuid4())
        names = {name: _part(str(value)) for name, value in placed[Place.PATH].items()}
        return self._client.build_request(
            operation.method,
            operation.path.lstrip("/").format_map(names),
            params={name: _text(value) for name, value in placed[Place.QUERY].items()},
            content=content,
            headers=headers,
        )

    def _value(self, kind: Any, answer: "httpx2.Response", *, is_page: bool = False) -> Any:
        try:
            data = json.loads(answer.content)
            if is_page:
                return Page([from_plain(kind, item) for item in data["items"]], data["next"])
            return from_plain(kind, data)
        except (ValueError, LookupError, TypeError) as error:
            raise UpstreamBrokenError(
                f"{self.url} returned an invalid response. Is it an Unabridged server?",
                hint="Check the address, and that client and server have the same version.",
            ) from error

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


def _part(name: str) -> str:
    # Programs between client and server drop such parts, and would reach another route.
    if name in {"", ".", ".."}:
        raise NotFoundError(f"Nothing has the id {name!r}.", hint="Give the whole id.")
    return quote(name, safe="")


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


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
