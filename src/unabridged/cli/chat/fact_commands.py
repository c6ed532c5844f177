"""Commands of the chat about what is known of the user."""

from unabridged.cli.chat.chat_session import Chat
from unabridged.cli.chat.command import ChatCommand, needed
from unabridged.cli.terminal_text import clip, one_line
from unabridged.cli.views.facts import fact_card, fact_lines
from unabridged.errors import InputError

LISTED = 30
"""Facts that are listed, the newest."""
QUOTED = 60
"""Cells of a fact that is repeated."""


def _list(chat: Chat, more: str) -> None:
    if more:
        raise InputError(
            f"/facts does not take {more!r}.", hint="/facts add, pin, unpin, why or forget"
        )
    facts = chat.space.facts.all()
    if not facts:
        chat.screen.note("Nothing is known yet; /facts add TEXT adds something.")
        return
    older = max(0, len(facts) - LISTED)
    chat.screen.say(fact_lines(facts[older:], first=older + 1))
    more = f" {older:,} older ones: unabridged facts." if older else ""
    chat.screen.note(f"/facts why NUMBER shows where one is from; ● is in every prompt.{more}")


def _add(chat: Chat, text: str) -> None:
    fact = chat.space.facts.add(needed(text, "/facts add I am allergic to nuts."))
    chat.screen.note(f"Known from now on: “{clip(one_line(fact.text), QUOTED)}”.")


def _pin(chat: Chat, wanted: str) -> None:
    fact = chat.space.facts.pin(needed(wanted, "/facts pin 3"))
    chat.screen.note(f"Every prompt carries it now: “{clip(one_line(fact.text), QUOTED)}”.")


def _unpin(chat: Chat, wanted: str) -> None:
    fact = chat.space.facts.unpin(needed(wanted, "/facts unpin 3"))
    said = clip(one_line(fact.text), QUOTED)
    chat.screen.note(f"Only prompts that it bears on carry it now: “{said}”.")


def _forget(chat: Chat, wanted: str) -> None:
    fact = chat.space.facts.withdraw(needed(wanted, "/facts forget 3"))
    said = clip(one_line(fact.text), QUOTED)
    chat.screen.note(f"Taken back: “{said}”. What was said stays stored.")


def _why(chat: Chat, wanted: str) -> None:
    fact = chat.space.facts.get(needed(wanted, "/facts why 3"))
    chat.screen.say(fact_card(fact))


COMMANDS = (
    ChatCommand("/facts", "", "List what is known of you.", _list),
    ChatCommand("/facts add", "TEXT", "Add a fact.", _add),
    ChatCommand("/facts why", "NUMBER", "Show where a fact is from, word for word.", _why),
    ChatCommand("/facts pin", "NUMBER", "Let every prompt carry a fact.", _pin),
    ChatCommand("/facts unpin", "NUMBER", "Let only prompts that it bears on carry it.", _unpin),
    ChatCommand("/facts forget", "NUMBER", "Take a fact back.", _forget),
)
