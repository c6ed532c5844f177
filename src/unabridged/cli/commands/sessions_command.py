"""``unabridged sessions``."""

import click

from unabridged.cli.lists import session_lines
from unabridged.cli.opening import open_memory
from unabridged.cli.options import MEMORY, Invocation, common, example, invoked
from unabridged.cli.output import echo, echo_lines


@click.command("sessions", epilog=example("unabridged sessions", "unabridged chat --session 2"))
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True)
@common(*MEMORY)
@invoked
def command(invocation: Invocation, limit: int) -> None:
    """List the sessions, the newest first.

    The number before a session names it for --session and /switch.
    """
    lines = open_memory(invocation).sessions()
    if invocation.json:
        data = [
            {"number": number, "exchanges": line.exchanges, "session": line.session}
            for number, line in enumerate(lines[:limit], 1)
        ]
        invocation.emit(data)
        return
    if not lines:
        echo("There is no session yet; `unabridged chat` begins one.", "dim")
    echo_lines(session_lines(lines[:limit]))
    if len(lines) > limit:
        echo(f"… and {len(lines) - limit:,} more: --limit {len(lines)}", "dim")
