"""Opens what the settings of a call name: a memory, or the home with all its spaces."""

import sys
from typing import TYPE_CHECKING

from unabridged.cli.options import Invocation
from unabridged.cli.output import echo
from unabridged.cli.salvaged import salvage_lines
from unabridged.cli.words import count
from unabridged.errors import InputError
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
        NotFoundError: No session is called that.
        StoreError: The store cannot be opened.
    """
    memory = Memory.open(settings=invocation.settings(), salvage=salvage, begins=begins)
    invocation.ctx.call_on_close(lambda: _leave(invocation, memory))
    if memory.salvaged is not None:
        for line in salvage_lines(memory.salvaged):
            echo(line, "bad", err=True)
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

    Whoever has just taken over years of conversations means none of them by a new message.
    """
    memory = open_memory(invocation, salvage=True)
    session = memory.session
    if session and session.source != OWN and not invocation.given("session"):
        memory.new_session()
    return memory


def open_home(invocation: Invocation) -> Home:
    """Open the home folder that a call names."""
    return Home(invocation.settings())


def open_safekeeping(invocation: Invocation) -> "Safekeeping":
    """Open the backups of the home that a call names."""
    from unabridged.wiring.safekeeping import Safekeeping  # noqa: PLC0415 - for a few commands

    return Safekeeping(invocation.settings())


def words_from(words: tuple[str, ...]) -> str:
    """Join the words of a command line; a ``-`` among them stands for standard input."""
    texts = [sys.stdin.read().rstrip("\n") if word == "-" else word for word in words]
    between = "\n\n" if "-" in words else " "
    return between.join(texts)
