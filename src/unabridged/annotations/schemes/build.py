"""Build schemes of categories from plain data."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from unabridged.domain.annotation import Category, Scheme
from unabridged.errors import SettingError
from unabridged.language.words import fold

FALLBACK_KEEP = 0.4
"""The default share that stays verbatim: that of ``standard`` in the seed."""

_NAME = re.compile("[a-z][a-z0-9_]*")
_SCHEME_FIELDS = ("name", "about", "fallback", "categories")
_FIELDS = ("about", "keep", "importance", "critical", "by_user", "examples", "cues")


def category(
    name: str,
    about: str,
    shares: tuple[float, float],
    *,
    examples: str,
    cues: str,
    critical: bool = False,
    by_user: bool = False,
) -> Category:
    """Make a category from tables.

    ``shares`` are the share that stays verbatim and the importance. Examples and cues (regular
    expressions for folded text) are given one a line.
    """
    keep, importance = shares
    return Category(name, about, keep, importance, critical, lines(examples), lines(cues), by_user)


def lines(table: str) -> tuple[str, ...]:
    """Return the lines of a table that are not empty."""
    return tuple(line.strip() for line in table.splitlines() if line.strip())


def scheme_from(data: Mapping[str, Any]) -> Scheme:
    """Make a scheme from plain data, as in a profile.

    Args:
        data: ``name``; ``about``; ``fallback``, the category for messages that fit no other
            (default: the last); ``categories``: a name to ``about``, ``keep`` and ``importance``
            (both 0 to 1), ``critical`` and ``by_user`` (true or false), ``examples`` (short
            messages) and ``cues`` (words, or regular expressions between two slashes). Only the
            names are required.

    Raises:
        SettingError: Something is missing, unknown or out of range.
    """
    _known(data, _SCHEME_FIELDS, "A scheme")
    name = _named(data.get("name"), "A scheme")
    given = data.get("categories")
    if not isinstance(given, Mapping) or not given:
        raise SettingError(
            f"The scheme {name!r} has no categories.",
            hint="Add a table for each, with keep and importance from 0 to 1.",
        )
    made = tuple(_category(str(each), fields) for each, fields in given.items())
    fallback = data.get("fallback", made[-1].name)
    if fallback not in given:
        raise SettingError(
            f"The scheme {name!r} falls back on {fallback!r}, which it does not have.",
            hint=f"Use one of: {', '.join(given)}.",
        )
    ordered = tuple(sorted(made, key=lambda one: -one.importance))
    return Scheme(name, str(data.get("about", "")), ordered, str(fallback))


def _category(given: str, fields: Any) -> Category:
    name = _named(given, "A category")
    if not isinstance(fields, Mapping):
        raise SettingError(
            f"The category {name!r} is not a table.", hint="Write keep and importance, 0 to 1."
        )
    _known(fields, _FIELDS, f"The category {name!r}")
    keep = _share(fields, "keep", FALLBACK_KEEP, name)
    return Category(
        name,
        str(fields.get("about", "")),
        keep,
        _share(fields, "importance", keep, name),
        _flag(fields, "critical", name),
        tuple(_texts(fields, "examples", name)),
        tuple(_cue(cue, name) for cue in _texts(fields, "cues", name)),
        _flag(fields, "by_user", name),
    )


def _known(fields: Mapping[str, Any], names: Iterable[str], owner: str) -> None:
    for field in fields:
        if field not in names:
            raise SettingError(
                f"{owner} has no field {field!r}.", hint=f"Known fields: {', '.join(names)}."
            )


def _named(name: Any, owner: str) -> str:
    if isinstance(name, str) and _NAME.fullmatch(name):
        return name
    raise SettingError(
        f"{owner} cannot be called {name!r}.",
        hint="Use lower-case letters, digits and underscores, beginning with a letter.",
    )


def _share(fields: Mapping[str, Any], field: str, default: float, name: str) -> float:
    value = fields.get(field, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise SettingError(f"{field} of {name!r} is {value!r}.", hint="Use a number from 0 to 1.")
    return float(value)


def _flag(fields: Mapping[str, Any], field: str, name: str) -> bool:
    value = fields.get(field, False)
    if not isinstance(value, bool):
        raise SettingError(f"{field} of {name!r} is {value!r}.", hint="Write true or false.")
    return value


def _texts(fields: Mapping[str, Any], field: str, name: str) -> list[str]:
    value = fields.get(field, ())
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise SettingError(f"{field} of {name!r} is not a list.", hint='Write it as ["…", "…"].')
    return [str(text) for text in value if str(text).strip()]


def _cue(cue: str, name: str) -> str:
    # A regular expression for folded text: as given between slashes, else of whole words.
    if len(cue) > 2 and cue.startswith("/") and cue.endswith("/"):
        pattern = cue[1:-1]
    else:
        pattern = rf"(?<!\w){re.escape(fold(cue))}(?!\w)"
    try:
        re.compile(pattern)
    except re.error as error:
        raise SettingError(
            f"The cue {cue!r} of {name!r} is not a regular expression: {error}.",
            hint="Correct it, or remove the slashes to match the words.",
        ) from error
    return pattern
