"""The commands of the chat, as one table; each lives in the file of its subject."""

import difflib

from unabridged.cli.chat import (
    condense_commands,
    fact_commands,
    forget_commands,
    memory_commands,
    model_commands,
    requirement_commands,
    semantic_commands,
    session_commands,
)
from unabridged.cli.chat.chat_session import Chat
from unabridged.cli.chat.command import ChatCommand
from unabridged.cli.paint import Column, table, width
from unabridged.errors import InputError


def run(chat: Chat, line: str) -> None:
    """Run a command line.

    Raises:
        InputError: There is no such command.
        UnabridgedError: The command failed.
    """
    words = line.split(maxsplit=2)
    for length in (2, 1):
        command = _BY_NAME.get(" ".join(words[:length]).lower())
        if command:
            command.run(chat, line.split(maxsplit=length)[length:][0] if words[length:] else "")
            return
    near = difflib.get_close_matches(line.strip().lower(), _BY_NAME, 1, 0.5)
    near = near or difflib.get_close_matches(words[0].lower(), _BY_NAME, 1, 0.5)
    raise InputError(
        f"There is no command {words[0]}.",
        hint=(f"Did you mean {near[0]}? " if near else "")
        + "/help lists them; // begins a message with a slash.",
    )


def names() -> list[str]:
    """Give the names of all commands."""
    return list(_BY_NAME)


def _help(chat: Chat, _: str) -> None:
    columns = [Column("", style="accent"), Column("", flexible=True)]
    rows = [(f"{each.name} {each.argument}".strip(), each.help) for each in COMMANDS]
    rows += [("t: …, chat: …", "Send one message in tools mode, or in chat mode.")]
    rows += [("// …", "Send a message that begins with a slash.")]
    chat.screen.say(table(columns, rows, width()))


def _quit(chat: Chat, _: str) -> None:
    chat.done = True


COMMANDS = (
    *session_commands.COMMANDS,
    *memory_commands.COMMANDS,
    *condense_commands.COMMANDS,
    *semantic_commands.COMMANDS,
    *fact_commands.COMMANDS,
    *requirement_commands.COMMANDS,
    *forget_commands.COMMANDS,
    *model_commands.COMMANDS,
    ChatCommand("/help", "", "List the commands.", _help),
    ChatCommand("/quit", "", "Leave; everything is kept.", _quit),
)
_BY_NAME = {command.name: command for command in COMMANDS}
