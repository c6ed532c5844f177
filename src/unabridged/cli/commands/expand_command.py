"""``unabridged expand``."""

import click

from unabridged.cli.open_from_options import look_into
from unabridged.cli.options import MEMORY, Invocation
from unabridged.cli.output import echo, echo_lines, exchange_data, plain
from unabridged.cli.plain_command import plain_command
from unabridged.cli.views.condensations import condensation_lines, expanded_lines


@plain_command("expand", "unabridged expand", "unabridged expand c-3f09", options=MEMORY)
@click.argument("wanted", required=False, metavar="[ID]")
@click.option(
    "--limit",
    type=click.IntRange(1),
    default=20,
    show_default=True,
    metavar="N",
    help="List at most N.",
)
def command(invocation: Invocation, wanted: str | None, limit: int) -> None:
    """Show the originals behind a condensation.

    ID is a condensation's id or the beginning of one. Without it, list the newest condensations.
    """
    condensations = look_into(invocation).condensations
    if wanted:
        found = condensations.expand(wanted)
        if invocation.json:
            data = [exchange_data(exchange) for exchange in found.exchanges]
            invocation.emit({**plain(found), "exchanges": data})
            return
        echo_lines(expanded_lines(found))
        return
    held = condensations.condensations()
    if invocation.json:
        invocation.emit(held[-limit:])
        return
    if not held:
        echo("Nothing is condensed yet. Show what would be: unabridged condense --test", "dim")
    echo_lines(condensation_lines(held[-limit:]))
    if len(held) > limit:
        echo(f"… and {len(held) - limit:,} older: --limit {len(held)}", "dim")
