"""Screens without a terminal: plain text for pipes, JSON for programs."""

import sys
from collections.abc import Iterable

import click

from unabridged.cli.output import dumps, echo, echo_error
from unabridged.cli.terminal_text import safe
from unabridged.errors import UnabridgedError
from unabridged.turn.conversation import Conversation


class PlainScreen:
    """Reads lines; writes answers to standard output and everything about them to the other."""

    interactive = False

    def __init__(self) -> None:
        self._open = False

    def open(self, conversation: Conversation, commands: Iterable[str]) -> None:
        """Nothing helps in typing here."""

    def read(self, draft: str = "") -> str | None:
        """Read a line; a draft cannot be edited here, so it is shown."""
        prompting = sys.stdin.isatty()
        if prompting:
            if draft:
                self.note(draft)
            click.echo("> ", nl=False, err=True)
        return _line()

    def begin_answer(self) -> None:
        """A pipe needs no sign of life."""

    def delta(self, text: str, reasoning: str) -> None:  # noqa: ARG002 - thinking is not the answer
        """Write the words as they come."""
        if text:
            shown = safe(text) if sys.stdout.isatty() else text
            click.echo(shown, nl=False)
            self._open = not text.endswith("\n")

    def working(self, text: str) -> None:
        """Say it on the other stream."""
        self.note(text)

    def end_answer(self) -> None:
        """End the last line."""
        if self._open:
            click.echo()
        self._open = False

    def say(self, lines: Iterable[str]) -> None:
        """Write lines."""
        for line in lines:
            echo(line)

    def note(self, text: str, style: str = "dim") -> None:
        """Write to the other stream."""
        echo(safe(text), style, err=True)

    def error(self, error: UnabridgedError) -> None:
        """Write to the other stream."""
        echo_error(error, as_json=False)


class SilentScreen:
    """Shows no answer while it comes: it is written as JSON when it is whole."""

    interactive = False

    def open(self, conversation: Conversation, commands: Iterable[str]) -> None:
        """Nothing helps in typing here."""

    def read(self, draft: str = "") -> str | None:  # noqa: ARG002 - nobody edits here
        """Read a line."""
        return _line()

    def begin_answer(self) -> None:
        """A program needs no sign of life."""

    def delta(self, text: str, reasoning: str) -> None:
        """Nothing: the whole comes later."""

    def working(self, text: str) -> None:
        """Nothing: calls and results are in the exchange."""

    def end_answer(self) -> None:
        """Nothing: the whole comes later."""

    def say(self, lines: Iterable[str]) -> None:
        """Write what a command says as one line of JSON."""
        click.echo(dumps({"lines": [click.unstyle(line) for line in lines]}, indent=None))

    def note(self, text: str, style: str = "dim") -> None:
        """Nothing: notes are in the JSON."""

    def error(self, error: UnabridgedError) -> None:
        """Write the error as one line of JSON."""
        echo_error(error, as_json=True)


def _line() -> str | None:
    line = sys.stdin.readline()
    return line.rstrip("\r\n") if line else None
