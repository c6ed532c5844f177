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
    MissingParentError,
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
    (MissingParentError, 409, "conflict"),
    (StoreBusyError, 503, "memory_busy"),
    (StoreClosedError, 503, "memory_closed"),
    (StoreError, 503, "memory_failed"),
    (UpstreamError, 502, "upstream_failed"),
)
"""Statuses and codes; the first row that an error is an instance of applies."""


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


_TOO_LONG: Mapping[str, str] = {
    "openai": "This model's maximum context length is {window} tokens. However, your messages "
    "resulted in {needed} tokens. Please reduce the length of the messages.",
    "ollama": "request ({needed} tokens) exceeds the available context size ({window} tokens), "
    "try increasing it.",
    "anthropic": "prompt is too long: {needed} tokens > {window} maximum.",
}
"""What each dialect's own server says to a prompt that is too long. Programs look for these words,
not for codes: LiteLLM 1.110.2 ``is_error_str_context_window_exceeded``, opencode 1.18.33, Cline 3.0.65."""
_TOO_LONG_UNCOUNTED: Mapping[str, str] = {
    "openai": "This model's maximum context length is exceeded.",
    "ollama": "request exceeds the available context size.",
    "anthropic": "prompt is too long.",
}
_ANTHROPIC_KINDS: Mapping[int, str] = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    503: "overloaded_error",
    504: "timeout_error",
    529: "overloaded_error",
}
"""https://docs.anthropic.com/en/api/errors; other statuses are by their class."""


def message_in(dialect: str, error: UnabridgedError) -> str:
    """Return the message and the hint as one text, which begins as clients of the dialect expect."""
    words = f"{error} {error.hint}".strip()
    if isinstance(error, PromptTooLargeError):
        needed: int | None = error.needed
        window: int | None = error.window
    elif isinstance(error, ContextRefusedError):
        needed, window = error.prompt_tokens, error.window
    else:
        return words
    if needed is None or window is None or needed <= window:  # the rest is for the answer
        return f"{_TOO_LONG_UNCOUNTED[dialect]} {words}"
    return f"{_TOO_LONG[dialect].format(needed=needed, window=window)} {words}"


def body_in(dialect: str, error: UnabridgedError) -> dict[str, Any]:
    """Return the body of an error in a dialect, ``ollama``, ``openai`` or ``anthropic``."""
    message, status = message_in(dialect, error), status_of(error)
    if dialect == "ollama":
        return {"error": message}
    if dialect == "anthropic":
        kind = "invalid_request_error" if status < 500 else "api_error"
        kind = _ANTHROPIC_KINDS.get(status, kind)
        return {"type": "error", "error": {"type": kind, "message": message}}
    kind = "invalid_request_error" if status < 500 else "server_error"
    return error_body(message, kind=kind, code=code_of(error))


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
