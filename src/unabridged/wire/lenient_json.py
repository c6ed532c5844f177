"""Read foreign JSON: values of the wrong type count as missing."""

from collections.abc import Mapping
from typing import Any


def text(value: Any) -> str:
    """Return a text, or the empty one."""
    return value if isinstance(value, str) else ""


def number(value: Any) -> int | None:
    """Return a whole number that is not negative, or None."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        return None
    return value


def mapping(value: Any) -> Mapping[str, Any]:
    """Return a JSON object, or an empty one."""
    return value if isinstance(value, Mapping) else {}


def mappings(value: Any) -> list[Mapping[str, Any]]:
    """Return the JSON objects of a list; empty for anything else."""
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []
