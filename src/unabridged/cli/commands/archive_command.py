"""``unabridged archive``."""

import click

from unabridged.cli.format import count, size
from unabridged.cli.open_from_options import open_space, session_named
from unabridged.cli.options import MEMORY, Invocation
from unabridged.cli.output import echo
from unabridged.cli.plain_command import plain_command
from unabridged.cli.terminal_text import one_line
from unabridged.domain.session import Session
from unabridged.errors import InputError
from unabridged.space.space import Space


@plain_command(
    "archive",
    "unabridged archive --session 7",
    "unabridged archive --restore 7",
    "UNABRIDGED_MAX_SESSIONS=10 unabridged archive",
    options=(*MEMORY, "only_session"),
)
@click.option(
    "--restore", metavar="WHICH", help="Make this session active again: id, title or number."
)
def command(invocation: Invocation, restore: str | None) -> None:
    """Archive sessions: compressed, still searchable.

    Nothing is deleted. Without --session, archive the oldest sessions above the settings max_sessions and max_bytes; this also happens by itself after a chat. `unabridged sessions --archived` lists them, and chatting in one makes it active again.
    """
    space = open_space(invocation)
    archives = space.sessions.archives
    if restore is not None:
        found = space.sessions.find(restore)
        _tell(invocation, space, [found] if archives.restore(found) else [], "Restored")
        return
    if invocation.given("session"):
        chosen = session_named(invocation, space)
        wanted = [chosen] if chosen is not None else []
    else:
        settings = invocation.settings()
        if settings.max_sessions is None and settings.max_bytes is None:
            raise InputError(
                "No session is named, and no limit is set.",
                hint="Name a session with --session, or set max_sessions or max_bytes.",
            )
        wanted = archives.due()
    done = [session for session in wanted if archives.archive(session)]
    _tell(invocation, space, done, "Archived")


def _tell(invocation: Invocation, space: Space, done: list[Session], what: str) -> None:
    use = space.sessions.archives.use()
    if invocation.json:
        invocation.emit({"sessions": [session.id for session in done], "use": use})
        return
    for session in done:
        echo(f"{what}: {one_line(session.title or session.id)}")
    if not done:
        echo("Nothing to do.", "dim")
    active = count(use.sessions, "session")
    echo(f"{active} active ({size(use.bytes)}), {use.archived:,} archived.", "dim")
