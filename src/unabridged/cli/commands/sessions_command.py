"""``unabridged sessions``."""

import click

from unabridged.cli.format import count
from unabridged.cli.open_from_options import look_into, session_named
from unabridged.cli.options import MEMORY, Invocation
from unabridged.cli.other_profiles import under_profiles
from unabridged.cli.output import echo, echo_lines
from unabridged.cli.plain_command import plain_command
from unabridged.cli.views.lists import session_lines


@plain_command("sessions", "unabridged sessions", "unabridged chat --session 2", options=MEMORY)
@click.option(
    "--limit",
    type=click.IntRange(1),
    default=20,
    show_default=True,
    metavar="N",
    help="Show at most N.",
)
@click.option("--archived", is_flag=True, help="List the archived sessions instead.")
def command(invocation: Invocation, limit: int, *, archived: bool) -> None:
    """List the sessions, newest first.

    --session and /switch take the number before a session. Archived sessions (`unabridged archive`) are searched like any other, and become active again when you chat in them. → is the space that a session was handed off to.
    """
    space = look_into(invocation)
    current = session_named(invocation, space)
    numbered, handed = (
        list(enumerate(space.sessions.summaries(current.id if current else None), 1)),
        space.sharing.handed_off(),
    )
    away = sum(line.session.archived is not None for _, line in numbered)
    lines = [one for one in numbered if (one[1].session.archived is not None) is archived]
    if invocation.json:
        data = [
            {
                "number": number,
                "exchanges": line.exchanges,
                "session": line.session,
                "handed_to": [space.name for space in handed.get(line.session.id, ())],
            }
            for number, line in lines[:limit]
        ]
        invocation.emit(data)
        return
    if not numbered:
        echo("There is no session yet. Begin one: unabridged chat", "dim")
        if apart := under_profiles(invocation.settings()):
            echo(apart, "dim")
        return
    echo_lines(session_lines(lines[:limit], handed))
    if any(line.current for _, line in lines[:limit]):
        echo("● `unabridged chat` continues it", "dim")
    if len(lines) > limit:
        echo(f"… and {len(lines) - limit:,} more: --limit {len(lines)}", "dim")
    if away and not archived:
        echo(f"… and {count(away, 'session')} archived: --archived", "dim")
