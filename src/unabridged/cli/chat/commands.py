"""The commands of the chat, as one table."""

import difflib
from collections.abc import Callable
from dataclasses import dataclass

from unabridged.cli import lists
from unabridged.cli.account import account_lines
from unabridged.cli.chat.talk import Chat
from unabridged.cli.paint import Column, colour_out, table, width
from unabridged.cli.text import clip, one_line
from unabridged.cli.words import day, model_name
from unabridged.domain.budget import Mode
from unabridged.domain.exchange import Exchange
from unabridged.errors import InputError, NotFoundError
from unabridged.wiring import available_models


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


def run(chat: Chat, line: str) -> None:
    """Run a command line.

    Raises:
        InputError: There is no such command.
        UnabridgedError: The command failed.
    """
    words = line.split(maxsplit=2)
    for length in (2, 1):
        command = _BY_NAME.get(" ".join(words[:length]).lower())
        if command:
            command.run(chat, line.split(maxsplit=length)[length:][0] if words[length:] else "")
            return
    near = difflib.get_close_matches(line.strip().lower(), _BY_NAME, 1, 0.5)
    near = near or difflib.get_close_matches(words[0].lower(), _BY_NAME, 1, 0.5)
    raise InputError(
        f"There is no command {words[0]}.",
        hint=(f"Did you mean {near[0]}? " if near else "")
        + "/help lists them; // begins a message with a slash.",
    )


def names() -> list[str]:
    """Give the names of all commands."""
    return list(_BY_NAME)


def _new(chat: Chat, title: str) -> None:
    chat.memory.new_session(title)
    chat.screen.note("A new session begins with your next message; memory reaches into all.")


def _sessions(chat: Chat, _: str) -> None:
    found = chat.memory.sessions()
    if not found:
        chat.screen.note("There is no session yet.")
    chat.screen.say(lists.session_lines(found[:20]))


def _switch(chat: Chat, wanted: str) -> None:
    if not wanted:
        _sessions(chat, "")
        chat.screen.note("/switch NUMBER goes on with one of them.")
        return
    session = chat.memory.switch(wanted)
    chat.screen.note(f"Going on with “{one_line(session.title)}”.")


def _title(chat: Chat, title: str) -> None:
    if not title:
        raise InputError("The title is missing.", hint="/title Trip to Lisbon")
    session = chat.memory.retitle(title)
    chat.screen.note(f"This session is called “{one_line(session.title)}” now.")


def _branch(chat: Chat, wanted: str) -> None:
    leaves = chat.memory.branches()
    if not wanted:
        current = _last(chat).id if leaves else ""
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
    chat.memory.take_branch(chosen)
    chat.screen.note(f"Going on from “{_first_words(chat.memory.show(chosen))}”.")


def _retry(chat: Chat, _: str) -> None:
    chat.send("", retry_of=_last(chat).id)


def _edit(chat: Chat, text: str) -> None:
    last = _last(chat)
    chat.memory.undo()
    stored = False
    try:
        words = text or chat.screen.read(last.user.text) or ""
        if words.strip():
            stored = chat.send(words).exchange is not None
    except KeyboardInterrupt:
        chat.screen.note("Nothing was changed.")
    finally:
        if not stored:
            chat.memory.take_branch(last.id)


def _undo(chat: Chat, _: str) -> None:
    over = chat.memory.undo()
    if over is None:
        chat.screen.note("There is nothing to step back over.")
        return
    chat.screen.note(f"Stepped back over “{_first_words(over)}”. It is kept: /branch shows it.")


def _why(chat: Chat, wanted: str) -> None:
    account = chat.memory.why(wanted or None)
    chat.screen.say(account_lines(account, width(), colour=colour_out()))


def _stats(chat: Chat, _: str) -> None:
    chat.screen.say(lists.stats_lines(chat.memory.stats()))


def _tokens(chat: Chat, _: str) -> None:
    chat.screen.say(lists.token_lines(chat.memory.tokens()))


def _search(chat: Chat, query: str) -> None:
    if not query:
        raise InputError("The words to look for are missing.", hint="/search lisbon hotel")
    found = chat.memory.search(query, 10)
    if not found:
        chat.screen.note("Nothing was found.")
    chat.screen.say(line for one in found for line in lists.found_lines(one))


def _remember(chat: Chat, text: str) -> None:
    if not text:
        raise InputError("The words are missing.", hint="/remember I am allergic to nuts.")
    chat.memory.remember(text)
    chat.screen.note("Pinned: every prompt carries it from now on. /pins lists them.")


def _pin(chat: Chat, wanted: str) -> None:
    pin = chat.memory.pin(wanted or _last(chat).id)
    chat.screen.note(f"Pinned: “{clip(one_line(pin.text), 60)}”. /pins lists them.")


