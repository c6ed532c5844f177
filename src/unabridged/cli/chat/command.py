"""A command of the chat, and what several of them need."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from unabridged.cli.chat.chat_session import Chat
from unabridged.cli.format import count, moment
from unabridged.cli.terminal_text import clip, one_line
from unabridged.cli.views.exchanges import spoken_lines
from unabridged.domain.exchange import Exchange
from unabridged.domain.session import Session
from unabridged.errors import NotFoundError

QUOTED = 60
"""The most cells of a repeated text."""
LISTED = 30
"""Items of a list; older ones are only counted."""
VERBOSE = {"v", "verbose"}
"""Words after a command that ask for ids and figures, without dashes."""
LAST_LINES = 3
"""Lines of each side of the last exchange, when a session is continued."""


@dataclass(frozen=True, slots=True)
class ChatCommand:
    """A command of the chat.

    Attributes:
        name: With its slash; one or two words.
        group: The group in which the help lists it.
        argument: What follows, in capitals: a word each, the last one may be several words.
            Brackets mark what may be left out; empty for nothing.
        run: Runs it with the text after the name; its docstring is the help.
        example: A whole line as an example.
    """

    name: str
    group: str
    argument: str
    run: Callable[[Chat, str], None]
    example: str = ""

    @property
    def help(self) -> str:
        """The help of the command."""
        return self.run.__doc__ or ""


def last(chat: Chat) -> Exchange:
    """Return the newest exchange of the session.

    Raises:
        NotFoundError: It has no exchange yet.
    """
    history = chat.conversation.history(1)
    if not history:
        raise NotFoundError("This session has no exchange yet.", hint="Say something first.")
    return history[-1]


def current(chat: Chat) -> Session:
    """Return the current session.

    Raises:
        NotFoundError: It has no exchange yet.
    """
    session = chat.conversation.header
    if session is None:
        raise NotFoundError("This session has no exchange yet.", hint="Say something first.")
    return session


def quoted(text: str, cells: int = QUOTED) -> str:
    """Return the beginning of a text in quotation marks, in one line."""
    return f"“{clip(one_line(text), cells)}”"


def where(chat: Chat) -> Iterator[str]:
    """Name the current session, and show its last exchange."""
    session = chat.conversation.header
    if session is None:
        named = f" “{one_line(chat.conversation.session)}”" if chat.conversation.is_named else ""
        yield f"Your next message starts a new session{named}."
        return
    exchanges = chat.space.log.counts().get(session.id, 0)
    title = one_line(session.title) or "untitled"
    yield f"Continuing “{title}” · {count(exchanges, 'exchange')} · last {moment(session.updated)}"
    for exchange in chat.conversation.history(1):
        yield from spoken_lines(exchange, LAST_LINES)
