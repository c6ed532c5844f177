"""``unabridged show``."""

import click

from unabridged.cli.operation_command import performed
from unabridged.cli.options import MEMORY, Invocation
from unabridged.cli.output import echo, echo_lines
from unabridged.cli.plain_command import plain_command
from unabridged.cli.views.exchanges import exchange_lines


@plain_command(
    "show",
    "unabridged show 01KAJ3",
    "unabridged show --session 2",
    options=(*MEMORY, "session"),
    operation="sessions.exchanges",
    hidden=("session",),
    limit=50,
)
@click.argument("wanted", required=False, metavar="[ID]")
def command(invocation: Invocation, wanted: str | None, limit: int) -> None:
    """Show an exchange or a whole session, word for word.

    ID is an exchange's id, or the beginning or end of one. Without it, the newest exchanges of the newest session are shown, or of that of --session.
    """
    if wanted:
        found, call = performed(invocation, "exchanges.get", exchange=wanted)
        shown = [found]
    else:
        newest, call = performed(invocation, "sessions.exchanges", limit=limit)
        found = shown = newest[::-1]
    if invocation.json:
        invocation.emit(found)
        return
    if not shown:
        echo("There is no exchange yet. Begin one: unabridged chat", "dim")
    for exchange in shown:
        echo_lines(exchange_lines(exchange))
    handed = call.space.sharing.handed_off().get(shown[-1].session, ()) if shown else ()
    for other in handed:
        echo(f"Handed off to {other.name}, which continues it.", "dim")
