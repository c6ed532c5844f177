"""``unabridged sessions``."""

from typing import Any

import click

from unabridged.cli.format import count
from unabridged.cli.operation_command import performed
from unabridged.cli.options import MEMORY, Invocation
from unabridged.cli.other_profiles import under_profiles
from unabridged.cli.output import echo, echo_lines
from unabridged.cli.plain_command import plain_command
from unabridged.cli.views.lists import session_lines


@plain_command(
    "sessions",
    "unabridged sessions",
    "unabridged chat --session 2",
    options=MEMORY,
    operation="sessions.list",
    hidden=("called",),
    limit=20,
)
@click.option("--archived", is_flag=True, help="List the archived sessions instead.")
def command(invocation: Invocation, *, archived: bool, **given: Any) -> None:
    """List the sessions, newest first.

    --session and /switch take the number before a session. Archived sessions (`unabridged archive`) are searched like any other, and become active again when you chat in them. → is the space that a session was handed off to.
    """
    shown, call = performed(invocation, "sessions.list", archived=archived, **given)
    if invocation.json:
        invocation.emit(shown)
        return
    held = call.space.sessions.all()
    if not held:
        echo("There is no session yet. Begin one: unabridged chat", "dim")
        if apart := under_profiles(invocation.settings()):
            echo(apart, "dim")
        return
    current, away = held[0].id, sum(session.archived is not None for session in held)
    echo_lines(session_lines(shown, current))
    if any(session.id == current for session in shown):
        echo("● `unabridged chat` continues it", "dim")
    every = away if archived else len(held) - away
    if every > len(shown):
        echo(f"… and {every - len(shown):,} more: --limit {every}", "dim")
    if away and not archived:
        echo(f"… and {count(away, 'session')} archived: --archived", "dim")
