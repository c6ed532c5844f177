"""Opens what the settings of a call name: a space, or the home with all its spaces."""

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from unabridged.cli.format import count
from unabridged.cli.options import Invocation
from unabridged.cli.output import echo
from unabridged.cli.views.recovery import recovery_lines
from unabridged.domain.exchange import Exchange
from unabridged.domain.scope import SpaceId
from unabridged.domain.session import Session
from unabridged.domain.settings import Settings
from unabridged.errors import InputError, NameRefusedError
from unabridged.factory import open_memory
from unabridged.factory.home import Home
from unabridged.space.space import Space
from unabridged.turn.conversation import Conversation

if TYPE_CHECKING:
    from unabridged.home.backup import Safekeeping

_SAID = ("chat", "ask")
"""Commands that only record; they save nothing where ``auto_save`` is off."""
OWN = "unabridged"
"""The source of sessions that were begun here."""


def look_into(invocation: Invocation) -> Space:
    """Open the space that a call names for a command that only looks: it begins none.

    Raises:
        As ``open_space``.
    """
    return open_space(invocation, create=False)


def open_space(invocation: Invocation, *, recover: bool = False, create: bool = True) -> Space:
    """Open the space that a call names; closed with the call.

    Where the file is damaged, commands that write set it aside and continue with what is whole in
    it, and say so; commands that read change nothing.

    Args:
        invocation: The call.
        recover: Whether the command writes.
        create: Whether a space that is not there is begun; else an empty one represents it.

    Raises:
        SettingError: A setting cannot be used.
        NameRefusedError: Each model has its own, and none is named.
        NotFoundError: No session is called that.
        StoreError: The store cannot be opened.
    """
    space = _opened(invocation, named(invocation), recover=recover, create=create)
    if invocation.given("session"):
        session_named(invocation, space)  # one that is not there is an error for every command
    return space


def session_named(invocation: Invocation, space: Space) -> Session | None:
    """Return the session that a call names; without a name the newest one.

    Raises:
        InputError: A new one is asked for too.
        NotFoundError: No session is called that.
    """
    wanted = invocation.given("session")
    if wanted and invocation.given("new"):
        raise InputError("--new and --session contradict each other.", hint="Keep one of the two.")
    if invocation.given("new"):
        return None
    return space.sessions.find(str(wanted)) if wanted else space.sessions.newest()


def path_named(invocation: Invocation, space: Space, limit: int) -> list[Exchange]:
    """Return the newest exchanges of the session that a call names, oldest first."""
    session = session_named(invocation, space)
    return space.log.history(session.id, limit) if session else []


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


def _is_of(space: SpaceId, settings: Settings) -> bool:
    fields = (name for name in settings.isolation if name != "model")
    return all(getattr(space, name) == getattr(settings, name) for name in fields)


def _opened(
    invocation: Invocation, settings: Settings, *, recover: bool = True, create: bool = True
) -> Space:
    space = open_memory.open_space(settings, recover=recover, create=create)
    invocation.ctx.call_on_close(lambda: _leave(invocation, space))
    if space.recovered is not None:
        for line in recovery_lines(space.recovered):
            echo(line, "bad", err=True)
    for note in space.log.file_notes:
        echo(note, "bad", err=True)
    return space


def _leave(invocation: Invocation, space: Space) -> None:
    try:
        if space.log.unsaved and invocation.ctx.info_name in _SAID:
            unsaved = count(space.log.unsaved, "write")
            echo(f"Not saved, since auto_save is off: {unsaved}.", err=True)
        elif space.log.unsaved:
            space.log.save()
    finally:
        space.close()


def open_conversation(invocation: Invocation) -> Conversation:
    """Open a conversation; without a name it is the newest, but an imported one is not continued.

    Whoever has just imported years of conversations means none of them by a new message. Where
    sessions are isolated, whoever says something in one that is not there begins it. Where each
    model has its own memory and none is named, it is that of the model that answers.
    """
    space = _opened(invocation, invocation.settings())
    wanted = invocation.given("session")
    if wanted and space.settings.recall_scope == "session" and not invocation.given("new"):
        return Conversation(space, str(wanted))
    session = session_named(invocation, space)
    return Conversation(space, session.id) if session and wanted else _own(space, session)


def open_beside(invocation: Invocation, settings: Settings) -> Conversation:
    """Open another space to talk with, while the first one stays open."""
    space = _opened(invocation, settings)
    return _own(space, space.sessions.newest())


def _own(space: Space, session: Session | None) -> Conversation:
    return Conversation(space, session.id if session and session.source == OWN else None)


def open_home(invocation: Invocation) -> Home:
    """Open the home folder that a call names."""
    return Home(invocation.settings())


def open_safekeeping(invocation: Invocation, settings: Settings | None = None) -> "Safekeeping":
    """Open the backups of the home that a call names; of one space by the settings given."""
    from unabridged.home.backup import Safekeeping  # noqa: PLC0415 - for a few commands

    return Safekeeping(settings or invocation.settings())


def words_from(words: tuple[str, ...]) -> str:
    """Join the words of a command line; a ``-`` among them stands for standard input."""
    texts = [sys.stdin.read().rstrip("\n") if word == "-" else word for word in words]
    between = "\n\n" if "-" in words else " "
    return between.join(texts)
