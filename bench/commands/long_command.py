"""``python -m bench long``."""

from typing import Any

import click

from bench.core import long_answers
from bench.report_output import progress_printer, show
from unabridged.cli.options import Invocation
from unabridged.cli.plain_command import plain_command


@plain_command(
    "long", "python -m bench long", "python -m bench long --megabytes 4", options=("json",)
)
@click.option(
    "--megabytes",
    multiple=True,
    type=click.IntRange(1, 200),
    default=long_answers.MEGABYTES,
    show_default=True,
    help="Size of the answer; repeatable.",
)
def long_command(invocation: Invocation, megabytes: tuple[int, ...]) -> None:
    """Measure writing one very long answer, and the first prompt of a process after it."""
    given: dict[str, Any] = {"megabytes": megabytes}
    show(invocation, long_answers.run(progress=progress_printer(quiet=invocation.json), **given))
