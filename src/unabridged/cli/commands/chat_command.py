"""``unabridged chat``."""

import sys
from functools import partial

import click

from unabridged.cli.chat.chat_session import Chat
from unabridged.cli.chat.loop import converse
from unabridged.cli.chat.screen import choose_screen
from unabridged.cli.chat.type_ahead import TypeAhead
from unabridged.cli.commands.ask_command import answer_data
from unabridged.cli.open_from_options import open_beside, open_conversation
from unabridged.cli.options import TALK, Invocation
from unabridged.cli.plain_command import plain_command


@plain_command(
    "chat",
    "unabridged chat",
    "unabridged chat --ollama http://127.0.0.1:11434 --model qwen3:8b",
    "printf 'My cat is called Ada.\\n/memory stats\\n' | unabridged chat",
    options=TALK,
)
@click.option(
    "--plain", is_flag=True, help="Use plain text, without colour, layout and line editing."
)
def command(invocation: Invocation, *, plain: bool) -> None:
    """Chat with a model that remembers.

    It continues the newest session; --new begins another. /help lists the commands of the chat. From a pipe, each line is a message or a command. If each model has its own memory (profile workspace), /model changes the memory too.
    """
    plain = plain or not sys.stdin.isatty()
    person = not plain and not invocation.json and sys.stdout.isatty()
    with TypeAhead(wanted=person) as typed:
        typed.take()
        conversation = open_conversation(invocation)
        screen = choose_screen(plain=plain, as_json=invocation.json, typed=typed)
        data_of = answer_data if invocation.json else None
        beside = partial(open_beside, invocation)
        converse(Chat(conversation, screen, data_of, beside, invocation.by_agent))
