"""Reading JSON that others wrote: what has the wrong type counts as missing."""

from collections.abc import Mapping
from typing import Any


def text(value: Any) -> str:
    """Give a text, or the empty one."""
    return value if isinstance(value, str) else ""


def number(value: Any) -> int | None:
    """Give a whole number that is not negative, or None."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        return None
    return value


def mapping(value: Any) -> Mapping[str, Any]:
    """Give a JSON object, or an empty one."""
    return value if isinstance(value, Mapping) else {}


def mappings(value: Any) -> list[Mapping[str, Any]]:
    """Give the JSON objects of a list, or none."""
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []
