"""Converts values of the domain to plain data and back, by their type hints.

An object has every field of its value, by name; times are ISO 8601 with their zone, enumerations
their values, tuples arrays. A content part has a ``type``: see ``domain.message.part_to_dict``.
"""

import dataclasses
import json
import types
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from enum import Enum
from functools import cache
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

import msgspec

from unabridged.domain.message import (
    Foreign,
    Image,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
    part_from_dict,
    part_to_dict,
)

PARTS = (Text, Image, ToolCall, ToolResult, Reasoning, Foreign)
"""The kinds of content parts, by ``type``."""

Value = TypeVar("Value")


def to_plain(value: Any) -> Any:
    """Return a value as plain data for JSON."""
    if isinstance(value, PARTS):
        return part_to_dict(value)
    if dataclasses.is_dataclass(value):
        named = [field.name for field in dataclasses.fields(value) if not field.metadata]
        return {name: to_plain(getattr(value, name)) for name in named}
    for kind, give in _PLAIN.items():
        if isinstance(value, kind):
            return give(value)
    return value


_PLAIN: Mapping[type, Callable[[Any], Any]] = {
    Enum: lambda value: value.value,
    str: str,
    datetime: datetime.isoformat,
    Mapping: lambda value: {str(key): to_plain(item) for key, item in value.items()},
    Iterable: lambda value: [to_plain(item) for item in value],
}


def to_json(value: Any) -> bytes:
    """Return a value as JSON; lone surrogates, which no encoding carries, are escaped."""
    plain = to_plain(value)
    try:
        return msgspec.json.encode(plain)
    except UnicodeEncodeError:
        return json.dumps(plain, separators=(",", ":")).encode("ascii")


def from_plain(kind: type[Value], data: Any) -> Value:
    """Read data of ``to_plain``. Missing fields have their defaults; unknown ones are ignored.

    The type is a frozen dataclass, or the type of a field of one.

    Raises:
        ValueError: The data is not such a value.
    """
    return cast("Value", _read(kind, data, kind.__name__))


def _read(kind: Any, data: Any, where: str) -> Any:
    if kind is Any or kind is object:
        return data
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        return _either(kind, data, where)
    if origin is tuple:
        return _tuple(get_args(kind), data, where)
    if origin is list:
        return list(_tuple((*get_args(kind), ...), data, where))
    if origin is not None:
        return _mapping(get_args(kind), data, where)
    return _single(kind, data, where)


def _single(kind: Any, data: Any, where: str) -> Any:
    if dataclasses.is_dataclass(kind):
        return _object(kind, data, where)
    if issubclass(kind, Enum):
        return kind(data)
    if kind is datetime:
        return _time(data, where)
    if kind is float and type(data) is int:
        return float(data)
    if not isinstance(data, kind) or (kind is int and isinstance(data, bool)):
        raise ValueError(f"{where} is not a {kind.__name__}")
    return data


def _either(kind: Any, data: Any, where: str) -> Any:
    kinds = get_args(kind)
    if data is None and types.NoneType in kinds:
        return None
    if Text in kinds:
        return part_from_dict(_checked(Mapping, data, where))
    (only,) = (each for each in kinds if each is not types.NoneType)
    return _read(only, data, where)


def _tuple(kinds: tuple[Any, ...], data: Any, where: str) -> tuple[Any, ...]:
    _checked(list, data, where)
    if len(kinds) == 2 and kinds[1] is Ellipsis:
        return tuple(_read(kinds[0], item, f"{where}[{n}]") for n, item in enumerate(data))
    if len(kinds) != len(data):
        raise ValueError(f"{where} has {len(data)} items, not {len(kinds)}")
    pairs = zip(kinds, data, strict=True)
    return tuple(_read(kind, item, f"{where}[{n}]") for n, (kind, item) in enumerate(pairs))


def _mapping(kinds: tuple[Any, ...], data: Any, where: str) -> dict[str, Any]:
    _checked(Mapping, data, where)
    return {str(key): _read(kinds[1], item, f"{where}.{key}") for key, item in data.items()}


def _object(kind: Any, data: Any, where: str) -> Any:
    _checked(Mapping, data, where)
    hints = hints_of(kind)
    given = {
        name: _read(hint, data[name], f"{where}.{name}")
        for name, hint in hints.items()
        if name in data
    }
    try:
        return kind(**given)
    except TypeError as error:
        raise ValueError(f"{where}: {error}") from error


def _time(data: Any, where: str) -> datetime:
    at = datetime.fromisoformat(_checked(str, data, where))
    if at.tzinfo is None:
        raise ValueError(f"{where} has no time zone")
    return at


def _checked(kind: type[Any], data: Any, where: str) -> Any:
    if not isinstance(data, kind):
        raise ValueError(f"{where} is not a {kind.__name__}")  # noqa: TRY004 - a value of bad data
    return data


@cache
def hints_of(kind: Any) -> Mapping[str, Any]:
    """Return the types of a dataclass's fields, by name, in their order.

    Transient fields are not part of the value and are never sent.
    """
    hints = get_type_hints(kind)
    return {
        field.name: hints[field.name] for field in dataclasses.fields(kind) if not field.metadata
    }
