"""The JSON Schema of the domain's values, from their type hints and docstrings.

Dialect: JSON Schema 2020-12, as OpenAPI 3.1 uses it.
"""

import dataclasses
import inspect
import re
import types
from collections.abc import Mapping
from datetime import datetime
from enum import Enum
from typing import Any, Union, cast, get_args, get_origin

from unabridged.domain.message import Text
from unabridged.wire.json_api.to_plain import PARTS, hints_of

Schema = dict[str, Any]

_PLAIN: Mapping[Any, str] = {str: "string", int: "integer", float: "number", bool: "boolean"}
_ATTRIBUTE = re.compile(r"^    (\w+): (.*(?:\n        .*)*)", re.MULTILINE)
_PART_TYPES = ("text", "image", "tool_call", "tool_result", "reasoning", "foreign")


class Schemas:
    """The schemas of values by name.

    Args:
        place: The prefix of references to them in the document.

    Attributes:
        named: The requested schemas, and those that they refer to.
    """

    def __init__(self, place: str = "#/components/schemas/") -> None:
        self.named: dict[str, Schema] = {}
        self._place = place

    def of(self, kind: Any) -> Schema:
        """Return the schema of a type hint; a reference for a dataclass."""
        if kind is Any or kind is object:
            return {}
        origin = get_origin(kind)
        if origin in (Union, types.UnionType):
            return self._either(get_args(kind))
        if origin is tuple or origin is list:
            return self._array(get_args(kind))
        if origin is not None:
            return {"type": "object", "additionalProperties": self.of(get_args(kind)[1])}
        return self._single(kind)

    def _single(self, kind: Any) -> Schema:
        if dataclasses.is_dataclass(kind):
            return self._object(cast("type[Any]", kind))
        if issubclass(kind, Enum):
            return {"type": "string", "enum": [each.value for each in kind]}
        if kind is datetime:
            return {"type": "string", "format": "date-time"}
        return {"type": _PLAIN[kind]}

    def _either(self, kinds: tuple[Any, ...]) -> Schema:
        if Text in kinds:
            return self._part()
        options = [self.of(kind) for kind in kinds if kind is not types.NoneType]
        if types.NoneType not in kinds:
            return {"anyOf": options}
        (only,) = options
        if isinstance(only.get("type"), str) and "enum" not in only:
            return {**only, "type": [only["type"], "null"]}
        return {"anyOf": [only, {"type": "null"}]}

    def _array(self, kinds: tuple[Any, ...]) -> Schema:
        if len(kinds) == 1 or kinds[1] is Ellipsis:
            return {"type": "array", "items": self.of(kinds[0])}
        items = [self.of(kind) for kind in kinds]
        return {"type": "array", "prefixItems": items, "minItems": len(items), "items": False}

    def _part(self) -> Schema:
        if "Part" not in self.named:
            options = []
            for name, kind in zip(_PART_TYPES, PARTS, strict=True):
                schema = self._fields(kind)
                schema["properties"] = {"type": {"const": name}, **schema["properties"]}
                # Omitted from a result that did not fail.
                schema["required"] = ["type", *(n for n in schema["required"] if n != "failed")]
                options.append(schema)
            self.named["Part"] = {"description": "One content part.", "oneOf": options}
        return {"$ref": f"{self._place}Part"}

    def _object(self, kind: type[Any]) -> Schema:
        name = kind.__name__.lstrip("_")
        if name not in self.named:
            self.named[name] = {}  # it may contain itself
            self.named[name] = self._fields(kind)
        return {"$ref": f"{self._place}{name}"}

    def _fields(self, kind: Any) -> Schema:
        about, told = described(kind)
        properties: dict[str, Schema] = {}
        for name, hint in hints_of(kind).items():
            properties[name] = dict(self.of(hint))
            if name in told:
                properties[name]["description"] = told[name]
        return {
            "type": "object",
            "description": about,
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        }


def described(kind: type[Any]) -> tuple[str, dict[str, str]]:
    """Return the descriptions of a class and of its fields, from its docstring and its bases'."""
    about, fields = "", dict[str, str]()
    for each in reversed(kind.__mro__):
        about, _, attributes = inspect.cleandoc(each.__doc__ or "").partition("Attributes:")
        fields |= {name: " ".join(text.split()) for name, text in _ATTRIBUTE.findall(attributes)}
    return " ".join(about.split()), fields
