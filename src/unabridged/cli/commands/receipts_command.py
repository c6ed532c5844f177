"""``unabridged receipts``."""

import click

from unabridged.cli.open_from_options import look_into, open_home
from unabridged.cli.options import MEMORY, Invocation
from unabridged.cli.output import echo, echo_lines
from unabridged.cli.paint import Column, table, width
from unabridged.cli.plain_command import plain_command
from unabridged.cli.views.forgetting import receipt_lines, receipt_row
from unabridged.errors import NotFoundError

BLIND = "Some forgotten messages are no longer recognised: the key of their digests is missing."
CHANGED = "A receipt was changed after it was written."


@plain_command(
    "receipts", "unabridged receipts", "unabridged receipts 7K2QMD --json", options=MEMORY
)
@click.argument("which", required=False)
def command(invocation: Invocation, which: str | None) -> None:
    """List the receipts of what was forgotten.

    With WHICH, show one receipt: its id, or the beginning or end of it. Receipts of whole spaces are in the folder logs/receipts of the home; they are listed too.
    """
    space = look_into(invocation)
    own = space.forgetting.receipts()
    receipts = sorted([*own, *open_home(invocation).receipts()], key=lambda one: (one.at, one.id))
    if which:
        receipts = [r for r in receipts if r.id.startswith(which) or r.id.endswith(which)]
        if len(receipts) != 1:
            raise NotFoundError(
                f"There is no receipt {which!r}.", hint="List them: unabridged receipts"
            )
    genuine = {r.id: space.forgetting.is_genuine(r) for r in receipts}
    if invocation.json:
        invocation.emit([{"receipt": r, "genuine": genuine[r.id]} for r in receipts])
        return
    if not receipts:
        echo("Nothing was forgotten yet.", "dim")
    elif which:
        echo_lines(receipt_lines(receipts[0]))
    else:
        columns = [Column("receipt"), Column("when"), Column("what"), Column("", flexible=True)]
        rows = [receipt_row(receipt) for receipt in receipts]
        echo_lines(table([*columns, Column("", style="dim")], rows, width()))
    if any(said is False for said in genuine.values()):
        echo(CHANGED, "bad", err=True)
    if space.forgetting.keys_missing:
        echo(BLIND, "warn", err=True)
