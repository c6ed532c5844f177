"""Errors as answers: a table from errors to HTTP, and each dialect's form."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from unabridged.errors import (
    ContextRefusedError,
    HeadMovedError,
    InputError,
    KeyRefusedError,
    ModelNotFoundError,
    NotFoundError,
    PermissionRefusedError,
    PromptTooLargeError,
    RequestRefusedError,
    SettingError,
    StoreBusyError,
    StoreClosedError,
    StoreError,
    TransferError,
    UnabridgedError,
    UpstreamError,
    UpstreamRefusedError,
    WindowError,
)
from unabridged.server.client_disconnect import LEFT, ClientLeftError
from unabridged.wire.openai import error_body

Handler = Callable[[Request], Awaitable[Response]]

_STATUS: tuple[tuple[type[UnabridgedError], int, str], ...] = (
    (KeyRefusedError, 401, "invalid_api_key"),
    (PermissionRefusedError, 403, "not_allowed"),
    (WindowError, 400, "context_length_exceeded"),
    (ContextRefusedError, 400, "context_length_exceeded"),
    (InputError, 400, "invalid_request"),
    (TransferError, 400, "invalid_request"),
    (ModelNotFoundError, 404, "model_not_found"),
    (NotFoundError, 404, "not_found"),
    (SettingError, 400, "invalid_setting"),
    (HeadMovedError, 409, "conflict"),
    (StoreBusyError, 503, "memory_busy"),
    (StoreClosedError, 503, "memory_closed"),
    (StoreError, 503, "memory_failed"),
    (UpstreamError, 502, "upstream_failed"),
)
"""Statuses and codes; the first row that an error is an instance of applies."""

_ANTHROPIC: Mapping[int, str] = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    503: "overloaded_error",
    504: "timeout_error",
    529: "overloaded_error",
}
"""Statuses and types of errors in Anthropic's dialect."""


def status_of(error: UnabridgedError) -> int:
    """Return the HTTP status of an error; an upstream's refusal keeps its status."""
    if isinstance(error, UpstreamRefusedError) and error.status is not None:
        return error.status
    if isinstance(error, RequestRefusedError):
        return error.status
    return next((status for kind, status, _ in _STATUS if isinstance(error, kind)), 500)


def code_of(error: UnabridgedError) -> str:
    """Return the machine-readable code of an error."""
    if isinstance(error, RequestRefusedError):
        return error.code
    return next((code for kind, _, code in _STATUS if isinstance(error, kind)), "internal_error")


def words_of(error: UnabridgedError) -> str:
    """Return the message and the hint as one text."""
    return f"{error} {error.hint}".strip()


def body_in(dialect: str, error: UnabridgedError) -> dict[str, Any]:
    """Return the body of an error in a dialect: ``anthropic``, ``ollama`` or ``openai``."""
    if dialect == "ollama":
        return {"error": words_of(error)}
    if dialect == "anthropic":
        status = status_of(error)
        kind = _ANTHROPIC.get(status, "invalid_request_error" if status < 500 else "api_error")
        return {"type": "error", "error": {"type": kind, "message": _anthropic_words(error)}}
    kind = "invalid_request_error" if status_of(error) < 500 else "server_error"
    return error_body(words_of(error), kind=kind, code=code_of(error))


def _anthropic_words(error: UnabridgedError) -> str:
    # Programs look for these words, and then compact the conversation.
    if isinstance(error, PromptTooLargeError):
        needed, window = error.needed, error.window
    elif isinstance(error, ContextRefusedError) and error.prompt_tokens and error.window:
        needed, window = error.prompt_tokens, error.window
    else:
        return words_of(error)
    return f"prompt is too long: {needed} tokens > {window} maximum. {words_of(error)}"


def answer_in(
    dialect: str, error: UnabridgedError, headers: Mapping[str, str] | None = None
) -> JSONResponse:
    """Return an error as an answer; see ``body_in``."""
    return JSONResponse(body_in(dialect, error), status_of(error), headers)


def speaking(dialect: str, handler: Handler) -> Handler:
    """Make a handler answer errors in its dialect."""

    async def spoken(request: Request) -> Response:
        try:
            return await handler(request)
        except UnabridgedError as error:
            return answer_in(dialect, error)
        except ClientLeftError:
            return Response(status_code=LEFT)

    return spoken
