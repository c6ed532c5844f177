"""Commands of the chat that look into the memory, and pin what every prompt shall carry."""

from unabridged.cli.chat.chat_session import Chat
from unabridged.cli.chat.command import ChatCommand, last
from unabridged.cli.format import count
from unabridged.cli.paint import colour_out, width
from unabridged.cli.terminal_text import clip, one_line
from unabridged.cli.views import lists
from unabridged.cli.views.context_report import account_lines
from unabridged.cli.views.found import found_lines, nearest, nothing_lines
from unabridged.cli.views.stats import figures_lines
from unabridged.errors import InputError


def _why(chat: Chat, wanted: str) -> None:
    account = chat.space.contexts.why(wanted or None)
    chat.screen.say(account_lines(account, width(), colour=colour_out()))


def _search(chat: Chat, query: str) -> None:
    if not query:
        raise InputError("The words to look for are missing.", hint="/search lisbon hotel")
    found = chat.space.search(query, 10)
    chat.found = [one.exchange.id for one in found]
    if not found:
        chat.screen.say(nothing_lines(query, nearest(chat.space.search, query)))
        return
    chat.screen.say(line for one in found for line in found_lines(one, query))
    chat.screen.note("/forget NUMBER forgets one of them, counted from 1.")


def _stats(chat: Chat, _: str) -> None:
    chat.screen.say(figures_lines(chat.space))


def _save(chat: Chat, _: str) -> None:
    saved = sum(space.log.save() for space in chat.held)
    chat.screen.note(f"Saved: {count(saved, 'write')}." if saved else "Everything is saved.")


def _tokens(chat: Chat, _: str) -> None:
    chat.screen.say(
        lists.token_lines(chat.space.contexts.tokens(), chat.space.contexts.why().ledger)
    )


def _remember(chat: Chat, text: str) -> None:
    if not text:
        raise InputError("The words are missing.", hint="/remember I am allergic to nuts.")
    chat.space.pins.add(text)
    chat.screen.note("Pinned: every prompt carries it from now on. /pins lists them.")


def _pin(chat: Chat, wanted: str) -> None:
    pin = chat.space.pins.add_exchange(chat.space.log.get(wanted) if wanted else last(chat))
    chat.screen.note(f"Pinned: “{clip(one_line(pin.text), 60)}”. /pins lists them.")


def _pins(chat: Chat, _: str) -> None:
    pins = chat.space.pins.all()
    if not pins:
        chat.screen.note("Nothing is pinned. /remember TEXT or /pin pins something.")
    chat.screen.say(lists.pin_lines(pins))


def _unpin(chat: Chat, wanted: str) -> None:
    if not wanted:
        _pins(chat, "")
        return
    pin = chat.space.pins.remove(wanted)
    chat.screen.note(f"No longer pinned: “{clip(one_line(pin.text), 60)}”.")


COMMANDS = (
    ChatCommand("/why", "[ID]", "Account for every token of the last prompt.", _why),
    ChatCommand("/search", "WORDS", "Find exchanges by what was said.", _search),
    ChatCommand("/save", "", "Save what is held back where auto_save is off.", _save),
    ChatCommand("/memory stats", "", "Say what the memory holds, knows and condensed.", _stats),
    ChatCommand(
        "/memory tokens", "", "Show the window of the last prompt, and what it held.", _tokens
    ),
    ChatCommand("/remember", "TEXT", "Pin a text: every prompt carries it.", _remember),
    ChatCommand("/pin", "[ID]", "Pin what you said last, or in another exchange.", _pin),
    ChatCommand("/pins", "", "List what is pinned.", _pins),
    ChatCommand("/unpin", "NUMBER", "Take a pin off.", _unpin),
)
