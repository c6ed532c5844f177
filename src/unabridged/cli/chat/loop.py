"""The loop of the chat: reads messages and commands until there are no more."""

import click

from unabridged.cli.chat import commands
from unabridged.cli.chat.chat_session import Chat
from unabridged.cli.chat.command import where
from unabridged.cli.format import count, model_name
from unabridged.cli.other_profiles import elsewhere
from unabridged.cli.paint import paint
from unabridged.domain.budget import Mode
from unabridged.errors import UnabridgedError
from unabridged.home.open_spaces import space_from

PREFIXES = (("t:", Mode.TOOLS), ("chat:", Mode.CHAT))
"""The beginnings of a message that choose its mode, as in WorkspaceAI."""
WORDS = {"quit": "/quit leaves", "exit": "/quit leaves", "help": "/help lists the commands"}
"""Single words that were meant for the chat itself, and what to type instead."""
LEAVE = "/quit or Ctrl-D to quit; everything is kept."
LEAVE_UNSAVED = "/quit or Ctrl-D to quit; /save saves what is not saved yet."
KEYS = "/help lists the commands · Alt-Enter for a new line · Ctrl-D to quit"


def converse(chat: Chat) -> None:
    """Chat until the end.

    Raises:
        click.exceptions.Exit: Something failed, and no person saw it.
    """
    try:
        chat.commands = commands.names()
        chat.screen.open(chat.conversation, chat.commands)
        _greet(chat)
        while not chat.done:
            try:
                line = chat.screen.read()
            except KeyboardInterrupt:
                chat.screen.note(LEAVE_UNSAVED if chat.held else LEAVE)
                continue
            if line is None:
                break
            handle(chat, line)
            _show_unsaved(chat)
        _offer_to_save(chat)
    finally:
        chat.close()
    if chat.failed and not chat.screen.interactive:
        raise click.exceptions.Exit(chat.failed.exit_code)


def _show_unsaved(chat: Chat) -> None:
    if chat.space.log.unsaved and chat.screen.interactive:
        chat.screen.note(f"{count(chat.space.log.unsaved, 'write')} not saved yet: /save")


def _offer_to_save(chat: Chat) -> None:
    held = sum(space.log.unsaved for space in chat.held)
    asks = held and chat.screen.interactive
    if asks and chat.confirm(f"Save {count(held, 'write')}?", default=True):
        for space in chat.held:
            space.log.save()


def handle(chat: Chat, line: str) -> None:
    """Run one message or command. ``//`` starts a message with a slash."""
    if not line.strip():
        return
    try:
        if line.startswith("/") and not line.startswith("//"):
            commands.run(chat, line)
        else:
            _send(chat, line[1:] if line.startswith("//") else line)
    except UnabridgedError as error:
        chat.fail(error)
    except KeyboardInterrupt:
        if not chat.screen.interactive:
            raise
        chat.screen.note("Stopped.")


def _send(chat: Chat, line: str) -> None:
    if not chat.as_json and (hint := WORDS.get(line.strip().lower())):
        chat.screen.note(f"Not sent. {hint}; to say it to the model, add a word.")
        return
    mode, text = split_mode(line)
    chat.send(text, mode=mode)


def split_mode(text: str) -> tuple[Mode | None, str]:
    """Split a message into the mode that its prefix chooses, and the rest."""
    for prefix, mode in PREFIXES:
        if text[: len(prefix)].lower() == prefix:
            return mode, text[len(prefix) :].lstrip()
    return None, text


def _greet(chat: Chat) -> None:
    space, screen, settings = chat.space, chat.screen, chat.settings
    upstream = chat.model  # chosen here, so that the first screen names it
    if screen.interactive:
        who = [
            space_from(space.scope, settings).name,
            model_name(upstream.model, upstream.provider),
            f"{chat.mode.value} mode",
        ]
        if settings.profile:
            who.append(f"profile {settings.profile}")
        if settings.store == "memory":
            who.append("nothing is kept")
        screen.say(["", paint("Unabridged", "bold") + paint("  " + " · ".join(who), "dim")])
    if chat.model_note:
        screen.note(chat.model_note)
    if screen.interactive:
        chat.note_all(where(chat))
        if chat.conversation.header is None and (hint := elsewhere(settings)):
            screen.note(hint)
        screen.note(KEYS)
