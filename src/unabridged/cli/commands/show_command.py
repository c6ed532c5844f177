"""``unabridged show``."""

import click

from unabridged.cli.open_from_options import look_into, path_named
from unabridged.cli.options import MEMORY, Invocation
from unabridged.cli.output import echo, echo_lines, exchange_data
from unabridged.cli.plain_command import plain_command
from unabridged.cli.views.exchanges import exchange_lines


@plain_command(
    "show", "unabridged show 01KAJ3", "unabridged show --session 2", options=(*MEMORY, "session")
)
@click.argument("wanted", required=False, metavar="[ID]")
@click.option(
    "--limit",
    type=click.IntRange(1),
    default=50,
    show_default=True,
    metavar="N",
    help="Show the newest N exchanges.",
)
def command(invocation: Invocation, wanted: str | None, limit: int) -> None:
    """Show an exchange or a whole session, word for word.

    ID is an exchange's id, or the beginning or end of one. Without it, the newest session is shown, or the one of --session.
    """
    space = look_into(invocation)
    exchanges = [space.log.get(wanted)] if wanted else path_named(invocation, space, limit)
    if invocation.json:
        data = [exchange_data(exchange) for exchange in exchanges]
        invocation.emit(data[0] if wanted else data)
        return
    if not exchanges:
        echo("There is no exchange yet. Begin one: unabridged chat", "dim")
    for exchange in exchanges:
        echo_lines(exchange_lines(exchange))
    handed = space.sharing.handed_off().get(exchanges[-1].session, ()) if exchanges else ()
    for other in handed:
        echo(f"Handed off to {other.name}, which continues it.", "dim")
