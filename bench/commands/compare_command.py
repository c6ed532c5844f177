"""``python -m bench compare``."""

import click

from bench.core import checkout_comparison
from bench.report_output import progress_printer, show
from unabridged.cli.options import Invocation
from unabridged.cli.plain_command import plain_command


@plain_command(
    "compare",
    "python -m bench compare --folder ../before 'python -m bench core --json'",
    options=("json",),
)
@click.argument("command")
@click.option("--folder", required=True, metavar="FOLDER", help="The other checkout.")
@click.option("--baseline", metavar="COMMAND", help="Its command; by default the same one.")
@click.option(
    "--runs",
    type=click.IntRange(1),
    default=checkout_comparison.RUNS,
    show_default=True,
    help="Runs of each command, in turn.",
)
def compare_command(
    invocation: Invocation, command: str, folder: str, baseline: str | None, runs: int
) -> None:
    """Compare the figures of COMMAND with those of another checkout.

    COMMAND prints a report as JSON. Each figure is the median of its runs; ratio is that of this checkout
    divided by the other.
    """
    report = checkout_comparison.run(
        command,
        baseline or command,
        folder,
        runs=runs,
        progress=progress_printer(quiet=invocation.json),
    )
    show(invocation, report)
