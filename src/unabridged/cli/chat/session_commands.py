"""Commands of the chat about sessions and their branches."""

from typing import TYPE_CHECKING

from unabridged.cli.chat.chat_session import Chat
from unabridged.cli.chat.command import current, last, quoted, where
from unabridged.cli.format import count, day, moment
from unabridged.cli.paint import Column, paint, table, width
from unabridged.cli.parse_space import parse_space
from unabridged.cli.views import lists
from unabridged.cli.views.exchanges import spoken_lines
from unabridged.cli.views.shares import carried_lines
from unabridged.domain.scope import SpaceId
from unabridged.errors import InputError

if TYPE_CHECKING:
    from unabridged.factory.sharing import SpaceShares

SESSIONS = 20
"""The number of newest sessions to list."""
EXCHANGES = 5
"""The number of exchanges that ``/history`` shows."""


def new(chat: Chat, title: str) -> None:
    """Start a new session with the next message."""
    chat.talk_in(None, title)
    chat.screen.note("Your next message starts a new session.")
    if chat.space.settings.recall_scope != "space":
        chat.screen.note("Other sessions are not recalled in it.")


def sessions(chat: Chat, _: str) -> None:
    """List the sessions, the newest first."""
    session = chat.conversation.header
    found = chat.perform("sessions.list", limit=SESSIONS)
    if not found:
        chat.screen.note("There is no session yet.")
    chat.screen.say(lists.session_lines(found, session.id if session else None))
    if session and any(each.id == session.id for each in found):
        chat.screen.note("● this session")
    older = len(chat.space.sessions.all()) - len(found)
    if older:
        chat.screen.note(f"{count(older, 'older session')}: unabridged sessions")


def switch(chat: Chat, wanted: str) -> None:
    """Continue another session: number, title or id."""
    if not wanted:
        sessions(chat, "")
        chat.screen.note("/switch NUMBER continues one of them.")
        return
    chat.talk_in(chat.space.sessions.find(wanted).id)
    chat.note_all(where(chat))


def history(chat: Chat, number: str) -> None:
    """Show the last exchanges of this session."""
    if number and not (number.isdecimal() and int(number)):
        raise InputError(f"{number!r} is not a number of exchanges.", hint="/history 10")
    shown = chat.conversation.history(int(number) if number else EXCHANGES)
    if not shown:
        chat.screen.note("This session has no exchange yet.")
    for exchange in shown:
        chat.screen.say([paint(moment(exchange.at), "dim"), *spoken_lines(exchange), ""])


def title(chat: Chat, text: str) -> None:
    """Rename this session."""
    chat.screen.note(f"This session is now called {quoted(chat.conversation.rename(text).title)}.")


def branch(chat: Chat, wanted: str) -> None:
    """List the branches, or continue one."""
    leaves = chat.conversation.branches()
    if not wanted:
        newest = last(chat).id if leaves else ""
        columns = [
            Column("", right=True, style="dim"),
            Column("", style="accent"),
            Column("", flexible=True),
            Column("", style="dim"),
        ]
        rows = [
            (str(number), "●" if leaf.id == newest else "", leaf.user.text, day(leaf.at))
            for number, leaf in enumerate(leaves, 1)
        ]
        chat.screen.say(table(columns, rows, width()))
        if len(leaves) > 1:
            chat.screen.note("● this one · /branch NUMBER continues another branch")
        else:
            chat.screen.note("There is no other branch. /edit and /retry begin one.")
        return
    number = int(wanted) if wanted.isdecimal() else 0
    chosen = leaves[number - 1].id if 0 < number <= len(leaves) else wanted
    chat.conversation.checkout(chosen)
    chat.screen.note(f"Continuing after {quoted(chat.space.log.get(chosen).user.text)}.")


def retry(chat: Chat, _: str) -> None:
    """Answer the last message again."""
    chat.send("", retry_of=last(chat).id)


def edit(chat: Chat, text: str) -> None:
    """Change the last message; the old one stays."""
    newest = last(chat)
    chat.conversation.undo()
    stored = False
    try:
        words = text or chat.screen.read(newest.user.text) or ""
        if words.strip():
            stored = chat.send(words).exchange is not None
    except KeyboardInterrupt:
        chat.screen.note("Nothing was changed.")
    finally:
        if not stored:
            chat.conversation.checkout(newest.id)


def undo(chat: Chat, _: str) -> None:
    """Step back over the last exchange; it stays stored."""
    over = chat.conversation.undo()
    if over is None:
        chat.screen.note("There is nothing to step back over.")
        return
    chat.screen.note(f"Stepped back over {quoted(over.user.text)}. It stays stored: /branch")


def share(chat: Chat, target: str) -> None:
    """Copy this session into another space."""
    shares, space = _shares(chat), _space(chat, target)
    chat.screen.say(carried_lines(shares.share(space, sessions=[current(chat).id])))


def hand_off(chat: Chat, target: str) -> None:
    """Let another agent or model continue it."""
    shares, space = _shares(chat), _space(chat, target)
    chat.screen.say(carried_lines(shares.handoff(space, session=current(chat).id)))


def _space(chat: Chat, target: str) -> SpaceId:
    return parse_space(target, chat.space.settings.isolation)


def _shares(chat: Chat) -> "SpaceShares":
    from unabridged.factory.sharing import SpaceShares  # noqa: PLC0415 - for these commands only

    return SpaceShares(chat.space.settings, chat.agents())
