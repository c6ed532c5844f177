"""``unabridged sessions``."""

import click

from unabridged.cli.format import count
from unabridged.cli.open_from_options import look_into, session_named
from unabridged.cli.options import MEMORY, Invocation, common, example, invoked
from unabridged.cli.other_profiles import under_profiles
from unabridged.cli.output import echo, echo_lines
from unabridged.cli.views.lists import session_lines


@click.command("sessions", epilog=example("unabridged sessions", "unabridged chat --session 2"))
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True)
@click.option(
    "--archived", is_flag=True, help="Those that were archived; else those that are active."
)
@common(*MEMORY)
@invoked
def command(invocation: Invocation, limit: int, *, archived: bool) -> None:
    """List the sessions, the newest first.

    The number before a session names it for --session and /switch. Archived sessions (see `unabridged archive`) are searched as any other, and taken up again by talking in them. → names the space that a session was handed off to.
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
        echo("There is no session yet; `unabridged chat` begins one.", "dim")
        if apart := under_profiles(invocation.settings()):
            echo(apart, "dim")
        return
    echo_lines(session_lines(lines[:limit], handed))
    if len(lines) > limit:
        echo(f"… and {len(lines) - limit:,} more: --limit {len(lines)}", "dim")
    if away and not archived:
        echo(f"… and {count(away, 'session')} archived: --archived", "dim")
