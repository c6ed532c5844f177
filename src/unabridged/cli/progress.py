"""Progress on a terminal: a bar for one stage, or a line for each of several."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from shutil import get_terminal_size
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import click

from unabridged.cli.output import overwrite
from unabridged.cli.terminal_text import one_line

if TYPE_CHECKING:
    from click._termui_impl import ProgressBar


_NARROWEST, _WIDEST = 5, 30
"""Cells of a bar."""
_FIGURES = 24
"""Cells next to the bar: brackets, percentage, remaining time."""


def bar(label: str, length: int, *, quiet: bool = False) -> "ProgressBar[int]":
    """Make a bar for work of one stage; it shows on a terminal only."""
    hidden = quiet or not sys.stderr.isatty()
    room = get_terminal_size().columns - len(label) - _FIGURES
    width = max(_NARROWEST, min(_WIDEST, room))
    return click.progressbar(
        length=length, label=one_line(label), file=sys.stderr, hidden=hidden, width=width
    )


STAGES = {
    "embed": "Embedding",
    "read": "Annotating messages",
    "facts": "Learning facts",
    "requirements": "Finding requirements",
    "condense": "Condensing sessions",
    "periods": "Condensing months",
    "archive": "Archiving sessions",
}
"""The names of the stages of maintenance for people."""


class Stages:
    """Shows progress on a terminal, one line per stage.

    Args:
        quiet: Whether to show nothing.
        first: The number of the first stage.
        of: How many stages there are; 0 to show no numbers.
        names: The stages in order, to number them; those not listed have the first number.
    """

    def __init__(
        self, *, quiet: bool, first: int = 1, of: int = 0, names: Sequence[str] = ()
    ) -> None:
        self._first = first
        self._of = of
        self._names = list(names)
        self._hidden = quiet or not sys.stderr.isatty()
        self._stage = ""
        self._bar: Any = None

    def show(self, stage: str, done: int, of: int) -> None:
        """Show the progress of a stage.

        Args:
            stage: A stage of maintenance, or a text; another one begins a new line.
            done: How much of it is done.
            of: How much there is, as known now.
        """
        if self._hidden:
            return
        if stage != self._stage:
            self._finish(whole=True)
            self._stage = stage
            self._bar = bar(self._label(stage), max(1, of))
            self._bar.__enter__()
        self._bar.length = max(1, of)
        self._bar.update(max(0, done - self._bar.pos))

    def _label(self, stage: str) -> str:
        words = STAGES.get(stage, stage)
        if not self._of:
            return words
        place = self._names.index(stage) if stage in self._names else 0
        return f"Step {self._first + place} of {self._of}: {words}"

    def _finish(self, *, whole: bool) -> None:
        if self._bar is None:
            return
        if whole:
            self._bar.update(max(0, self._bar.length - self._bar.pos))
        self._bar.__exit__(None, None, None)
        self._bar = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._finish(whole=kind is None)


@contextmanager
def counted(*, quiet: bool, unit: str = "") -> Iterator[Callable[[str, int, int], None]]:
    """Show progress in one line that is removed at the end; on a terminal only.

    Args:
        quiet: Whether to show nothing.
        unit: The text after the numbers.
    """
    hidden = quiet or not sys.stderr.isatty()
    width = 0

    def moved(what: str, done: int, total: int) -> None:
        nonlocal width
        if not hidden:
            text = f"{what}: {done:,} of {total:,}{unit}"
            overwrite(text.ljust(width), err=True)
            width = len(text)

    try:
        yield moved
    finally:
        if width:
            overwrite(" " * width, err=True)
            overwrite("", err=True)
