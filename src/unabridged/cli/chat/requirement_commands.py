"""Commands of the chat about what was required."""

from unabridged.cli.chat.chat_session import Chat
from unabridged.cli.chat.command import ChatCommand, needed
from unabridged.cli.views.requirements import conflict_lines, requirement_card, requirement_lines
from unabridged.errors import InputError

LISTED = 30
"""Requirements that are listed, the newest."""


def _list(chat: Chat, more: str) -> None:
    if more:
        raise InputError(
            f"/requirements does not take {more!r}.",
            hint="/requirements show, add, edit, forget or conflicts",
        )
    held = chat.space.requirements.all()
    if not held:
        chat.screen.note("Nothing was required yet; /requirements add TEXT adds something.")
        return
    chat.screen.say(requirement_lines(held[-LISTED:]))
    older = max(0, len(held) - LISTED)
    more = f" {older:,} older ones: unabridged requirements." if older else ""
    chat.screen.note(f"/requirements show NUMBER shows where one is from.{more}")


def _show(chat: Chat, wanted: str) -> None:
    each = chat.space.requirements.get(needed(wanted, "/requirements show 3"))
    chat.screen.say(requirement_card(each))
    if each.quote and each.quote != each.text:
        chat.screen.note(f"Said as: “{each.quote}”")


def _add(chat: Chat, text: str) -> None:
    example = "/requirements add The page must load within 2 seconds."
    each = chat.space.requirements.add(needed(text, example))
    chat.screen.say(requirement_lines([each]))


def _edit(chat: Chat, text: str) -> None:
    wanted, _, words = needed(text, "/requirements edit 3 The page must load at once.").partition(
        " "
    )
    each = chat.space.requirements.edit(
        wanted, text=needed(words, f"/requirements edit {wanted} The page must load at once.")
    )
    chat.screen.say(requirement_lines([each]))
    chat.screen.note(f"What it said before: unabridged requirements history {each.id}")


def _forget(chat: Chat, wanted: str) -> None:
    gone = chat.space.requirements.withdraw(needed(wanted, "/requirements forget 3"))
    chat.screen.note(f"{gone.id} is withdrawn. What was said stays stored.")


def _conflicts(chat: Chat, _: str) -> None:
    pairs = chat.space.requirements.conflicts()
    if not pairs:
        chat.screen.note("No conflict shows.")
    chat.screen.say(conflict_lines(pairs))


COMMANDS = (
    ChatCommand("/requirements", "", "List what was required.", _list),
    ChatCommand("/requirements show", "NUMBER", "Show one with its fields and its words.", _show),
    ChatCommand("/requirements add", "TEXT", "Add a requirement.", _add),
    ChatCommand("/requirements edit", "NUMBER TEXT", "Word one otherwise.", _edit),
    ChatCommand("/requirements forget", "NUMBER", "Take one back.", _forget),
    ChatCommand("/requirements conflicts", "", "Show what cannot be met together.", _conflicts),
)
