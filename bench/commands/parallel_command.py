"""``python -m bench parallel``."""

from typing import Any

import click

from bench.core import parallel_reads
from bench.report_output import INTERRUPTED, progress_printer, show
from unabridged.cli.options import Invocation
from unabridged.cli.output import echo
from unabridged.cli.plain_command import plain_command


@plain_command(
    "parallel",
    "python -m bench parallel",
    "python -m bench parallel --size 1000 --threads 1 --threads 4",
    options=("json",),
)
@click.option(
    "--size",
    type=click.IntRange(1),
    default=parallel_reads.SIZE,
    show_default=True,
    help="Stored exchanges.",
)
@click.option(
    "--threads",
    multiple=True,
    type=click.IntRange(1, 64),
    default=parallel_reads.THREADS,
    show_default=True,
    help="Number of threads that read; repeatable.",
)
def parallel_command(invocation: Invocation, size: int, threads: tuple[int, ...]) -> None:
    """Measure reads of one memory by several threads, also while another thread writes.

    Searches and prepared contexts per second, and what each takes. It works in a folder that it
    removes. If interrupted, it shows the figures so far.
    """
    given: dict[str, Any] = {"size": size, "threads": threads}
    report = parallel_reads.run(progress=progress_printer(quiet=invocation.json), **given)
    show(invocation, report)
    if "interrupted" in report.machine:
        echo("Interrupted. These are the figures so far.", "warn", err=True)
        raise click.exceptions.Exit(INTERRUPTED)
