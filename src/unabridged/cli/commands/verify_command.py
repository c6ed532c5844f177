"""``unabridged verify``."""

import click

from unabridged.cli.options import Invocation
from unabridged.cli.parse_space import parse_space
from unabridged.cli.plain_command import plain_command
from unabridged.cli.views.proofs import show_proofs
from unabridged.home.verify import moor, verify


@plain_command("verify", "unabridged verify", "unabridged verify ann/default --json")
@click.argument("space", required=False)
@click.option(
    "--accept",
    is_flag=True,
    help="Accept every space as it is now, after you put back an older file or home yourself.",
)
def command(invocation: Invocation, space: str | None, *, accept: bool) -> None:
    """Check that nothing stored was changed by another program.

    It checks every digest, the chain over all messages, the index, how far the files were when they were used last, and the anchor if one is set, for one SPACE (USER/AGENT) or for all. It reports each mismatch, and then ends with exit code 1.
    """
    settings = invocation.settings()
    chosen = parse_space(space, settings.isolation) if space else None
    show_proofs(invocation, moor(settings) if accept else verify(settings, chosen))
