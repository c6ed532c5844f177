"""Screens without a terminal: plain text for pipes, JSON for programs."""

import sys
from collections.abc import Iterable

import click

from unabridged.cli.output import echo, echo_error, echo_json, echo_raw
from unabridged.errors import UnabridgedError
from unabridged.turn.conversation import Conversation


class PlainScreen:
    """Reads lines; writes answers to standard output, and remarks to standard error."""

    interactive = False

    def __init__(self) -> None:
        self._open = False

    def open(self, conversation: Conversation, commands: Iterable[str]) -> None:
        """Do nothing: nothing is completed here."""

    def read(self, draft: str = "") -> str | None:
        """Read a line; a draft is only shown."""
        prompting = sys.stdin.isatty()
        if prompting:
            if draft:
                self.note(draft)
            echo("> ", err=True, end=False)
        return _line()

    def begin_answer(self) -> None:
        """Do nothing: a pipe has no spinner."""

    def delta(self, text: str, reasoning: str) -> None:  # noqa: ARG002 - thinking is not the answer
        """Write the words as they arrive."""
        if text:
            echo_raw(text)
            self._open = not text.endswith("\n")

    def working(self, text: str) -> None:
        """Write a step to standard error."""
        self.note(text)

    def end_answer(self) -> None:
        """End the last line."""
        if self._open:
            echo()
        self._open = False

    def say(self, lines: Iterable[str]) -> None:
        """Write lines."""
        for line in lines:
            echo(line)

    def note(self, text: str, style: str = "dim") -> None:
        """Write a remark to standard error."""
        echo(text, style, err=True)

    def error(self, error: UnabridgedError) -> None:
        """Write an error to standard error."""
        echo_error(error, as_json=False)


class SilentScreen:
    """Shows nothing of an answer: it is written as JSON when it is whole."""

    interactive = False

    def open(self, conversation: Conversation, commands: Iterable[str]) -> None:
        """Do nothing: nothing is completed here."""

    def read(self, draft: str = "") -> str | None:  # noqa: ARG002 - nobody edits here
        """Read a line."""
        return _line()

    def begin_answer(self) -> None:
        """Do nothing: JSON has no spinner."""

    def delta(self, text: str, reasoning: str) -> None:
        """Do nothing: the whole answer follows as JSON."""

    def working(self, text: str) -> None:
        """Do nothing: calls and results are in the exchange."""

    def end_answer(self) -> None:
        """Do nothing: the whole answer follows as JSON."""

    def say(self, lines: Iterable[str]) -> None:
        """Write the output of a command as one line of JSON."""
        echo_json({"lines": [click.unstyle(line) for line in lines]}, indent=None)

    def note(self, text: str, style: str = "dim") -> None:
        """Do nothing: notes are in the JSON."""

    def error(self, error: UnabridgedError) -> None:
        """Write the error as one line of JSON."""
        echo_error(error, as_json=True)


def _line() -> str | None:
    line = sys.stdin.readline()
    return line.rstrip("\r\n") if line else None
