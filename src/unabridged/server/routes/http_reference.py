"""Writes the reference of the routes under ``/memory`` from their OpenAPI document.

``python -m unabridged.server.routes.http_reference > docs/reference/http.md``
"""

from collections.abc import Iterator, Mapping
from typing import Any

from unabridged.server.routes import openapi_document

_HEAD = """# Memory over HTTP: the reference

Written by `python -m unabridged.server.routes.http_reference` from the OpenAPI document that the server gives
at `/memory/openapi.json`; do not edit. How it is used: [memory over HTTP](../howto/memory-over-http.md).

{about}

Every route needs `Authorization: Bearer KEY`: the token that the first start makes (`config/server-token` in the
home), or an API key. Routes take these headers:
"""
_ERRORS = """Lists are pages: `items`, and `next`, the cursor of the next page (null on the last), which
stands in the header `Link` as well.

## Errors

Every error is `application/problem+json`: `type`, `title`, `status`, `detail`, `hint` and, where it has figures, `about`.
`urn:unabridged:` and the name of an error of the library tells what happened in memory, such as
`urn:unabridged:not-found`; `urn:unabridged:http:` and a word what is wrong with the request.
"""


def page() -> str:
    """Give the reference as Markdown."""
    made = openapi_document("")
    return "\n".join(_lines(made)).rstrip() + "\n"


def _lines(made: Mapping[str, Any]) -> Iterator[str]:
    yield _HEAD.format(about=made["info"]["description"])
    shared = {
        each["name"]: each["description"]
        for methods in made["paths"].values()
        for operation in methods.values()
        for each in operation["parameters"]
        if each["in"] == "header"
    }
    yield from (f"- `{name}`: {about}" for name, about in shared.items())
    yield f"\n{_ERRORS}"
    yield from _routes(made)
    yield "## Values"
    for name, schema in made["components"]["schemas"].items():
        yield f"\n### {name}\n\n{schema.get('description', '')}".rstrip()
        yield from _fields(schema)


def _routes(made: Mapping[str, Any]) -> Iterator[str]:
    groups: dict[str, list[tuple[str, str, Mapping[str, Any]]]] = {}
    for path, methods in made["paths"].items():
        for method, operation in methods.items():
            groups.setdefault(operation["tags"][0], []).append((method, path, operation))
    for tag, operations in groups.items():
        yield f"## {tag.capitalize()}\n"
        for method, path, operation in operations:
            yield from _operation(f"{method.upper()} {path}", operation)


def _operation(label: str, operation: Mapping[str, Any]) -> Iterator[str]:
    yield f"### `{label}`\n\n{operation['description']}\n"
    for each in operation["parameters"]:
        if each["in"] != "header":
            about = each.get("description") or "An id."
            yield f"- `{each['name']}` ({each['in']}, {_shape(each['schema'])}): {about}"
    if body := operation.get("requestBody"):
        yield f"- body: {_content(body)}"
    for status, told in operation["responses"].items():
        if status.startswith("2"):
            yield f"- {status}: {_content(told)}. {told['description']}"
    yield ""


def _content(told: Mapping[str, Any]) -> str:
    parts = told.get("content", {}).items()
    return ", ".join(f"{_shape(each['schema'])} (`{media}`)" for media, each in parts)


def _fields(schema: Mapping[str, Any]) -> Iterator[str]:
    yield ""
    required = schema.get("required", ())
    for name, each in schema.get("properties", {}).items():
        about = each.get("description", "")
        may = "" if name in required else ", optional"
        yield f"- `{name}` ({_shape(each)}{may}){f': {about}' if about else ''}"
    for option in schema.get("oneOf", ()):
        told = option.get("properties", {})
        yield f"- `{told['type']['const']}`: {option['description']} Fields: " + ", ".join(
            f"`{name}`" for name in told if name != "type"
        )


def _shape(schema: Mapping[str, Any]) -> str:
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "enum" in schema:
        return " or ".join(f"`{value}`" for value in schema["enum"])
    if "const" in schema:
        return f"`{schema['const']}`"
    for union in ("anyOf", "oneOf"):
        if union in schema:
            return " or ".join(dict.fromkeys(_shape(each) for each in schema[union]))
    return _simple(schema)


def _simple(schema: Mapping[str, Any]) -> str:
    kind = schema.get("type", "anything")
    if kind == "array":
        items = schema.get("items") or {}
        return f"array of {_shape(items)}" if items else "array"
    if kind == "object" and "items" in schema.get("properties", {}):
        return f"page of {_shape(schema['properties']['items']['items'])}"
    said = " or ".join(kind) if isinstance(kind, list) else str(kind)
    return f"{said}, {schema['format']}" if "format" in schema else said


if __name__ == "__main__":
    print(page(), end="")  # noqa: T201 - it is what this is for
