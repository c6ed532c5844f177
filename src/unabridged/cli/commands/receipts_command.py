"""``unabridged receipts``."""

import click

from unabridged.cli.operation_command import performed
from unabridged.cli.options import MEMORY, Invocation
from unabridged.cli.output import echo
from unabridged.cli.plain_command import plain_command
from unabridged.cli.views.forgetting import receipt_lines, receipts_lines

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
    if which:
        receipt, call = performed(invocation, "receipts.get", receipt=which)
        invocation.answer(receipt, *receipt_lines(receipt))
        found = [receipt]
    else:
        found, call = performed(invocation, "receipts.list")
        invocation.answer(found, *receipts_lines(found), empty="Nothing was forgotten yet.")
    if invocation.json:
        return
    if any(receipt.genuine is False for receipt in found):
        echo(CHANGED, "bad", err=True)
    if call.space.forgetting.keys_missing:
        echo(BLIND, "warn", err=True)
