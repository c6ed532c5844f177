"""Reading fields of foreign objects, which may hold anything."""

import json
from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from unabridged.transfer.times import parse_time

KEPT = 1 << 24
"""Bytes of one thing that could not be taken over which are kept aside; more stays in its file."""


REPAIRED = "half a character, replaced by U+FFFD"


class Reasons(Counter[str]):
    """Why things were passed over, counted; with what is lost by it, so that it can be kept aside."""

    def __init__(self) -> None:
        super().__init__()
        self._lost: dict[str, list[bytes]] = {}
        self._held = 0

    def lost(self, reason: str, value: Any) -> None:
        """Count something that is not taken over, and keep it."""
        self[reason] += 1
        data = as_bytes(value)
        self._held += len(data)
        if self._held <= KEPT:
            self._lost.setdefault(reason, []).append(data)

    def kept(self, reason: str) -> bytes:
        """Return what was lost for a reason, a JSON value a line."""
        return b"\n".join(self._lost.get(reason, ()))

    def json(self, value: Any) -> str:
        """Write a value as JSON text; one that cannot be written is counted and left out."""
        try:
            return json.dumps(value, ensure_ascii=False)
        except (ValueError, RecursionError):
            self["a value that is nested too deeply"] += 1
            return "{}"

    def arguments(self, value: Any) -> str:
        """Return the arguments of a tool call, which are JSON text or the value itself."""
        return value if isinstance(value, str) else self.json(value or {})

    def time(self, value: Any) -> datetime | None:
        """Return a time; one that cannot be read is counted and taken as missing."""
        try:
            return parse_time(value)
        except ValueError:
            self["a time that cannot be read; the message before it gave one"] += 1
            return None


def as_bytes(value: Any) -> bytes:
    """Write a value as JSON; empty where it is too large to be kept or nested too deeply."""
    try:
        data = json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")
    except (ValueError, TypeError, RecursionError):
        return b""
    return data if len(data) <= KEPT else b""


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
