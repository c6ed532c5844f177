"""Commands of the chat about what kind of content messages are."""

from unabridged.cli.chat.chat_session import Chat
from unabridged.cli.chat.command import ChatCommand
from unabridged.cli.views.annotations import (
    annotation_lines,
    called,
    correct,
    distribution_lines,
    scheme_lines,
)
from unabridged.errors import InputError

SHOWN = 5
"""Exchanges whose readings are shown, the newest."""
MOST = 500
"""Exchanges that are judged before the distribution is shown: about a second."""


def _show(chat: Chat, _: str) -> None:
    space = chat.space
    newest = chat.conversation.history(SHOWN)
    chat.screen.say([*scheme_lines(space.annotations.scheme), ""])
    chat.screen.say(annotation_lines(newest, space.annotations.of(newest)))
    chat.screen.note("/semantic set ID CATEGORY corrects one; it stays as you say.")


def _stats(chat: Chat, _: str) -> None:
    for _step in chat.space.annotations.read_pending(MOST):
        pass  # the figures behind it are shown when it is done
    chat.screen.say(distribution_lines(chat.space))


def _set(chat: Chat, text: str) -> None:
    wanted, _, category = text.partition(" ")
    if not category.strip():
        raise InputError(
            "An exchange's id and a category are needed.",
            hint="/semantic set 01KAJ3 decision; /semantic show lists both.",
        )
    exchange, reading = correct(chat.space, wanted, category.strip())
    chat.screen.say(annotation_lines([exchange], {exchange.id: reading}))
    named = called(category.strip().lower())
    chat.screen.note(f"What you said there counts as {named} from now on.")


COMMANDS = (
    ChatCommand("/semantic show", "", "Show the categories and what was read lately.", _show),
    ChatCommand("/semantic stats", "", "Show how often each category was read.", _stats),
    ChatCommand("/semantic set", "ID CATEGORY", "Correct the category of what you said.", _set),
)
