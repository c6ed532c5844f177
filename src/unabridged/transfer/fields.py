"""Reading fields of foreign objects, which may hold anything."""

from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from unabridged.transfer.times import parse_time


def as_object(value: Any) -> Mapping[str, Any]:
    """Give an object, or an empty one."""
    return value if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Any]:
    """Give a list, or an empty one."""
    return value if isinstance(value, list) else []


def as_text(value: Any) -> str:
    """Give a text, or an empty one."""
    return value if isinstance(value, str) else ""


def as_id(value: Any) -> str | None:
    """Give an id, which may be a number; None where there is none."""
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        return None
    return str(value) or None


def as_time(value: Any, reasons: Counter[str]) -> datetime | None:
    """Give a time; one that cannot be read is counted and taken as missing."""
    try:
        return parse_time(value)
    except ValueError:
        reasons["a time that cannot be read; the message before it gave one"] += 1
        return None
