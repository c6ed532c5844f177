"""``unabridged receipts``."""

import click

from unabridged.cli.open_from_options import look_into, open_home
from unabridged.cli.options import MEMORY, Invocation, common, example, invoked
from unabridged.cli.output import echo, echo_lines
from unabridged.cli.paint import Column, table, width
from unabridged.cli.views.forgetting import receipt_lines, receipt_row
from unabridged.errors import NotFoundError

BLIND = "Some of what was forgotten is not recognised any more: the key of its digests is gone."
CHANGED = "This receipt is not what was written."


@click.command(
    "receipts", epilog=example("unabridged receipts", "unabridged receipts 7K2QMD --json")
)
@click.argument("which", required=False)
@common(*MEMORY)
@invoked
def command(invocation: Invocation, which: str | None) -> None:
    """List the receipts for what was forgotten, or show one of them.

    Of a whole space that was forgotten the receipt lies in the home's folder `logs/receipts`; it is
    listed too. WHICH is a receipt's id, or the beginning or end of it.
    """
    space = look_into(invocation)
    own = space.forgetting.receipts()
    receipts = sorted([*own, *open_home(invocation).receipts()], key=lambda one: (one.at, one.id))
    if which:
        receipts = [r for r in receipts if r.id.startswith(which) or r.id.endswith(which)]
        if len(receipts) != 1:
            raise NotFoundError(f"No receipt is called {which!r}.", hint="unabridged receipts")
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
