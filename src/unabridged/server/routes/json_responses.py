"""Responses: values in JSON with an ETag, pages with a link to the next, problems (RFC 9457)."""

from collections.abc import Mapping
from hashlib import blake2b
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response

from unabridged.errors import DuplicateIdError, UnabridgedError
from unabridged.operations.operation import Page
from unabridged.server.error_responses import status_of
from unabridged.wire.json_api import problem_of, to_json

JSON = "application/json"
PROBLEM = "application/problem+json"


class HttpProblem(Exception):  # noqa: N818 - it is a response, not a failure
    """A fault of the request itself, with an HTTP status.

    Args:
        status: The HTTP status.
        kind: The end of its problem type, after ``urn:unabridged:http:``.
        detail: What is wrong.
        hint: What to do next.
        headers: Headers of the response.
    """

    def __init__(
        self,
        status: int,
        kind: str,
        detail: str,
        *,
        hint: str = "",
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.kind = kind
        self.hint = hint
        self.headers = dict(headers or {})


def given(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return a value as JSON."""
    return Response(to_json(value), status, headers, JSON)


def paged(request: Request, page: Page[Any]) -> Response:
    """Return one page: ``items``, ``next``, and a link to the next one."""
    headers = {}
    if page.next is not None:
        kept = [(k, v) for k, v in request.query_params.multi_items() if k != "cursor"]
        query = urlencode([*kept, ("cursor", page.next)])
        headers["Link"] = f'<{request.scope["path"]}?{query}>; rel="next"'
    return given({"items": page.items, "next": page.next}, headers=headers)


def problem(error: UnabridgedError | HttpProblem) -> Response:
    """Return an error as a problem."""
    if isinstance(error, HttpProblem):
        body = {
            "type": f"urn:unabridged:http:{error.kind}",
            "title": HTTPStatus(error.status).phrase,
            "status": error.status,
            "detail": str(error),
            "hint": error.hint,
        }
        return Response(to_json(body), error.status, error.headers, PROBLEM)
    status = 409 if isinstance(error, DuplicateIdError) else status_of(error)
    headers = {"Retry-After": "1"} if status == 503 else None
    return Response(to_json(problem_of(error, status)), status, headers, PROBLEM)


def tag_of(content: bytes) -> str:
    """Return the strong ETag of a representation."""
    return f'"{blake2b(content, digest_size=12).hexdigest()}"'


def tagged(request: Request, response: Response) -> Response:
    """Add the ETag of a response; if the client has it already, return 304."""
    plain = type(response) is Response and response.media_type == JSON  # a stream has no body
    if request.method not in {"GET", "HEAD"} or response.status_code != 200 or not plain:
        return response
    tag = tag_of(bytes(response.body))
    response.headers["ETag"] = tag
    response.headers["Cache-Control"] = "private, no-cache"
    if _fits(request.headers.get("if-none-match"), tag):
        kept = {k: v for k, v in response.headers.items() if k in ("etag", "cache-control", "link")}
        return Response(status_code=304, headers=kept)
    return response


def check_match(request: Request, value: Any) -> None:
    """Refuse to change something that is no longer what the client saw.

    Args:
        request: The request; without ``If-Match`` every change is accepted.
        value: The current value, as a GET would return it.

    Raises:
        HttpProblem: It has changed (412).
    """
    wanted = request.headers.get("if-match")
    if wanted is not None and not _fits(wanted, tag_of(to_json(value))):
        raise HttpProblem(
            412,
            "changed-meanwhile",
            "It has changed since you read it.",
            hint="Read it again, and send the change with its new ETag.",
        )


def _fits(header: str | None, tag: str) -> bool:
    if header is None:
        return False
    tags = [each.strip().removeprefix("W/") for each in header.split(",")]
    return "*" in tags or tag in tags
