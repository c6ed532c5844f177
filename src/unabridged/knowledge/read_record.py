"""Read the records of facts and requirements, also those that hold a field of a wrong type.

No such record is written; one of an earlier fault must not stop every prompt.
"""

from collections.abc import Mapping
from typing import Any, TypeVar, get_type_hints

import msgspec

from unabridged.errors import InputError

Kind = TypeVar("Kind")


def read_leniently(given: Mapping[str, Any], kind: type[Kind]) -> Kind:
    """Return an object of its fields; one that cannot be read has its default, or is text."""
    try:
        return msgspec.convert(given, kind)
    except msgspec.ValidationError:
        return kind(**dict(_readable(given, kind)))


def _readable(given: Mapping[str, Any], kind: type[Any]) -> list[tuple[str, Any]]:
    found = []
    for name, hint in get_type_hints(kind).items():
        if name not in given:
            continue
        try:
            found.append((name, msgspec.convert(given[name], hint)))
        except msgspec.ValidationError:
            if name == "text":
                found.append((name, str(given[name])))
    return found


def is_readable(given: Mapping[str, Any], kind: type[Any]) -> bool:
    """Return whether every field has its type."""
    try:
        msgspec.convert(given, kind)
    except msgspec.ValidationError:
        return False
    return True


def as_body(value: object) -> dict[str, Any]:
    """Return the fields of a statement or a card as they are stored.

    Raises:
        InputError: One of them has a wrong type: it could not be read again.
    """
    try:
        body: dict[str, Any] = msgspec.to_builtins(value)
        msgspec.convert(body, type(value))
    except (msgspec.MsgspecError, TypeError) as error:
        raise InputError(
            f"This {type(value).__name__.lower()} cannot be stored: {error}.",
            hint="Give text as str, pinned as True or False, and lists of texts.",
        ) from error
    return body
