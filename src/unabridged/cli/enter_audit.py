"""Enters commands that run no operation in the audit log."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from unabridged.cli.options import Invocation
from unabridged.cli.output import echo
from unabridged.errors import UnabridgedError

if TYPE_CHECKING:
    from unabridged.domain.scope import SpaceId

OF_SPACE = frozenset(
    {
        "export",
        "import",
        "requirements.export",
        "requirements.import",
        "shares.add",
        "backups.create",
    }
)
"""Acts on the space of the options, but with ``--all``; the others are on the home."""


@contextmanager
def entered(invocation: Invocation, what: str, given: Mapping[str, Any]) -> Iterator[None]:
    """Enter a command once it ends; nothing of it if it only shows what it would do.

    Args:
        invocation: The call; its ``count`` says how many items it reached.
        what: The act, named as operations are.
        given: The options of the command.
    """
    if not what or given.get("dry_run") or given.get("listed"):
        yield
        return
    done = False
    try:
        yield
        done = True
    except click.exceptions.Exit:  # it is done; a part of it may be reported as unreadable
        done = True
        raise
    finally:
        enter(invocation, what, _space_of(invocation, what, given), done=done)


def enter(invocation: Invocation, what: str, space: "SpaceId | None", *, done: bool) -> None:
    """Enter an act of this command; a log that cannot be written is a warning."""
    from unabridged.clock import SystemClock  # noqa: PLC0415 - slow, and help needs none of it
    from unabridged.domain.audit import LOCAL, Audit, Outcome  # noqa: PLC0415 - as above
    from unabridged.home.audit_log import AuditLog  # noqa: PLC0415 - as above

    try:
        settings = invocation.settings()
        if not Path(settings.home).is_dir():
            return
        log = AuditLog(settings, SystemClock())
    except UnabridgedError:
        return  # the command has reported it
    log.warn = lambda said: echo(said, "warn", err=True)
    outcome = Outcome.DONE if done else Outcome.FAILED
    log.note(Audit.ACTS, LOCAL, what, space, outcome=outcome, count=invocation.count)


def _space_of(invocation: Invocation, what: str, given: Mapping[str, Any]) -> "SpaceId | None":
    from unabridged.domain.scope import Scope  # noqa: PLC0415 - as above
    from unabridged.home.open_spaces import space_from  # noqa: PLC0415 - as above

    if what not in OF_SPACE or given.get("everything"):
        return None
    try:
        settings = invocation.settings()
        return space_from(Scope(settings.user, settings.agent, settings.model or None), settings)
    except UnabridgedError:
        return None  # each model has its memory, and none is named
