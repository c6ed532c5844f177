"""Commands of the chat that condense the session, and open what was condensed."""

from unabridged.cli.chat.chat_session import Chat
from unabridged.cli.chat.command import ChatCommand
from unabridged.cli.views.condensations import condensation_lines, expanded_lines, outlook_lines
from unabridged.domain.session import Session
from unabridged.errors import InputError, NotFoundError

LISTED = 20
"""Condensations that are listed, the newest."""


def _condense(chat: Chat, more: str) -> None:
    _nothing_more(more)
    outlook = chat.space.condensations.condense(
        _session(chat).id, threshold=chat.space.contexts.last_memory()
    )
    chat.screen.say(outlook_lines(outlook, test=False))
    if not outlook.made:
        chat.screen.note("/condense test shows what a run would do, /condense force runs it.")


def _test(chat: Chat, more: str) -> None:
    _nothing_more(more)
    outlook = chat.space.condensations.plan(
        _session(chat).id, threshold=chat.space.contexts.last_memory()
    )
    chat.screen.say(outlook_lines(outlook, test=True))


def _force(chat: Chat, more: str) -> None:
    _nothing_more(more)
    outlook = chat.space.condensations.condense(_session(chat).id, force=True)
    chat.screen.say(outlook_lines(outlook, test=False))
    if outlook.usable:
        chat.screen.note("/expand ID shows what a condensation stands for, whole.")


def _expand(chat: Chat, wanted: str) -> None:
    if wanted:
        chat.screen.say(expanded_lines(chat.space.condensations.expand(wanted)))
        return
    held = chat.space.condensations.condensations()
    if not held:
        chat.screen.note("Nothing is condensed yet; /condense test shows what would be.")
        return
    chat.screen.say(condensation_lines(held[-LISTED:]))
    chat.screen.note("/expand ID shows what one stands for, whole.")


def _session(chat: Chat) -> Session:
    session = chat.conversation.header
    if session is None:
        raise NotFoundError("No session has begun yet.", hint="Say something first.")
    return session


def _nothing_more(more: str) -> None:
    if more:
        raise InputError(
            f"/condense does not take {more!r}.", hint="/condense, /condense test, /condense force"
        )


COMMANDS = (
    ChatCommand("/condense", "", "Condense what outgrew its budget; originals stay.", _condense),
    ChatCommand("/condense test", "", "Show what a run would do; nothing is changed.", _test),
    ChatCommand("/condense force", "", "Condense this session now, due or not.", _force),
    ChatCommand("/expand", "[ID]", "Open a condensation: the exact originals.", _expand),
)
