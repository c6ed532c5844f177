"""``python -m bench histories``."""

from dataclasses import asdict

import click

from bench.condense import random_histories
from bench.report_output import progress_printer
from unabridged.cli.options import Invocation
from unabridged.cli.output import echo
from unabridged.cli.plain_command import plain_command


@plain_command("histories", "python -m bench histories --count 20000", options=("json",))
@click.option(
    "--count", default=1000, show_default=True, type=click.IntRange(1), help="How many histories."
)
@click.option("--seed", default=0, show_default=True, help="Another seed, other histories.")
def histories_command(invocation: Invocation, count: int, seed: int) -> None:
    """Count what condensing breaks over random histories: it must be nothing.

    Sessions grow at random and are condensed again and again. Each time all originals must be
    there, condensations open up to them, every category keep its share verbatim, and a prompt of a
    random window add up and be rendered again byte for byte.
    """
    found = random_histories.run(count, progress_printer(quiet=invocation.json), seed)
    if invocation.json:
        invocation.emit({"benchmark": "histories", **asdict(found)})
    else:
        echo(
            f"{found.histories:,} histories, {found.runs:,} runs of condensing, "
            f"{found.contexts:,} prompts; {found.refused:,} runs would have lost a critical name "
            "and were not used."
        )
        for what, times in found.broken.items():
            echo(f"{times:,} times: {what}", "warn")
        if not found.broken:
            echo("Nothing was broken.")
    if found.broken:
        raise click.exceptions.Exit(1)
