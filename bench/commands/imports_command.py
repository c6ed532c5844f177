"""``python -m bench imports``."""

import click

from bench.imports import import_benchmark
from bench.report_output import progress_printer, show
from unabridged.cli.options import Invocation
from unabridged.cli.plain_command import plain_command


@plain_command(
    "imports",
    "python -m bench imports",
    "python -m bench imports --kind short --no-maintenance --json",
    options=("json",),
)
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    type=click.Choice(list(import_benchmark.SIZES)),
    help="Import exchanges of this length only; repeatable.",
)
@click.option("--size", type=click.IntRange(1), help="Import this number of exchanges.")
@click.option(
    "--maintenance/--no-maintenance", default=True, help="Measure the work after the import too."
)
def imports_command(
    invocation: Invocation, kinds: tuple[str, ...], size: int | None, *, maintenance: bool
) -> None:
    """Measure the import of a synthetic ChatGPT export, next to a bare baseline.

    It works in temporary folders and removes them.
    """
    report = import_benchmark.run(
        progress=progress_printer(quiet=invocation.json),
        names=kinds or tuple(import_benchmark.SIZES),
        exchanges=size,
        maintain=maintenance,
    )
    show(invocation, report)
