"""Progress bars on a terminal, one line for each stage."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import click

if TYPE_CHECKING:
    from click._termui_impl import ProgressBar


def bar(label: str, length: int, *, quiet: bool = False) -> "ProgressBar[int]":
    """Make a bar for one stage; it is shown only on a terminal."""
    hidden = quiet or not sys.stderr.isatty()
    return click.progressbar(length=length, label=label, file=sys.stderr, hidden=hidden, width=30)


class Stages:
    """Shows the progress of several stages, only on a terminal."""

    def __init__(self, *, quiet: bool) -> None:
        self._hidden = quiet or not sys.stderr.isatty()
        self._stage = ""
        self._bar: Any = None

    def show(self, stage: str, done: int, of: int) -> None:
        """Show the progress of a stage.

        Args:
            stage: The stage in a word; another one begins a new line.
            done: How much is done.
            of: How much there is, as far as known.
        """
        if self._hidden:
            return
        if stage != self._stage:
            self._finish(whole=True)
            self._stage = stage
            self._bar = bar(stage, max(1, of))
            self._bar.__enter__()
        self._bar.length = max(1, of)
        self._bar.update(max(0, done - self._bar.pos))

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
    """Show progress in one line that disappears at the end, only on a terminal.

    Args:
        quiet: Whether to show nothing.
        unit: The unit after the numbers.
    """
    hidden = quiet or not sys.stderr.isatty()
    width = 0

    def moved(what: str, done: int, total: int) -> None:
        nonlocal width
        if not hidden:
            text = f"{what}: {done:,} of {total:,}{unit}"
            click.echo("\r" + text.ljust(width), err=True, nl=False)
            width = len(text)

    try:
        yield moved
    finally:
        if width:
            click.echo("\r" + " " * width + "\r", err=True, nl=False)
