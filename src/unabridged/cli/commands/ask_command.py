"""``unabridged ask``."""

import sys
from typing import Any

import click

from unabridged.cli.chat.answer import SentQuestion, ask
from unabridged.cli.chat.chat_session import stopped_note
from unabridged.cli.chat.plain import PlainScreen
from unabridged.cli.chat.screen import Screen, choose_screen
from unabridged.cli.chat.type_ahead import TypeAhead
from unabridged.cli.format import footer
from unabridged.cli.maintain import embed_recorded, maintain_recorded
from unabridged.cli.open_from_options import open_conversation, words_from
from unabridged.cli.options import TALK, Invocation
from unabridged.cli.output import plain
from unabridged.cli.plain_command import plain_command
from unabridged.domain.context import Tier
from unabridged.errors import InputError, MissingExtraError
from unabridged.turn.conversation import Conversation


@plain_command(
    "ask",
    'unabridged ask "What was the name of the hotel?"',
    'git diff | unabridged ask "Review this:" - --new',
    options=TALK,
)
@click.argument("text", nargs=-1)
def command(invocation: Invocation, text: tuple[str, ...]) -> None:
    """Ask one question and print the answer.

    It continues the newest session; --new begins another. The answer goes to standard output, everything else to standard error. Without a text, or for -, it reads standard input.
    """
    text = text or _piped()
    conversation = open_conversation(invocation)
    screen = _screen(as_json=invocation.json)
    words = words_from(text)
    with TypeAhead(wanted=screen.interactive and sys.stdin.isatty()):
        asked = ask(conversation, words, screen)
    for term in asked.terms:
        screen.note(term, "warn")
    if screen.interactive and asked.context and asked.exchange:
        screen.note(footer(asked.context, asked.usage.prompt if asked.usage else None))
    if asked.exchange and not asked.stopped and not invocation.json:
        _follow_up(conversation, screen)
    if asked.error:
        raise asked.error
    if invocation.json:
        invocation.emit(answer_data(asked))
        _follow_up(conversation, screen)
    if asked.stopped:
        screen.note(stopped_note(asked))
        raise KeyboardInterrupt


def _piped() -> tuple[str, ...]:
    if _is_typed():
        raise InputError("There is no question.", hint='unabridged ask "What did I say?"')
    return ("-",)


def _is_typed() -> bool:
    return sys.stdin.isatty()


def _follow_up(conversation: Conversation, screen: Screen) -> None:
    embed_recorded(conversation.space, screen.note)
    maintain_recorded(conversation.space, screen.note, session=conversation.header)


def _screen(*, as_json: bool) -> Screen:
    try:
        return choose_screen(plain=False, as_json=as_json)
    except MissingExtraError:
        return PlainScreen()


def answer_data(asked: SentQuestion) -> dict[str, Any]:
    """Return an answer for JSON."""
    context, exchange = asked.context, asked.exchange
    data: dict[str, Any] = {
        "text": asked.text,
        "notes": [*asked.notes, *asked.terms],
        "usage": asked.usage,
    }
    if exchange:
        data |= {**plain(exchange), "text": asked.text}
    if context:
        ledger = context.ledger
        data |= {
            "context": context.id,
            "intent": ledger.intent,
            "complexity": ledger.complexity,
            "window": ledger.window,
            "prompt_tokens": ledger.prompt_tokens,
            "recalled": [row.id for row in ledger.kept(Tier.SEMANTIC)],
            "footer": footer(context, asked.usage.prompt if asked.usage else None),
        }
    return data
