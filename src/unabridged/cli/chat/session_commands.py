"""Commands of the chat that are about sessions and their branches."""

from typing import TYPE_CHECKING

from unabridged.cli.chat.chat_session import Chat
from unabridged.cli.chat.command import ChatCommand, first_words, last
from unabridged.cli.format import day
from unabridged.cli.paint import Column, table, width
from unabridged.cli.parse_space import parse_space
from unabridged.cli.terminal_text import one_line
from unabridged.cli.views import lists
from unabridged.cli.views.shares import carried_lines
from unabridged.domain.scope import SpaceId
from unabridged.errors import InputError

if TYPE_CHECKING:
    from unabridged.factory.sharing import SpaceShares


def _new(chat: Chat, title: str) -> None:
    chat.talk_in(None, title)
    reach = "into all" if chat.space.settings.recall_scope == "space" else "no further than it"
    chat.screen.note(f"A new session begins with your next message; memory reaches {reach}.")


def _sessions(chat: Chat, _: str) -> None:
    session = chat.conversation.header
    found = chat.space.sessions.summaries(session.id if session else None)
    if not found:
        chat.screen.note("There is no session yet.")
    handed = chat.space.sharing.handed_off()
    chat.screen.say(lists.session_lines(list(enumerate(found[:20], 1)), handed))


def _share(chat: Chat, target: str) -> None:
    chat.screen.say(
        carried_lines(_shares(chat).share(_space(chat, target), sessions=[_current(chat)]))
    )


def _handoff(chat: Chat, target: str) -> None:
    chat.screen.say(
        carried_lines(_shares(chat).handoff(_space(chat, target), session=_current(chat)))
    )


def _space(chat: Chat, target: str) -> SpaceId:
    if not target:
        raise InputError("Whom it is for is missing.", hint="/share ann/coder")
    return parse_space(target, chat.space.settings.isolation)


def _current(chat: Chat) -> str:
    session = chat.conversation.header
    if session is None:
        raise InputError("Nothing was said in this session yet.", hint="/switch NUMBER")
    return session.id


def _shares(chat: Chat) -> "SpaceShares":
    from unabridged.factory.sharing import SpaceShares  # noqa: PLC0415 - for these commands only

    return SpaceShares(chat.space.settings, chat.agents())


def _switch(chat: Chat, wanted: str) -> None:
    if not wanted:
        _sessions(chat, "")
        chat.screen.note("/switch NUMBER goes on with one of them.")
        return
    session = chat.space.sessions.find(wanted)
    chat.talk_in(session.id)
    chat.screen.note(f"Going on with “{one_line(session.title)}”.")


def _title(chat: Chat, title: str) -> None:
    if not title:
        raise InputError("The title is missing.", hint="/title Trip to Lisbon")
    session = chat.conversation.rename(title)
    chat.screen.note(f"This session is called “{one_line(session.title)}” now.")


def _branch(chat: Chat, wanted: str) -> None:
    leaves = chat.conversation.branches()
    if not wanted:
        current = last(chat).id if leaves else ""
        columns = [
            Column("", right=True, style="dim"),
            Column("", style="accent"),
            Column("", flexible=True),
            Column("", style="dim"),
        ]
        rows = [
            (str(number), "●" if leaf.id == current else "", leaf.user.text, day(leaf.at))
            for number, leaf in enumerate(leaves, 1)
        ]
        chat.screen.say(table(columns, rows, width()))
        chat.screen.note("/branch NUMBER goes on from the end of another branch.")
        return
    number = int(wanted) if wanted.isdecimal() else 0
    chosen = leaves[number - 1].id if 0 < number <= len(leaves) else wanted
    chat.conversation.checkout(chosen)
    chat.screen.note(f"Going on from “{first_words(chat.space.log.get(chosen))}”.")


def _retry(chat: Chat, _: str) -> None:
    chat.send("", retry_of=last(chat).id)


def _edit(chat: Chat, text: str) -> None:
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


def _undo(chat: Chat, _: str) -> None:
    over = chat.conversation.undo()
    if over is None:
        chat.screen.note("There is nothing to step back over.")
        return
    chat.screen.note(f"Stepped back over “{first_words(over)}”. It is kept: /branch shows it.")


COMMANDS = (
    ChatCommand("/new", "[TITLE]", "Begin a new session.", _new),
    ChatCommand("/sessions", "", "List the sessions, the newest first.", _sessions),
    ChatCommand("/switch", "WHICH", "Go on with another: its number, title or id.", _switch),
    ChatCommand("/share", "SPACE", "Carry this session into another space.", _share),
    ChatCommand("/handoff", "SPACE", "Let another agent or model go on with it.", _handoff),
    ChatCommand("/title", "TEXT", "Give this session a title.", _title),
    ChatCommand("/branch", "[NUMBER]", "List the branches of this session, or take one.", _branch),
    ChatCommand("/retry", "", "Let the last message be answered again.", _retry),
    ChatCommand("/edit", "[TEXT]", "Change the last message; the old one stays.", _edit),
    ChatCommand("/undo", "", "Step back over the last exchange; it stays.", _undo),
)
