"""Opens what the settings of a call name: a memory, or the home with all its spaces."""

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from unabridged.cli.options import Invocation
from unabridged.cli.output import echo
from unabridged.cli.salvaged import salvage_lines
from unabridged.cli.words import count
from unabridged.domain.scope import Space
from unabridged.domain.settings import Settings
from unabridged.errors import InputError, NameRefusedError
from unabridged.wiring import Home, Memory

if TYPE_CHECKING:
    from unabridged.wiring.safekeeping import Safekeeping

_SAID = ("chat", "ask")
"""Commands that only record; they save nothing where ``auto_save`` is off."""
OWN = "unabridged"
"""The source of sessions that were begun here."""


def look_into(invocation: Invocation) -> Memory:
    """Open the memory that a call names for a command that only looks: it begins no space.

    Raises:
        As ``open_memory``.
    """
    return open_memory(invocation, begins=False)


def open_memory(invocation: Invocation, *, salvage: bool = False, begins: bool = True) -> Memory:
    """Open the memory that a call names, on the session it names; closed with the call.

    Without a name that is the newest session; where sessions are isolated, whoever says something
    in one that is not there begins it. Where the file is damaged, commands that write set it
    aside and go on with what is whole in it, and say so; commands that read change nothing.

    Args:
        invocation: The call.
        salvage: Whether the command writes.
        begins: Whether a space that is not there is begun; else an empty one stands for it.

    Raises:
        SettingError: A setting cannot be used.
        NameRefusedError: Each model has its own, and none is named.
        NotFoundError: No session is called that.
        StoreError: The store cannot be opened.
    """
    return _begun(
        invocation, _opened(invocation, named(invocation), salvage=salvage, begins=begins)
    )


def named(invocation: Invocation) -> Settings:
    """Read the settings of a call that is about one memory.

    Where each model has its own and none is named, it is the only one that there is.

    Raises:
        SettingError: A setting cannot be used.
        NameRefusedError: There are several: which model would answer now must not decide what is
            looked at, or forgotten.
    """
    settings = invocation.settings()
    if "model" not in settings.isolation or settings.model:
        return settings
    spaces = (info.space for info in Home(settings).spaces() if info.space)
    models = [one.model for one in spaces if one.model and _is_of(one, settings)]
    if len(models) < 2:
        return replace(settings, model="".join(models))
    raise NameRefusedError(
        "Each model has a memory of its own here, and none is named.",
        hint=f"Name one with --model: {', '.join(sorted(models))}.",
    )


def _is_of(space: Space, settings: Settings) -> bool:
    """Whether a space belongs to the user and agent of the settings."""
    fields = (name for name in settings.isolation if name != "model")
    return all(getattr(space, name) == getattr(settings, name) for name in fields)


def _opened(
    invocation: Invocation, settings: Settings, *, salvage: bool = True, begins: bool = True
) -> Memory:
    """Open a memory; it is closed with the call."""
    memory = Memory.open(settings=settings, salvage=salvage, begins=begins)
    invocation.ctx.call_on_close(lambda: _leave(invocation, memory))
    if memory.salvaged is not None:
        for line in salvage_lines(memory.salvaged):
            echo(line, "bad", err=True)
    for note in memory.file_notes:
        echo(note, "bad", err=True)
    return memory


def _begun(invocation: Invocation, memory: Memory) -> Memory:
    """Take up the session that a call names."""
    wanted = invocation.given("session")
    if wanted and invocation.given("new"):
        raise InputError("--new and --session contradict each other.", hint="Keep one of the two.")
    if invocation.given("new"):
        memory.new_session()
    elif wanted and invocation.ctx.info_name in _SAID and memory.settings.recall == "session":
        memory.take_up(str(wanted))
    elif wanted:
        memory.switch(str(wanted))
    return memory


def _leave(invocation: Invocation, memory: Memory) -> None:
    """Close a memory; what a command of its own did is saved, what was only said is told."""
    try:
        if memory.unsaved and invocation.ctx.info_name in _SAID:
            echo(f"Not saved, since auto_save is off: {count(memory.unsaved, 'write')}.", err=True)
        elif memory.unsaved:
            memory.save()
    finally:
        memory.close()


def open_conversation(invocation: Invocation) -> Memory:
    """Open a memory to talk with: as ``open_memory``, but an imported session is not gone on with.

    Whoever has just taken over years of conversations means none of them by a new message. Where
    each model has its own memory and none is named, it is that of the model that answers.
    """
    memory = _begun(invocation, _opened(invocation, invocation.settings()))
    if not invocation.given("session"):
        _own(memory)
    return memory


def open_beside(invocation: Invocation, settings: Settings) -> Memory:
    """Open another memory to talk with, while the first one stays open."""
    memory = _opened(invocation, settings)
    _own(memory)
    return memory


def _own(memory: Memory) -> None:
    """Begin a session where the newest one came from elsewhere."""
    if memory.session and memory.session.source != OWN:
        memory.new_session()


def open_home(invocation: Invocation) -> Home:
    """Open the home folder that a call names."""
    return Home(invocation.settings())


def open_safekeeping(invocation: Invocation, settings: Settings | None = None) -> "Safekeeping":
    """Open the backups of the home that a call names; of one space by the settings given."""
    from unabridged.wiring.safekeeping import Safekeeping  # noqa: PLC0415 - for a few commands

    return Safekeeping(settings or invocation.settings())


def words_from(words: tuple[str, ...]) -> str:
    """Join the words of a command line; a ``-`` among them stands for standard input."""
    texts = [sys.stdin.read().rstrip("\n") if word == "-" else word for word in words]
    between = "\n\n" if "-" in words else " "
    return between.join(texts)
