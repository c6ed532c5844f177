"""The table of the chat's commands; runs and explains them."""

import difflib
from collections.abc import Iterator, Mapping

from unabridged.cli.chat import (
    look_commands as look,
    memory_commands as memory,
    model_commands as model,
    session_commands as session,
)
from unabridged.cli.chat.chat_session import Chat
from unabridged.cli.chat.command import ChatCommand as Row
from unabridged.cli.paint import INDENT, Column, paint, table, width
from unabridged.cli.terminal_text import wrap
from unabridged.errors import InputError

TALK, MEMORY, LOOK, ANSWER, OTHER = "Conversation", "Memory", "Look up", "Answers", "Other"
GROUPS: Mapping[str, str] = {
    TALK: "start, continue, step back",
    MEMORY: "what is remembered, and forgotten",
    LOOK: "what was said, sent and stored",
    ANSWER: "what answers, and how",
    OTHER: "help and leaving",
}
"""The groups of the help, with what they are about."""
HOW = (
    "/help COMMAND or /help GROUP explains them, such as /help forget",
    "Before a message: t: or chat: chooses its mode, // starts it with a slash",
)
"""The last lines of the help."""


def run(chat: Chat, line: str) -> None:
    """Run a command line.

    Raises:
        InputError: There is no such command, or its argument is not valid.
        UnabridgedError: The command failed.
    """
    if line.strip() == "/":
        line = "/help"
    command, given = _parsed(line)
    if command is None:
        first = line.split(maxsplit=1)[0].lower()
        below = [name for name in _BY_NAME if name.startswith(f"{first} ")]
        if below:
            words = [name.removeprefix(f"{first} ") for name in below]
            raise InputError(f"{first} needs a word: {' or '.join(words)}.", hint=", ".join(below))
        raise InputError(
            f"There is no command {first}.",
            hint=f"{_nearest(line)}/help lists the commands; // starts a message with a slash.",
        )
    _check(command, given)
    command.run(chat, given)


def _check(command: Row, given: str) -> None:
    if given and not command.argument:
        first = command.name.partition(" ")[0]
        near = [name for name in _BY_NAME if f"{name} ".startswith(f"{first} ")]
        hint = ", ".join(near) if near[1:] else f"/help {first[1:]}"
        raise InputError(f"{command.name} does not take {given!r}.", hint=hint)
    needed = command.argument.partition("[")[0].split()
    if len(given.split()) < len(needed):
        missing = needed[len(given.split())]
        raise InputError(f"{command.name} needs {missing}.", hint=command.example)


def _parsed(line: str) -> tuple[Row | None, str]:
    words = line.split(maxsplit=2)
    for length in (2, 1):
        command = _BY_NAME.get(" ".join(words[:length]).lower())
        if command:
            return command, "".join(line.split(maxsplit=length)[length:]).strip()
    return None, ""


def _nearest(line: str) -> str:
    typed, first = line.strip().lower(), line.split(maxsplit=1)[0].lower()
    near = [name for name in _BY_NAME if name.startswith(first)]
    near = near or difflib.get_close_matches(typed, _BY_NAME, 1, 0.65)
    near = near or difflib.get_close_matches(first, _BY_NAME, 1, 0.65)
    return f"Did you mean {near[0]}? " if near else ""


def names() -> list[str]:
    """Return the names of all commands."""
    return list(_BY_NAME)


def show_help(chat: Chat, wanted: str) -> None:
    """List the commands, or explain one."""
    asked = wanted.lower().lstrip("/")
    group = next((name for name in GROUPS if name.lower() == asked), "")
    if not asked:
        chat.screen.say(_overview())
    elif group:
        chat.screen.say(_rows([each for each in COMMANDS if each.group == group]))
    else:
        chat.screen.say(_details(asked))


def _overview() -> Iterator[str]:
    for group, about in GROUPS.items():
        said = dict.fromkeys(each.name.split()[0] for each in COMMANDS if each.group == group)
        yield paint(group, "bold") + "  " + paint(about, "dim")
        yield from ("  " + line for line in wrap("  ".join(said), width() - INDENT))
    yield ""
    for text in HOW:
        yield from (paint(line, "dim") for line in wrap(text, width() - INDENT))


def _details(asked: str) -> Iterator[str]:
    found = [each for each in COMMANDS if f"{each.name[1:]} ".startswith(f"{asked} ")]
    if not found:
        raise InputError(
            f"There is no command or group {asked!r}.",
            hint=f"{_nearest('/' + asked)}/help lists them.",
        )
    for each in found:
        yield paint(f"{each.name} {each.argument}".rstrip(), "accent")
        yield from ("  " + line for line in wrap(each.help, width() - INDENT))
        if each.example:
            yield paint(f"  {each.example}", "dim")


