"""``python -m bench scale``."""

from typing import Any

import click

from bench.report_output import INTERRUPTED, progress_printer, show
from bench.scale import scale_benchmark
from unabridged.cli.options import Invocation
from unabridged.cli.output import echo
from unabridged.cli.plain_command import plain_command


@plain_command(
    "scale",
    "python -m bench scale --size 10000 --size 100000",
    "python -m bench scale --json > scale.json",
    options=("json",),
)
@click.option(
    "--size",
    "sizes",
    multiple=True,
    type=click.IntRange(100),
    help="Measure at this number of stored exchanges; repeatable.",
)
def scale_command(invocation: Invocation, sizes: tuple[int, ...]) -> None:
    """Measure search, prepare, record, import and memory in large stores, on one core.

    Without --size at 10,000, 100,000 and 1,000,000 exchanges as long as LoCoMo's, which takes some
    minutes and 2 GB in the folder for temporary files. If interrupted, it shows the figures so far.
    """
    chosen: dict[str, Any] = {"sizes": sizes} if sizes else {}
    report = scale_benchmark.run(progress=progress_printer(quiet=invocation.json), **chosen)
    show(invocation, report)
    if "interrupted" in report.machine:
        echo("Interrupted. These are the figures so far.", "warn", err=True)
        raise click.exceptions.Exit(INTERRUPTED)
