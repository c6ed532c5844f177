"""``unabridged chat``."""

import sys
from functools import partial

import click

from unabridged.cli.chat.chat_session import Chat
from unabridged.cli.chat.loop import converse
from unabridged.cli.chat.screen import choose_screen
from unabridged.cli.commands.ask_command import answer_data
from unabridged.cli.open_from_options import open_beside, open_conversation
from unabridged.cli.options import TALK, Invocation, common, example, invoked


@click.command(
    "chat",
    epilog=example(
        "unabridged chat",
        "unabridged chat --ollama http://127.0.0.1:11434 --model qwen3:8b",
        "printf 'My cat is called Ada.\\n/memory stats\\n' | unabridged chat",
    ),
)
@click.option("--plain", is_flag=True, help="Plain text, without colour, layout and editing.")
@common(*TALK)
@invoked
def command(invocation: Invocation, *, plain: bool) -> None:
    """Talk with a model that remembers.

    It goes on with the newest session; --new begins another. /help lists the commands. From a pipe,
    each line is a message or a command. Where each model has a memory of its own (the profile
    workspace), /model goes over to that of the other model.
    """
    conversation = open_conversation(invocation)
    screen = choose_screen(plain=plain or not sys.stdin.isatty(), as_json=invocation.json)
    told = answer_data if invocation.json else None
    converse(
        Chat(conversation, screen, told, partial(open_beside, invocation), invocation.by_agent)
    )
