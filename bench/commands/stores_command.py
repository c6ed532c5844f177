"""``python -m bench stores``."""

import click

from bench.core import store_costs
from bench.report_output import progress_printer
from unabridged.cli.options import Invocation
from unabridged.cli.output import echo, echo_lines
from unabridged.cli.paint import Column, table, width
from unabridged.cli.plain_command import plain_command


@plain_command("stores", "python -m bench stores --size 1000 --size 10000", options=("json",))
@click.option(
    "--size",
    "sizes",
    multiple=True,
    type=click.IntRange(1),
    default=(1000, 10000),
    show_default=True,
    help="Measure at this number of stored exchanges; repeatable.",
)
@click.option("--way", "ways", multiple=True, metavar="NAME", help="Only this way; repeatable.")
def stores_command(invocation: Invocation, sizes: tuple[int, ...], ways: tuple[str, ...]) -> None:
    """Measure what keeping an exchange costs on each kind of store, SQLite being the baseline.

    A question and its answer are stored after this many others; each figure is a median.
    """
    unknown = sorted(set(ways) - set(store_costs.WAYS))
    if unknown:
        raise click.BadParameter(f"{unknown[0]!r}; known: {', '.join(store_costs.WAYS)}.")
    rows = store_costs.run(
        sizes, ways or tuple(store_costs.WAYS), progress_printer(quiet=invocation.json)
    )
    if invocation.json:
        invocation.emit({"benchmark": "stores", "rows": rows})
        return
    columns = [Column(head, right=head != "way") for head in rows[0]]
    cells = [[_cell(value) for value in row.values()] for row in rows]
    echo_lines(table(columns, cells, width()))
    echo(
        "\ntimes: record against the baseline's at the same size; bytes: on disk, for an exchange."
    )


def _cell(value: object) -> str:
    return f"{value:,}" if isinstance(value, int | float) else str(value)
