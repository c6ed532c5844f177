"""The script of the tour: what it explains, what it runs, what to look at."""

import difflib
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any

from unabridged.errors import NotFoundError

FOLDER = resources.files("unabridged.cli") / "data" / "tour"
"""The folder of the script, with the conversations that it imports."""
_SCRIPT = "tour.toml"


@dataclass(frozen=True, slots=True)
class TourStep:
    """One step of a chapter.

    Attributes:
        why: Why to do it, in one or two sentences.
        run: The command lines, as typed after the prompt.
        look: What to look at in the output.
        shows: Pieces of text that the output must contain if the explanation is true; a test
            looks for them.
        find: Names for later command lines, in braces: each with the command line (which may
            contain earlier names) whose JSON has the value, and the path to it: keys, places
            in lists, and ``key=value`` for the first item that has it (``category=decision.id``).
        brief: Whether to show the commands close together, as in a pipe.
        next: What to type next: command lines that are not run, with what they do.
    """

    why: str
    run: tuple[str, ...] = ()
    look: str = ""
    shows: tuple[str, ...] = ()
    find: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    brief: bool = False
    next: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Chapter:
    """One chapter; it needs no earlier one.

    Attributes:
        name: Its name on the command line, and the folder that is its home.
        title: What it shows, in a line.
        steps: Its steps.
    """

    name: str
    title: str
    steps: tuple[TourStep, ...]


@cache
def chapters() -> tuple[Chapter, ...]:
    """Return every chapter, in order."""
    table = tomllib.loads((FOLDER / _SCRIPT).read_text("utf-8"))
    return tuple(
        Chapter(each["name"], each["title"], tuple(_step(step) for step in each["steps"]))
        for each in table["chapters"]
    )


def chosen(names: Sequence[str]) -> tuple[Chapter, ...]:
    """Return the chapters of these names, in the order of the script; all without names.

    Raises:
        NotFoundError: There is no chapter of that name; the hint names the nearest.
    """
    known = [each.name for each in chapters()]
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            mean = f"Did you mean {near[0]!r}? " if near else ""
            raise NotFoundError(
                f"The tour has no chapter {name!r}.",
                hint=f"{mean}It has {', '.join(known)}.",
            )
    return tuple(each for each in chapters() if not names or each.name in names)


def _step(table: Mapping[str, Any]) -> TourStep:
    return TourStep(
        why=" ".join(table["why"].split()),
        run=tuple(table.get("run", ())),
        look=" ".join(table.get("look", "").split()),
        shows=tuple(table.get("shows", ())),
        find={name: (line, path) for name, (line, path) in table.get("find", {}).items()},
        brief=table.get("brief", False),
        next=tuple((line, what) for line, what in table.get("next", ())),
    )
