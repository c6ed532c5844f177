"""A command of the chat, and what several of them need."""

from collections.abc import Callable
from dataclasses import dataclass

from unabridged.cli.chat.chat_session import Chat
from unabridged.cli.format import count, moment
from unabridged.cli.terminal_text import clip, one_line
from unabridged.domain.exchange import Exchange
from unabridged.errors import InputError, NotFoundError


@dataclass(frozen=True, slots=True)
class ChatCommand:
    """A command of the chat.

    Attributes:
        name: With its slash; may be two words.
        argument: What may follow, in capitals; empty for nothing.
        help: What it does.
        run: Does it.
    """

    name: str
    argument: str
    help: str
    run: Callable[[Chat, str], None]


def last(chat: Chat) -> Exchange:
    """Give the newest exchange of the session.

    Raises:
        NotFoundError: Nothing was said in it yet.
    """
    history = chat.conversation.history(1)
    if not history:
        raise NotFoundError("Nothing was said in this session yet.", hint="Say something first.")
    return history[-1]


def needed(text: str, example: str) -> str:
    """Return what must follow a command.

    Raises:
        InputError: Nothing follows.
    """
    if not text.strip():
        raise InputError("Something is missing.", hint=example)
    return text.strip()


def first_words(exchange: Exchange) -> str:
    """Give the beginning of what the user said, in one line."""
    return clip(one_line(exchange.user.text), 50)


def where(chat: Chat) -> str:
    """Say in one line with which session the conversation goes on."""
    session = chat.conversation.header
    if session is None and chat.conversation.is_named:
        named = chat.conversation.session
        return f"A new session “{named}” begins with your first message."
    if session is None:
        return "A new session begins with your first message."
    exchanges = chat.space.log.counts().get(session.id, 0)
    said = count(exchanges, "exchange") if exchanges else "no exchange"
    title = one_line(session.title) or "untitled"
    last = moment(session.updated)
    return f"Going on with “{title}” · {said} · last {last}"
