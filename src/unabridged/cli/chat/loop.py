"""The conversation: reads messages and commands until there are no more."""

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
LEAVE = "/quit or Ctrl-D leaves; everything is kept."
LEAVE_UNSAVED = "/quit or Ctrl-D leaves; /save saves what is not saved yet."
KEYS = "/new begins a session · /help lists the commands · Alt-Enter begins a line · Ctrl-D leaves"


def converse(chat: Chat) -> None:
    """Talk until the end.

    Raises:
        click.exceptions.Exit: Something failed on the way and nobody sat in front.
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
            _say_unsaved(chat)
        _offer_to_save(chat)
    finally:
        chat.close()
    if chat.failed and not chat.screen.interactive:
        raise click.exceptions.Exit(chat.failed.exit_code)


def _say_unsaved(chat: Chat) -> None:
    if chat.space.log.unsaved and chat.screen.interactive:
        chat.screen.note(f"{count(chat.space.log.unsaved, 'write')} not saved yet: /save")


def _offer_to_save(chat: Chat) -> None:
    held = sum(space.log.unsaved for space in chat.held)
    if (
        held
        and chat.screen.interactive
        and click.confirm(f"Save {count(held, 'write')}?", default=True)
    ):
        for space in chat.held:
            space.log.save()


def handle(chat: Chat, line: str) -> None:
    """Take one message or command. ``//`` begins a message with a slash."""
    if not line.strip():
        return
    try:
        if line.startswith("/") and not line.startswith("//"):
            commands.run(chat, line)
        else:
            mode, text = split_mode(line[1:] if line.startswith("//") else line)
            chat.send(text, mode=mode)
    except UnabridgedError as error:
        chat.fail(error)


def split_mode(text: str) -> tuple[Mode | None, str]:
    """Take the prefix off a message that chooses its mode."""
    for prefix, mode in PREFIXES:
        if text[: len(prefix)].lower() == prefix:
            return mode, text[len(prefix) :].lstrip()
    return None, text


def _greet(chat: Chat) -> None:
    space, screen = chat.space, chat.screen
    upstream = chat.model  # chosen here: whom one talks with is known from the beginning
    if screen.interactive:
        settings = chat.settings
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
        screen.note(where(chat))
        if chat.conversation.header is None and (hint := elsewhere(settings)):
            screen.note(hint)
    if chat.model_note:
        screen.note(chat.model_note)
    if screen.interactive:
        screen.note(KEYS)
