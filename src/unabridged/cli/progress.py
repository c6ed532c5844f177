"""A bar for work of several stages: each has a line of its own, and keeps it when it is done."""

import sys
from types import TracebackType
from typing import Any, Self

import click


class Stages:
    """Shows how far work has come, on a terminal; nowhere else.

    Args:
        quiet: Whether nothing is shown.
    """

    def __init__(self, *, quiet: bool) -> None:
        self._hidden = quiet or not sys.stderr.isatty()
        self._stage = ""
        self._bar: Any = None

    def show(self, stage: str, done: int, of: int) -> None:
        """Show how far a stage has come.

        Args:
            stage: What is done, in a word; another one begins a new line.
            done: How much of it is done.
            of: How much there is, as far as is known now.
        """
        if self._hidden:
            return
        if stage != self._stage:
            self._finish(whole=True)
            self._stage = stage
            self._bar = click.progressbar(length=max(1, of), label=stage, file=sys.stderr, width=30)
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
