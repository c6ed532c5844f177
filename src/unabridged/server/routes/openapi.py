"""The OpenAPI document of the routes under ``/memory``; responses are described exactly."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from unabridged.operations.operation import Operation, Params
from unabridged.operations.parameters import result_schema, schemas_of
from unabridged.operations.transfer import MEDIA
from unabridged.server.routes.endpoint import PREFIX, Endpoint
from unabridged.server.routes.json_responses import JSON, PROBLEM
from unabridged.wire.json_api.schemas import Schemas

_SCHEMAS = "#/components/schemas/"
_ANY_BODY = {
    "required": True,
    "description": "The file, in any known format, compressed or not.",
    "content": {"application/octet-stream": {"schema": {"type": "string"}}},
}
PROBLEM_SCHEMA = {
    "type": "object",
    "description": "Problem details (RFC 9457).",
    "properties": {
        "type": {"type": "string", "description": "The kind of problem, a URN."},
        "title": {"type": "string", "description": "The kind in words."},
        "status": {"type": "integer", "description": "The HTTP status."},
        "detail": {"type": "string", "description": "What happened."},
        "hint": {"type": "string", "description": "What to do next."},
        "about": {"type": "object", "description": "Figures of this problem, if it has any."},
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
    "X-Unabridged-User": "The user whose memory it is, if the key leaves that open.",
    "X-Unabridged-Agent": "The agent whose memory it is, if the key leaves that open.",
    "X-Unabridged-Session": "The only session that the request reaches.",
    "X-Unabridged-Model": "The model whose memory it is, if the server separates models.",
}
_TITLE = "Unabridged: memory over HTTP"
_ABOUT = (
    "Conversation memory: search what was said, and account for every token. Responses are JSON,"
    " errors are problems (RFC 9457). A GET has an ETag and supports If-None-Match; a change of a"
    " session, fact, requirement or annotation supports If-Match. A POST that writes supports an"
    " Idempotency-Key: repeated with the same body within 24 hours, it is not done again (import,"
    " condensing and maintenance need none, since they skip what is done already)."
)


PROBLEMS: dict[str, dict[str, Any]] = {
    kind: {
        "description": about,
        "content": {PROBLEM: {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
    for kind, about in (
        ("4XX", "The request is not valid or not allowed."),
        ("5XX", "The memory or the model server cannot answer now."),
    )
}


def document(endpoints: Sequence[Endpoint], version: str) -> dict[str, Any]:
    """Return the OpenAPI document (3.1) of operations.

    Args:
        endpoints: The operations over HTTP.
        version: The version of the program.
    """
    bodies = [(each.body_model, each.operation.params) for each in endpoints if each.body_model]
    schemas = {**schemas_of(bodies), "Problem": PROBLEM_SCHEMA}
    answers = Schemas()
    paths: dict[str, dict[str, Any]] = {}
    for each in endpoints:
        operation = each.operation
        paths.setdefault(f"{PREFIX}{operation.path}", {})[operation.method.lower()] = _operation(
            each, answers
        )
    schemas |= answers.named
    return {
        "openapi": "3.1.0",
        "info": {"title": _TITLE, "description": _ABOUT, "version": version},
        "paths": paths,
        "components": {
            "schemas": dict(sorted(schemas.items())),
            "securitySchemes": _SECURITY,
        },
        "security": [{"key": []}],
    }


def _operation(endpoint: Endpoint, answers: Schemas) -> dict[str, Any]:
    operation = endpoint.operation
    name = operation.run.__name__
    place = f"{name}{PREFIX}{operation.path}_{operation.method.lower()}"
    made: dict[str, Any] = {
        "tags": [operation.tag],
        "summary": name.replace("_", " ").title(),
        "description": operation.about,
        "operationId": re.sub(r"\W", "_", place),
        "parameters": [
            *_parameters(endpoint.path_model, operation.params, "path"),
            *_parameters(endpoint.query_model, operation.params, "query"),
            *_headers(operation),
        ],
        "responses": _responses(operation, answers),
    }
    if operation.transfer == "upload":
        made["requestBody"] = _ANY_BODY
    elif (model := endpoint.body_model) is not None:
        schema: dict[str, Any] = {"$ref": f"{_SCHEMAS}{model.__name__}"}
        if operation.bare:
            schema = {"anyOf": [schema, {"type": "null"}], "title": "Body"}
        made["requestBody"] = {"content": {JSON: {"schema": schema}}}
        if not operation.bare:
            made["requestBody"]["required"] = True
    return made


def _parameters(model: type[Params], params: type[Params], place: str) -> Iterator[dict[str, Any]]:
    drawn = schemas_of([(model, params)])[model.__name__]
    required = drawn.get("required", ())
    for name, schema in drawn["properties"].items():
        about = schema.pop("description", None)
        told = {"description": about} if about else {}
        yield {"name": name, "in": place, "required": name in required, "schema": schema, **told}


def _responses(operation: Operation[Any, Any], answers: Schemas) -> dict[str, Any]:
    if operation.transfer == "download":
        content = {
            media: {"schema": {} if "json" in media else {"type": "string"}}
            for media in MEDIA.values()
        }
    else:
        content = {JSON: {"schema": result_schema(operation, answers)}}
    made = {str(operation.status): {"description": operation.gives, "content": content}}
    if operation.method == "GET":
        made["304"] = {"description": "The client has it already."}
    return {**made, **PROBLEMS}


def _headers(operation: Operation[Any, Any]) -> list[dict[str, Any]]:
    named = dict(_HEADERS)
    if operation.method == "GET":
        named["If-None-Match"] = "ETags that the client has; if one matches, the status is 304."
    elif operation.method in {"PATCH", "DELETE"}:
        named["If-Match"] = "The ETag that was read; if it no longer matches, the status is 412."
    elif operation.once is not None:
        named["Idempotency-Key"] = "A key that identifies a repeated request, for 24 hours."
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
