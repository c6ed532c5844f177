"""The protocol of the chat's screen: a terminal, a pipe or a program."""

import sys
from collections.abc import Iterable
from typing import Protocol

from unabridged.cli.chat.plain import PlainScreen, SilentScreen
from unabridged.cli.chat.type_ahead import TypeAhead
from unabridged.errors import MissingExtraError, UnabridgedError
from unabridged.turn.conversation import Conversation


class Screen(Protocol):
    """Reads what a person types and shows a conversation."""

    @property
    def interactive(self) -> bool:
        """Whether a person reads and types."""
        ...

    def open(self, conversation: Conversation, commands: Iterable[str]) -> None:
        """Prepare to read in a conversation; complete the names of commands."""
        ...

    def read(self, draft: str = "") -> str | None:
        """Read a message or command; None at the end.

        Args:
            draft: A text to edit.

        Raises:
            KeyboardInterrupt: Ctrl-C was pressed while nothing was typed.
        """
        ...

    def begin_answer(self) -> None:
        """Show that the model works, until its first words."""
        ...

    def delta(self, text: str, reasoning: str) -> None:
        """Show more of an answer."""
        ...

    def working(self, text: str) -> None:
        """Show what the model does: a tool call, a result."""
        ...

    def end_answer(self) -> None:
        """Show the rest of an answer."""
        ...

    def say(self, lines: Iterable[str]) -> None:
        """Show the output of a command."""
        ...

    def note(self, text: str, style: str = "dim") -> None:
        """Show a remark, in a style of ``paint.STYLES``."""
        ...

    def error(self, error: UnabridgedError) -> None:
        """Show an error with its hint."""
        ...


def choose_screen(*, plain: bool, as_json: bool, typed: TypeAhead | None = None) -> Screen:
    """Return the screen to talk on; ``typed`` keeps what is typed during an answer.

    Raises:
        MissingExtraError: Standard output is a terminal, and the extra ``chat`` is not installed.
    """
    if as_json:
        return SilentScreen()
    if plain or not sys.stdout.isatty():
        return PlainScreen()
    try:
        from unabridged.cli.chat.terminal import TerminalScreen  # noqa: PLC0415 - the extra `chat`
    except ModuleNotFoundError as error:
        raise MissingExtraError((error.name or "rich").partition(".")[0], "chat") from error
    return TerminalScreen(typed=typed)
