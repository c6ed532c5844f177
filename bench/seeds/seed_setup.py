"""The setup of the measures of the seeds: profiles, memories, conversations."""

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.core.store_sizes import model as upstream
from bench.figures.timer import Spread, each
from bench.generator import TalkGenerator, TalkSize
from unabridged import config
from unabridged.domain.settings import Settings
from unabridged.memory import Memory
from unabridged.ports import Clock

TYPICAL = TalkSize(30, 120)
"""Exchanges of about 300 tokens by the estimate."""
USER = "ada"

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class SeedRun:
    """The input of the measures of every seed.

    Attributes:
        home: A folder that is removed afterwards; each measure has separate folders in it.
        say: Told in a few words what continues.
        data: A folder with public data, or None.
        intent: A folder with labelled messages, or None.
        scale: 1 for the figures; less to try it: sizes and repeats shrink by it.
    """

    home: Path
    say: Say
    data: Path | None = None
    intent: Path | None = None
    scale: float = 1.0

    def scaled(self, count: int, least: int = 4) -> int:
        """Return a count, reduced by the scale."""
        return max(least, round(count * self.scale))

    def folder(self, name: str) -> Path:
        """A folder for one measure."""
        path = self.home / name
        path.mkdir(mode=0o700, exist_ok=True)
        return path

    def part(self, name: str) -> Path | None:
        """A part of the public data; None if it is missing."""
        path = None if self.data is None else self.data / name
        return path if path is not None and path.exists() else None


def settings(name: str, home: Path, **changes: Any) -> Settings:
    """Return the settings of a profile for a home; no environment is read."""
    given = {"profile": name, "user": USER, "upstream": "quote"} | changes
    return config.load(home=home, environ={}, **given)


def opened(
    name: str,
    home: Path,
    *,
    window: int = 32_768,
    clock: Clock | None = None,
    model: str = "qwen2.5:7b",
    **changes: Any,
) -> Memory:
    """Open a memory in a profile, before an upstream of this many tokens that is never asked."""
    chosen = settings(name, home, model=model, **changes)
    asked = upstream(model, chosen.window or window)
    return Memory.open(settings=chosen, upstream=asked, clock=clock)


def asks(drawn: TalkGenerator, count: int) -> list[str]:
    """Draw messages of every intent on what was talked about."""
    return [drawn.question(drawn.topics[n % len(drawn.topics)]) for n in range(count)]


def recalling(drawn: TalkGenerator) -> str:
    """A message that asks for the past, so that everything is searched."""
    one, two, *_ = drawn.topics[0]
    return f"Do you remember what you told me about {one} and {two}?"


def dumped(path: Path, data: object) -> None:
    """The plain way to save: the whole file as JSON, made durable, put in place."""
    draft = path.with_suffix(".tmp")
    with draft.open("w", encoding="utf-8") as file:
        json.dump(data, file, indent=2, ensure_ascii=False)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)


def loaded(path: Path) -> Any:
    """The plain way to load."""
    with path.open(encoding="utf-8") as file:
        return json.load(file)


def plainly_saved(path: Path, times: int) -> Spread:
    """Return the time to save the same content plainly, without our own fields."""
    content = loaded(path)
    content.pop("unabridged", None)
    copy = path.parent / "plain.draft"
    found = each(lambda _: dumped(copy, content), range(times))
    copy.unlink()
    return found
