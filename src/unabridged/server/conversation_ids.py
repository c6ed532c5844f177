"""The ids that programs send for their conversations: where they are is data."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any

from starlette.datastructures import Headers

MOST_CHARACTERS = 200
"""Characters of an id; a longer text names no conversation."""


@dataclass(frozen=True, slots=True)
class IdSource:
    """One row of ``conversation_ids.toml``.

    Attributes:
        program: Who sends it.
        header: The header that holds it, or empty.
        field: The names that lead to it in the body; empty for a header.
        pattern: What the value must match as a whole, or None.
    """

    program: str
    header: str
    field: tuple[str, ...]
    pattern: re.Pattern[str] | None

    def read(self, headers: Headers, body: Mapping[str, Any]) -> str | None:
        """Return the id of a request, or None."""
        value: Any = headers.get(self.header) if self.header else body
        for name in self.field:
            value = value.get(name) if isinstance(value, Mapping) else None
        if not isinstance(value, str):
            return None
        found = value.strip()
        if self.pattern is not None:
            match = self.pattern.fullmatch(found)
            found = (match.groupdict().get("id") or match[0]) if match else ""
        return found if found.isprintable() and 0 < len(found) <= MOST_CHARACTERS else None


def _read() -> tuple[IdSource, ...]:
    text = resources.files(__package__).joinpath("conversation_ids.toml").read_text("utf-8")
    return tuple(
        IdSource(
            row["program"],
            row.get("header", ""),
            tuple(filter(None, row.get("field", "").split("."))),
            re.compile(row["pattern"]) if "pattern" in row else None,
        )
        for row in tomllib.loads(text)["ids"]
    )


SOURCES = _read()
"""Where ids are looked for; the first one found counts."""


def program_id(headers: Headers, body: Mapping[str, Any]) -> str | None:
    """Return the id that a program sends for its conversation, or None."""
    found = (source.read(headers, body) for source in SOURCES)
    return next((each for each in found if each is not None), None)
