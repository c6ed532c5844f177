"""``unabridged stats``."""

import click

from unabridged.cli.lists import stats_lines
from unabridged.cli.opening import open_memory
from unabridged.cli.options import MEMORY, Invocation, common, example, invoked
from unabridged.cli.output import echo_lines


@click.command("stats", epilog=example("unabridged stats", "unabridged stats --json --user ann"))
@common(*MEMORY)
@invoked
def command(invocation: Invocation) -> None:
    """Say how much the memory holds."""
    stats = open_memory(invocation).stats()
    if invocation.json:
        invocation.emit(stats)
        return
    echo_lines(stats_lines(stats))
