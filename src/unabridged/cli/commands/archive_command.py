"""``unabridged archive``."""

import click

from unabridged.cli.format import count, size
from unabridged.cli.open_from_options import open_space, session_named
from unabridged.cli.options import MEMORY, Invocation, common, example, invoked
from unabridged.cli.output import echo
from unabridged.domain.session import Session
from unabridged.errors import InputError
from unabridged.space.space import Space


@click.group(
    "archive",
    invoke_without_command=True,
    epilog=example(
        "unabridged archive --session 7",
        "UNABRIDGED_MAX_SESSIONS=10 UNABRIDGED_MAX_BYTES=1000000 unabridged archive",
        "unabridged archive restore 7",
    ),
)
@common(*MEMORY, "session")
@click.pass_context
def command(ctx: click.Context) -> None:
    """Archive sessions: compressed, still searched, never deleted.

    Without --session those that the settings max_sessions and max_bytes leave no room for, the oldest first; this also happens by itself after talking. `unabridged sessions --archived` lists them, and talking in one (--session) takes it up again.
    """
    if ctx.invoked_subcommand is None:
        _archive(Invocation(ctx))


def _archive(invocation: Invocation) -> None:
    space = open_space(invocation)
    if invocation.given("session"):
        chosen = session_named(invocation, space)
        wanted = [chosen] if chosen is not None else []
    else:
        settings = invocation.settings()
        if settings.max_sessions is None and settings.max_bytes is None:
            raise InputError(
                "No limit is set, so nothing is to be archived.",
                hint="Name a session with --session, or set max_sessions or max_bytes.",
            )
        wanted = space.sessions.archives.due()
    done = [session for session in wanted if space.sessions.archives.archive(session)]
    _tell(invocation, space, done, "archived")


@command.command("restore", epilog=example("unabridged archive restore 7"))
@click.argument("session")
@common(*MEMORY)
@invoked
def restore_command(invocation: Invocation, session: str) -> None:
    """Take an archived session up again, by its id, title or number in `sessions`."""
    space = open_space(invocation)
    chosen = space.sessions.find(session)
    done = [chosen] if space.sessions.archives.restore(chosen) else []
    _tell(invocation, space, done, "active again")


def _tell(invocation: Invocation, space: Space, done: list[Session], what: str) -> None:
    use = space.sessions.archives.use()
    if invocation.json:
        invocation.emit({"sessions": [session.id for session in done], "use": use})
        return
    for session in done:
        echo(f"{session.title or session.id} is {what}.")
    if not done:
        echo("Nothing was to be done.", "dim")
    active = count(use.sessions, "session")
    echo(f"{active} active ({size(use.bytes)}), {use.archived:,} archived.", "dim")