def _rows(commands: list[Row]) -> list[str]:
    columns = [Column("", style="accent"), Column("", flexible=True)]
    rows = [(f"{each.name} {each.argument}".strip(), each.help) for each in commands]
    return table(columns, rows, width())


def leave(chat: Chat, _: str) -> None:
    """Leave; everything is kept."""
    chat.done = True


COMMANDS = (
    Row("/new", TALK, "[TITLE]", session.new),
    Row("/sessions", TALK, "", session.sessions),
    Row("/switch", TALK, "[WHICH]", session.switch),
    Row("/history", TALK, "[NUMBER]", session.history),
    Row("/title", TALK, "TEXT", session.title, "/title Trip to Lisbon"),
    Row("/retry", TALK, "", session.retry),
    Row("/edit", TALK, "[TEXT]", session.edit),
    Row("/undo", TALK, "", session.undo),
    Row("/branch", TALK, "[NUMBER]", session.branch),
    Row("/share", TALK, "SPACE", session.share, "/share ann/coder"),
    Row("/handoff", TALK, "SPACE", session.hand_off, "/handoff ann/coder"),
    Row("/remember", MEMORY, "TEXT", memory.remember, "/remember I am allergic to nuts."),
    Row("/pin", MEMORY, "[ID]", memory.pin),
    Row("/pins", MEMORY, "", memory.pins),
    Row("/unpin", MEMORY, "[NUMBER]", memory.unpin),
    Row("/facts", MEMORY, "", memory.facts),
    Row("/facts add", MEMORY, "TEXT", memory.add_fact, "/facts add I am allergic to nuts."),
    Row("/facts why", MEMORY, "NUMBER [verbose]", memory.show_fact, "/facts why 3"),
    Row("/facts pin", MEMORY, "NUMBER", memory.pin_fact, "/facts pin 3"),
    Row("/facts unpin", MEMORY, "NUMBER", memory.unpin_fact, "/facts unpin 3"),
    Row("/facts forget", MEMORY, "NUMBER", memory.withdraw_fact, "/facts forget 3"),
    Row("/requirements", MEMORY, "", memory.requirements),
    Row("/requirements show", MEMORY, "NUMBER", memory.show_requirement, "/requirements show 3"),
    Row(
        "/requirements add",
        MEMORY,
        "TEXT",
        memory.add_requirement,
        "/requirements add The page must load within 2 seconds.",
    ),
    Row(
        "/requirements edit",
        MEMORY,
        "NUMBER TEXT",
        memory.edit_requirement,
        "/requirements edit 3 The page must load at once.",
    ),
    Row(
        "/requirements forget",
        MEMORY,
        "NUMBER",
        memory.withdraw_requirement,
        "/requirements forget 3",
    ),
    Row("/requirements conflicts", MEMORY, "", memory.conflicts),
    Row("/forget", MEMORY, "[NUMBER|topic WORDS]", memory.forget, "/forget topic the old flat"),
    Row("/why", LOOK, "[ID] [verbose]", look.why),
    Row("/search", LOOK, "WORDS", look.search, "/search lisbon hotel"),
    Row("/memory stats", LOOK, "", look.stats),
    Row("/memory tokens", LOOK, "", look.tokens),
    Row("/semantic show", LOOK, "", look.categories),
    Row("/semantic stats", LOOK, "", look.distribution),
    Row(
        "/semantic set",
        LOOK,
        "ID CATEGORY",
        look.set_category,
        "/semantic set 01KAJ3 decision; /semantic show lists both",
    ),
    Row("/condense", LOOK, "", look.condense),
    Row("/condense test", LOOK, "", look.preview_condensing),
    Row("/condense force", LOOK, "", look.force_condensing),
    Row("/expand", LOOK, "[ID]", look.expand),
    Row("/model", ANSWER, "[NAME]", model.model),
    Row("/persona", ANSWER, "[NAME]", model.persona),
    Row("/mode", ANSWER, "[chat|tools]", model.mode),
    Row("/help", OTHER, "[COMMAND]", show_help),
    Row("/save", OTHER, "", look.save),
    Row("/quit", OTHER, "", leave),
)
"""Every command, in the order of the help."""
_BY_NAME = {command.name: command for command in COMMANDS}
