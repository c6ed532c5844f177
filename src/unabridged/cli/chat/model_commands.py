"""Commands of the chat that choose what answers, and how."""

import difflib

from unabridged.cli.chat.chat_session import Chat
from unabridged.cli.chat.command import ChatCommand, where
from unabridged.cli.format import model_name
from unabridged.cli.views import lists
from unabridged.cli.views.personas import persona_lines, persona_rows
from unabridged.domain.budget import Mode
from unabridged.errors import InputError, NotFoundError
from unabridged.factory.home import available_models

NOBODY = "none"
"""What stands for no persona."""


def _model(chat: Chat, wanted: str) -> None:
    found = available_models(chat.settings)
    if wanted and not wanted.isdecimal() and wanted not in {line.model for line in found}:
        found = available_models(chat.settings, fresh=True)  # pulled since the list was given
    if not wanted:
        current = chat.model
        chat.screen.say(lists.model_lines(found, current.provider, current.model))
        memories = ", in a memory of its own" if _apart(chat) else "; the memory stays"
        chat.screen.note(f"/model NAME or NUMBER goes on with another{memories}.")
        return
    models = [line for line in found if line.model]
    number = int(wanted) if wanted.isdecimal() else 0
    if 0 < number <= len(models):
        line = models[number - 1]
    else:
        named = {each.model: each for each in reversed(models)}
        part = [name for name in named if wanted.lower() in name.lower()]
        near = part or difflib.get_close_matches(wanted, named, 1, 0.4)
        if wanted not in named:
            raise NotFoundError(
                f"There is no model {wanted!r} here.",
                hint=f"Did you mean {near[0]!r}?" if near else "/model lists what there is.",
            )
        line = named[wanted]
    changed = chat.take(line.provider, line.model)
    name = model_name(line.model, line.provider)
    if changed:
        chat.screen.note(f"{name} answers from now on, with a memory of its own.")
        chat.screen.note(where(chat))
    else:
        chat.screen.note(f"{name} answers from now on; the memory stays.")


def _apart(chat: Chat) -> bool:
    return "model" in chat.space.settings.isolation


def _mode(chat: Chat, wanted: str) -> None:
    if wanted:
        if wanted not in tuple(Mode):
            raise InputError(f"There is no mode {wanted!r}.", hint="/mode chat or /mode tools")
        chat.mode = Mode(wanted)
    chat.screen.note(f"{chat.mode.value.capitalize()} mode. t: or chat: chooses it for a message.")


def _persona(chat: Chat, wanted: str) -> None:
    current = chat.settings.persona if chat.persona is None else chat.persona
    rows = persona_rows(chat.settings.home)
    if not wanted:
        chat.screen.say(persona_lines(rows, current))
        chat.screen.note("/persona NAME goes on as another; /persona none as nobody in particular.")
        return
    named = {row.name for row in rows}
    nobody = wanted.lower() == NOBODY and wanted not in named
    folded = {name.lower(): name for name in named}
    name = "" if nobody else folded.get(wanted.lower(), wanted)
    if name == current:
        chat.screen.note(f"{name or 'Nobody in particular'} answers already.")
        return
    chat.space.system(name)  # one that cannot be read changes nothing
    chat.persona = name
    who = f"{name} answers" if name else "Nobody in particular answers"
    chat.screen.note(f"{who} from the next message on; the memory stays.")
    chat.screen.note(
        "The beginning of the prompt changes once for it: the next answer may start later. "
        f"For always: unabridged config set persona {name or chr(34) * 2}"
    )


COMMANDS = (
    ChatCommand("/model", "[NAME]", "List the models, or go on with another.", _model),
    ChatCommand("/persona", "[NAME]", "List the personas, or let another one answer.", _persona),
    ChatCommand("/mode", "[chat|tools]", "Show or change the mode.", _mode),
)
