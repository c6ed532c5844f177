"""The OpenAPI document of the routes under ``/memory``, exact in what it answers."""

from collections.abc import Mapping, Sequence
from typing import Any

from fastapi.openapi.utils import get_openapi
from starlette.routing import BaseRoute

from unabridged.server.routes.json_responses import JSON, PROBLEM
from unabridged.server.routes.route import RAW
from unabridged.wire.json_api import Schemas

SCHEMAS = Schemas()
"""The schemas of everything that a route answers; each route adds its own when it is declared."""

PROBLEM_SCHEMA = {
    "type": "object",
    "description": "Problem details (RFC 9457).",
    "properties": {
        "type": {"type": "string", "description": "What kind of problem it is: a URN."},
        "title": {"type": "string", "description": "The kind in words."},
        "status": {"type": "integer", "description": "The HTTP status."},
        "detail": {"type": "string", "description": "What happened."},
        "hint": {"type": "string", "description": "What to do next."},
        "about": {"type": "object", "description": "Figures of this problem, where it has some."},
    },
    "required": ["type", "title", "status", "detail", "hint"],
    "additionalProperties": False,
}
_SECURITY = {
    "key": {
        "type": "http",
        "scheme": "bearer",
        "description": "The token that the first start makes, or an API key.",
    }
}
_HEADERS = {
    "X-Unabridged-User": "The user whose memory it is; only what the key leaves free.",
    "X-Unabridged-Agent": "The agent whose memory it is; only what the key leaves free.",
    "X-Unabridged-Session": "The only session that the request reaches.",
    "X-Unabridged-Model": "The model whose memory it is, where models have memories of their own.",
}
_REPEATABLE = (
    "/memory/search",
    "/memory/import",
    "/memory/forget",
    "/memory/condensations",
    "/memory/tend",
)
"""What is posted and changes nothing, or changes nothing more when it is repeated."""
_TITLE = "Unabridged: memory over HTTP"
_ABOUT = (
    "Conversation memory: what was said, searched and accounted for. Every answer is JSON, every"
    " error a problem (RFC 9457). A GET carries an ETag and knows If-None-Match; a change of a"
    " session, fact or requirement knows If-Match. A POST that writes takes an Idempotency-Key:"
    " repeated with the same body within 24 hours it is not done again (importing, condensing and"
    " tending need none: what is done already is passed over)."
)


def answers(
    kind: Any, about: str, *, status: int = 200, besides: Mapping[int, str] | None = None
) -> dict[int | str, dict[str, Any]]:
    """Say what a route answers.

    Args:
        kind: The type of the value, or a list of one for a page of them.
        about: What it is, in a line.
        status: The status of success.
        besides: Other statuses of success, and what they say.
    """
    schema = _page_of(SCHEMAS.of(kind[0])) if isinstance(kind, list) else SCHEMAS.of(kind)
    return {
        status: {"description": about, "content": {JSON: {"schema": schema}}},
        **{other: {"description": told} for other, told in (besides or {}).items()},
        **PROBLEMS,
    }


PROBLEMS: dict[int | str, dict[str, Any]] = {
    kind: {
        "description": about,
        "content": {PROBLEM: {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
    for kind, about in (
        ("4XX", "The request cannot be answered."),
        ("5XX", "The memory or the model server cannot answer now."),
    )
}


def _page_of(item: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {
            "items": {"type": "array", "items": item},
            "next": {
                "type": ["string", "null"],
                "description": "The cursor of the next page; null where this is the last.",
            },
        },
        "required": ["items", "next"],
        "additionalProperties": False,
    }


def document(routes: Sequence[BaseRoute], version: str) -> dict[str, Any]:
    """Give the OpenAPI document (3.1) of routes.

    Args:
        routes: The routes under ``/memory``.
        version: The version of the program.
    """
    made = get_openapi(title=_TITLE, version=version, description=_ABOUT, routes=routes)
    schemas = made.setdefault("components", {}).setdefault("schemas", {})
    schemas.update(SCHEMAS.named)
    schemas["Problem"] = PROBLEM_SCHEMA
    made["components"]["schemas"] = dict(sorted(schemas.items()))
    made["components"]["securitySchemes"] = _SECURITY
    made["security"] = [{"key": []}]
    for path, methods in made["paths"].items():
        for method, operation in methods.items():
            operation.pop(RAW, None)
            operation["parameters"] = [*operation.get("parameters", ()), *_shared(method, path)]
            if method == "get":
                operation["responses"].setdefault("304", {"description": "As the client has it."})
    return made


def _shared(method: str, path: str) -> list[dict[str, Any]]:
    named = dict(_HEADERS)
    if method == "get":
        named["If-None-Match"] = "ETags that the client has; where one holds, the answer is 304."
    elif method in ("patch", "delete"):
        named["If-Match"] = "The ETag that was read; where it holds no more, the answer is 412."
    elif method == "post" and path not in _REPEATABLE:
        named["Idempotency-Key"] = "What tells a repeated request from a new one; 24 hours."
    return [
        {
            "name": name,
            "in": "header",
            "required": False,
            "description": about,
            "schema": {"type": "string"} if name.startswith("If-") else _TEXT,
        }
        for name, about in named.items()
    ]


_TEXT = {"type": "string", "minLength": 1, "maxLength": 200}