def _pins(chat: Chat, _: str) -> None:
    pins = chat.memory.pins()
    if not pins:
        chat.screen.note("Nothing is pinned. /remember TEXT or /pin pins something.")
    chat.screen.say(lists.pin_lines(pins))


def _unpin(chat: Chat, wanted: str) -> None:
    if not wanted:
        _pins(chat, "")
        return
    pin = chat.memory.unpin(wanted)
    chat.screen.note(f"No longer pinned: “{clip(one_line(pin.text), 60)}”.")


def _model(chat: Chat, wanted: str) -> None:
    memory = chat.memory
    found = available_models(memory.settings)
    if not wanted:
        current = memory.upstream
        chat.screen.say(lists.model_lines(found, current.provider, current.model))
        chat.screen.note("/model NAME or NUMBER goes on with another; the memory stays.")
        return
    models = [line for line in found if line.model]
    number = int(wanted) if wanted.isdecimal() else 0
    if 0 < number <= len(models):
        line = models[number - 1]
    else:
        named = {each.model: each for each in reversed(models)}
        near = difflib.get_close_matches(wanted, named, 1, 0.4)
        if wanted not in named:
            raise NotFoundError(
                f"There is no model {wanted!r} here.",
                hint=f"Did you mean {near[0]!r}?" if near else "/model lists what there is.",
            )
        line = named[wanted]
    memory.use_upstream(memory.choose_upstream(upstream=line.provider, model=line.model))
    name = model_name(line.model, line.provider)
    chat.screen.note(f"{name} answers from now on; the memory stays.")


def _mode(chat: Chat, wanted: str) -> None:
    if wanted:
        if wanted not in tuple(Mode):
            raise InputError(f"There is no mode {wanted!r}.", hint="/mode chat or /mode tools")
        chat.mode = Mode(wanted)
    chat.screen.note(f"{chat.mode.value.capitalize()} mode. t: or chat: chooses it for a message.")


def _help(chat: Chat, _: str) -> None:
    columns = [Column("", style="accent"), Column("", flexible=True)]
    rows = [(f"{each.name} {each.argument}".strip(), each.help) for each in COMMANDS]
    rows += [("t: …, chat: …", "Send one message in tools mode, or in chat mode.")]
    rows += [("// …", "Send a message that begins with a slash.")]
    chat.screen.say(table(columns, rows, width()))


def _quit(chat: Chat, _: str) -> None:
    chat.done = True


def _last(chat: Chat) -> Exchange:
    """Give the newest exchange of the session.

    Raises:
        NotFoundError: Nothing was said in it yet.
    """
    history = chat.memory.history(1)
    if not history:
        raise NotFoundError("Nothing was said in this session yet.", hint="Say something first.")
    return history[-1]


def _first_words(exchange: Exchange) -> str:
    return clip(one_line(exchange.user.text), 50)


COMMANDS = (
    ChatCommand("/new", "[TITLE]", "Begin a new session.", _new),
    ChatCommand("/sessions", "", "List the sessions, the newest first.", _sessions),
    ChatCommand("/switch", "WHICH", "Go on with another: its number, title or id.", _switch),
    ChatCommand("/title", "TEXT", "Give this session a title.", _title),
    ChatCommand("/branch", "[NUMBER]", "List the branches of this session, or take one.", _branch),
    ChatCommand("/retry", "", "Let the last message be answered again.", _retry),
    ChatCommand("/edit", "[TEXT]", "Change the last message; what was said stays a branch.", _edit),
    ChatCommand("/undo", "", "Step back over the last exchange; it stays a branch.", _undo),
    ChatCommand("/why", "[ID]", "Account for every token of the last prompt.", _why),
    ChatCommand("/search", "WORDS", "Find exchanges by what was said.", _search),
    ChatCommand("/memory stats", "", "Say how much the memory holds.", _stats),
    ChatCommand("/memory tokens", "", "Show the window of the last prompt.", _tokens),
    ChatCommand("/remember", "TEXT", "Pin a text: every prompt carries it.", _remember),
    ChatCommand("/pin", "[ID]", "Pin what you said last, or in another exchange.", _pin),
    ChatCommand("/pins", "", "List what is pinned.", _pins),
    ChatCommand("/unpin", "NUMBER", "Take a pin off.", _unpin),
    ChatCommand("/model", "[NAME]", "List the models, or go on with another.", _model),
    ChatCommand("/mode", "[chat|tools]", "Show or change the mode.", _mode),
    ChatCommand("/help", "", "List the commands.", _help),
    ChatCommand("/quit", "", "Leave; everything is kept.", _quit),
)
_BY_NAME = {command.name: command for command in COMMANDS}
