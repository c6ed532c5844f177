"""Opens the space or the home of a call."""

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from unabridged.cli.format import count
from unabridged.cli.options import Invocation
from unabridged.cli.output import echo
from unabridged.errors import InputError, NameRefusedError

if TYPE_CHECKING:
    from unabridged.domain.scope import SpaceId
    from unabridged.domain.session import Session
    from unabridged.domain.settings import Settings
    from unabridged.factory.home import Home
    from unabridged.home.backup import Safekeeping
    from unabridged.space.space import Space
    from unabridged.turn.conversation import Conversation

_SAID = ("chat", "ask")
"""Commands that only record; they do not save if ``auto_save`` is off."""
OWN = "unabridged"
"""The source of sessions that began in this program."""


def look_into(invocation: Invocation) -> "Space":
    """Open the space of a call for reading; create none.

    Raises:
        As ``open_space``.
    """
    return open_space(invocation, create=False)


def open_space(invocation: Invocation, *, recover: bool = False, create: bool = True) -> "Space":
    """Open the space of a call; it is closed with the call.

    If the file is damaged, commands that write set it aside, continue with what is intact, and
    report it; commands that read change nothing.

    Args:
        invocation: The call.
        recover: Whether the command writes.
        create: Whether to create a missing space; otherwise an empty one represents it.

    Raises:
        SettingError: A setting is not valid.
        NameRefusedError: Each model has its own memory, and none is named.
        NotFoundError: There is no such session.
        StoreError: The store cannot be opened.
    """
    space = _opened(invocation, named(invocation), recover=recover, create=create)
    if invocation.given("session"):
        session_named(invocation, space)  # an unknown one is an error for every command
    return space


def session_named(invocation: Invocation, space: "Space") -> "Session | None":
    """Return the session of a call; the newest one if none is named.

    Raises:
        InputError: A new session is requested too.
        NotFoundError: There is no such session.
    """
    wanted = invocation.given("session")
    if wanted and invocation.given("new"):
        raise InputError("--new and --session exclude each other.", hint="Remove one of them.")
    if invocation.given("new"):
        return None
    return space.sessions.find(str(wanted)) if wanted else space.sessions.newest()


def named(invocation: Invocation) -> "Settings":
    """Read the settings of a call for one memory.

    If each model has its own memory and none is named, use the only one if there is just one.

    Raises:
        SettingError: A setting is not valid.
        NameRefusedError: There are several; the model that answers now must not decide which one
            is shown or forgotten.
    """
    from unabridged.factory.home import Home  # noqa: PLC0415 - slow, and help needs none of it

    settings = invocation.settings()
    if "model" not in settings.isolation or settings.model:
        return settings
    spaces = (info.space for info in Home(settings).spaces() if info.space)
    models = [one.model for one in spaces if one.model and _is_of(one, settings)]
    if len(models) < 2:
        return replace(settings, model="".join(models))
    raise NameRefusedError(
        "Each model has its own memory here, and none is named.",
        hint=f"Name one with --model: {', '.join(sorted(models))}.",
    )


def _is_of(space: "SpaceId", settings: "Settings") -> bool:
    fields = (name for name in settings.isolation if name != "model")
    return all(getattr(space, name) == getattr(settings, name) for name in fields)


def _opened(
    invocation: Invocation, settings: "Settings", *, recover: bool = True, create: bool = True
) -> "Space":
    from unabridged.cli.views.recovery import recovery_lines  # noqa: PLC0415 - as below
    from unabridged.factory import open_memory  # noqa: PLC0415 - slow, and help needs none of it

    space = open_memory.open_space(settings, recover=recover, create=create)
    invocation.ctx.call_on_close(lambda: _leave(invocation, space))
    if space.recovered is not None:
        for line in recovery_lines(space.recovered):
            echo(line, "bad", err=True)
    for note in space.log.file_notes:
        echo(note, "bad", err=True)
    return space


def _leave(invocation: Invocation, space: "Space") -> None:
    try:
        if space.log.unsaved and invocation.ctx.info_name in _SAID:
            unsaved = count(space.log.unsaved, "write")
            echo(f"Not saved because auto_save is off: {unsaved}.", err=True)
        elif space.log.unsaved:
            space.log.save()
    finally:
        space.close()


def open_conversation(invocation: Invocation) -> "Conversation":
    """Open the conversation of a call, else the newest one of this program.

    An imported session continues only if it is named. If sessions are isolated, an unknown name
    begins a session. If each model has its own memory and none is named, the answering model's
    memory is used.
    """
    from unabridged.turn.conversation import Conversation  # noqa: PLC0415 - as above

    space = _opened(invocation, invocation.settings())
    wanted = invocation.given("session")
    if wanted and space.settings.recall_scope == "session" and not invocation.given("new"):
        return Conversation(space, str(wanted))
    session = session_named(invocation, space)
    return Conversation(space, session.id) if session and wanted else _own(space, session)


def open_beside(invocation: Invocation, settings: "Settings") -> "Conversation":
    """Open another space to chat with, while the first one stays open."""
    space = _opened(invocation, settings)
    return _own(space, space.sessions.newest())


def _own(space: "Space", session: "Session | None") -> "Conversation":
    from unabridged.turn.conversation import Conversation  # noqa: PLC0415 - as above

    return Conversation(space, session.id if session and session.source == OWN else None)


def open_home(invocation: Invocation) -> "Home":
    """Open the home folder of a call."""
    from unabridged.factory.home import Home  # noqa: PLC0415 - slow, and help needs none of it

    return Home(invocation.settings())


def open_safekeeping(invocation: Invocation, settings: "Settings | None" = None) -> "Safekeeping":
    """Open the backups of a call's home, with other settings if given."""
    from unabridged.home.backup import Safekeeping  # noqa: PLC0415 - as above

    return Safekeeping(settings or invocation.settings())


def words_from(words: tuple[str, ...]) -> str:
    """Join the words of a command line; ``-`` is replaced by standard input."""
    texts = [sys.stdin.read().rstrip("\n") if word == "-" else word for word in words]
    between = "\n\n" if "-" in words else " "
    return between.join(texts)
