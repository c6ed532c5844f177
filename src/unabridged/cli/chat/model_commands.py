"""Commands of the chat that choose what answers, and how."""

import difflib

from unabridged.cli.chat.chat_session import Chat
from unabridged.cli.chat.command import where
from unabridged.cli.format import model_name
from unabridged.cli.views import lists
from unabridged.cli.views.personas import persona_lines, persona_rows
from unabridged.domain.budget import Mode
from unabridged.domain.results import ModelInfo
from unabridged.errors import InputError, NotFoundError
from unabridged.factory.home import available_models

NOBODY = "none"
"""The name for no persona."""


def model(chat: Chat, wanted: str) -> None:
    """List the models, or change it."""
    found = available_models(chat.settings)
    if wanted and not wanted.isdecimal() and wanted not in {line.model for line in found}:
        found = available_models(chat.settings, fresh=True)  # it may have been pulled since
    if not wanted:
        chat.screen.say(lists.model_lines(found, chat.model.provider, chat.model.model))
        apart = "model" in chat.space.settings.isolation
        memory = "each has its own memory" if apart else "the memory stays the same"
        chat.screen.note(f"/model NAME or NUMBER changes the model; {memory}")
        return
    line = _named(wanted, [line for line in found if line.model])
    changed = chat.take(line.provider, line.model)
    name = model_name(line.model, line.provider)
    memory = "with its own memory" if changed else "the memory stays the same"
    chat.screen.note(f"{name} answers from now on; {memory}.")
    if changed:
        chat.note_all(where(chat))


def _named(wanted: str, models: list[ModelInfo]) -> ModelInfo:
    number = int(wanted) if wanted.isdecimal() else 0
    if 0 < number <= len(models):
        return models[number - 1]
    named = {each.model: each for each in reversed(models)}
    if wanted in named:
        return named[wanted]
    part = [name for name in named if wanted.lower() in name.lower()]
    near = part or difflib.get_close_matches(wanted, named, 1, 0.4)
    raise NotFoundError(
        f"There is no model {wanted!r} here.",
        hint=f"Did you mean {near[0]!r}?" if near else "/model lists the models.",
    )


def mode(chat: Chat, wanted: str) -> None:
    """Show or change the mode."""
    if wanted:
        if wanted not in tuple(Mode):
            raise InputError(f"There is no mode {wanted!r}.", hint="/mode chat or /mode tools")
        chat.mode = Mode(wanted)
    name = chat.mode.value.capitalize()
    chat.screen.note(f"{name} mode. For one message: begin it with t: or chat:")


def persona(chat: Chat, wanted: str) -> None:
    """List the personas, or change it."""
    answers = chat.settings.persona if chat.persona is None else chat.persona
    rows = persona_rows(chat.settings.home)
    if not wanted:
        chat.screen.say(persona_lines(rows, answers))
        chat.screen.note("/persona NAME changes the persona; /persona none answers without one")
        return
    named = {row.name for row in rows}
    folded = {name.lower(): name for name in named}
    nobody = wanted.lower() == NOBODY and wanted not in named
    name = "" if nobody else folded.get(wanted.lower(), wanted)
    if name == answers:
        chat.screen.note(f"{name} answers already." if name else "No persona answers already.")
        return
    chat.space.system(name)  # an unreadable one changes nothing
    chat.persona = name
    chat.screen.note(
        f"{name or 'No persona'} answers from your next message on; the memory stays the same."
    )
    chat.screen.note(
        "The prompt begins differently now, so the next answer may start later. "
        f"To keep it: unabridged config set persona {name or chr(34) * 2}"
    )
