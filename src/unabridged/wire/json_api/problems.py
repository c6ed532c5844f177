"""Errors to and from problem details (RFC 9457).

``type`` is the class of the error, ``detail`` its message, ``hint`` the next step, and ``about``
its figures.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from unabridged.errors import UnabridgedError
from unabridged.wire.json_api.to_plain import to_plain

PREFIX = "urn:unabridged:"
"""The prefix of our problem types."""
_WORD = re.compile(r"(?<!^)(?=[A-Z])")
_SIMPLE = (str, int, float, bool, type(None))


def type_of(kind: type[UnabridgedError]) -> str:
    """Return the problem type of a class of errors: ``urn:unabridged:not-found``."""
    return PREFIX + _WORD.sub("-", kind.__name__.removesuffix("Error")).lower()


def problem_of(error: UnabridgedError, status: int) -> dict[str, Any]:
    """Return an error as a problem."""
    kind = type(error)
    words = _WORD.sub(" ", kind.__name__.removesuffix("Error")).capitalize()
    about = {
        name: value
        for name, value in vars(error).items()
        if name != "hint" and isinstance(value, _SIMPLE)
    }
    problem = {
        "type": type_of(kind),
        "title": words,
        "status": status,
        "detail": str(error),
        "hint": error.hint,
    }
    return {**problem, "about": to_plain(about)} if about else problem


def error_from(problem: Mapping[str, Any]) -> UnabridgedError | None:
    """Return the error of a problem; None for a foreign type."""
    kind = next((k for k in _kinds(UnabridgedError) if type_of(k) == problem.get("type")), None)
    if kind is None:
        return None
    error = kind.__new__(kind)
    Exception.__init__(error, str(problem.get("detail") or problem.get("title") or ""))
    error.hint = str(problem.get("hint") or "")
    about = problem.get("about")
    for name, value in about.items() if isinstance(about, Mapping) else ():
        if isinstance(value, _SIMPLE):
            setattr(error, str(name), value)
    return error


def _kinds(root: type[UnabridgedError]) -> Iterator[type[UnabridgedError]]:
    yield root
    for kind in root.__subclasses__():
        yield from _kinds(kind)
