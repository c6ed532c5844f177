"""Chooses the screen that fits what is there: a terminal, a pipe, a program."""

import sys

from unabridged.cli.chat.plain import PlainScreen, SilentScreen
from unabridged.cli.chat.screen import Screen
from unabridged.errors import MissingExtraError


def choose_screen(*, plain: bool, as_json: bool) -> Screen:
    """Give the screen to talk on.

    Args:
        plain: Plain text is wished, or nobody types.
        as_json: JSON is wished.

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
