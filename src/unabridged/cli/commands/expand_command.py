"""``unabridged expand``."""

import click

from unabridged.cli.open_from_options import look_into
from unabridged.cli.options import MEMORY, Invocation, common, example, invoked
from unabridged.cli.output import echo, echo_lines, exchange_data, plain
from unabridged.cli.views.condensations import condensation_lines, expanded_lines


@click.command("expand", epilog=example("unabridged expand", "unabridged expand c-3f09"))
@click.argument("wanted", required=False, metavar="[ID]")
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True, help="To list.")
@common(*MEMORY)
@invoked
def command(invocation: Invocation, wanted: str | None, limit: int) -> None:
    """Open a condensation: the exact originals.

    ID is a condensation's id or the beginning of one. Without it, the newest are listed.
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
        echo("Nothing is condensed yet; `unabridged condense --test` shows what would be.", "dim")
    echo_lines(condensation_lines(held[-limit:]))
    if len(held) > limit:
        echo(f"… and {len(held) - limit:,} older: --limit {len(held)}", "dim")
