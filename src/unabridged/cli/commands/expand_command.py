"""``unabridged expand``."""

import click

from unabridged.cli.operation_command import performed
from unabridged.cli.options import MEMORY, Invocation
from unabridged.cli.output import echo
from unabridged.cli.plain_command import plain_command
from unabridged.cli.views.condensations import condensation_lines, expanded_lines


@plain_command(
    "expand",
    "unabridged expand",
    "unabridged expand c-3f09",
    options=MEMORY,
    operation="condensations.list",
    limit=20,
)
@click.argument("wanted", required=False, metavar="[ID]")
def command(invocation: Invocation, wanted: str | None, limit: int) -> None:
    """Show the originals behind a condensation.

    ID is a condensation's id or the beginning of one. Without it, list the newest condensations.
    """
    if wanted:
        found, _ = performed(invocation, "condensations.expand", condensation=wanted)
        invocation.answer(found, *expanded_lines(found))
        return
    held, _ = performed(invocation, "condensations.list")
    newest = sorted(held, key=lambda one: (one.since, one.until, one.id))[-limit:]
    invocation.answer(
        newest,
        *condensation_lines(newest),
        empty="Nothing is condensed yet. Show what would be: unabridged condense --test",
    )
    if len(held) > limit and not invocation.json:
        echo(f"… and {len(held) - limit:,} older: --limit {len(held)}", "dim")
