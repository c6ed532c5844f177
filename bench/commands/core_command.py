"""``python -m bench core``."""

from typing import Any

import click

from bench.core import core_benchmark
from bench.report_output import progress_printer, show
from unabridged.cli.options import Invocation
from unabridged.cli.plain_command import plain_command


@plain_command(
    "core",
    "python -m bench core --size 100 --size 10000",
    "python -m bench core --data ../shared/data/longmemeval --json > figures.json",
    options=("json",),
)
@click.option(
    "--size",
    "sizes",
    multiple=True,
    type=click.IntRange(1),
    help="Measure at this number of stored exchanges; repeatable.",
)
@click.option(
    "--data", metavar="FOLDER", help="LongMemEval's questions and sessions, to measure coverage."
)
def core_command(invocation: Invocation, sizes: tuple[int, ...], data: str | None) -> None:
    """Measure storing, preparing and counting, next to a bare baseline.

    It works in temporary folders and removes them.
    """
    chosen: dict[str, Any] = {"sizes": sizes} if sizes else {}
    show(
        invocation,
        core_benchmark.run(progress=progress_printer(quiet=invocation.json), data=data, **chosen),
    )
