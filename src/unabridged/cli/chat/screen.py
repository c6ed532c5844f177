"""What the conversation needs of whatever shows it: a terminal, a pipe, a program."""

import sys
from collections.abc import Iterable
from typing import Protocol

from unabridged.cli.chat.plain import PlainScreen, SilentScreen
from unabridged.errors import MissingExtraError, UnabridgedError
from unabridged.turn.conversation import Conversation


class Screen(Protocol):
    """Where a conversation is read from and shown."""

    @property
    def interactive(self) -> bool:
        """Whether a person sits in front of it."""
        ...

    def open(self, conversation: Conversation, commands: Iterable[str]) -> None:
        """Take what helps in typing: earlier messages, names of commands."""
        ...

    def read(self, draft: str = "") -> str | None:
        """Read a message or command; None at the end.

        Args:
            draft: A text to begin with, to be edited.

        Raises:
            KeyboardInterrupt: Ctrl-C was pressed while nothing was typed.
        """
        ...

    def begin_answer(self) -> None:
        """Show a sign of life until the first words come."""
        ...

    def delta(self, text: str, reasoning: str) -> None:
        """Show more of an answer."""
        ...

    def working(self, text: str) -> None:
        """Say what the model does: a tool called, a result."""
        ...

    def end_answer(self) -> None:
        """Show what is left of an answer."""
        ...

    def say(self, lines: Iterable[str]) -> None:
        """Show what a command answers."""
        ...

    def note(self, text: str, style: str = "dim") -> None:
        """Show something beside the matter, in a style of ``paint.STYLES``."""
        ...

    def error(self, error: UnabridgedError) -> None:
        """Show what went wrong and what to do."""
        ...


def choose_screen(*, plain: bool, as_json: bool) -> Screen:
    """Give the screen to talk on.

    Raises:
        MissingExtraError: A terminal is there, and the extra ``chat`` is not installed.
    """
    if as_json:
        return SilentScreen()
    if plain or not sys.stdout.isatty():
        return PlainScreen()
    try:
        from unabridged.cli.chat.terminal import TerminalScreen  # noqa: PLC0415 - the extra `chat`
    except ModuleNotFoundError as error:
        raise MissingExtraError((error.name or "rich").partition(".")[0], "chat") from error
    return TerminalScreen()
