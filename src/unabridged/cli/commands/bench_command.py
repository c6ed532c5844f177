"""``unabridged bench``."""

import importlib
from collections.abc import Mapping, Sequence
from typing import Any

import click

from unabridged.cli.options import Invocation, common, example, invoked
from unabridged.cli.output import echo, echo_lines, plain
from unabridged.cli.paint import Column, table, width


@click.group("bench", epilog=example("unabridged bench core", "unabridged bench core --json"))
def command() -> None:
    """Measure this installation."""


@command.command("core", epilog=example("unabridged bench core --size 100 --size 10000"))
@click.option(
    "--size", "sizes", multiple=True, type=click.IntRange(1), help="Stored exchanges; repeatable."
)
@common("json")
@invoked
def core_command(invocation: Invocation, sizes: tuple[int, ...]) -> None:
    """Measure storing, preparing and counting, beside a bare baseline.

    It works in folders of its own and leaves nothing behind.
    """
    core = importlib.import_module("unabridged.evals.core")
    rows = [plain(row) for row in core.run(**({"sizes": sizes} if sizes else {}))]
    if invocation.json:
        invocation.emit(rows)
        return
    if not rows:
        echo("Nothing was measured.", "dim")
    echo_lines(_lines(rows))


def _lines(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    names = list(rows[0]) if rows else []
    numeric = {name for name in names if isinstance(rows[0][name], int | float)}
    columns = [Column(name, right=name in numeric, flexible=True) for name in names]
    return table(columns, [[_cell(row[name]) for name in names] for row in rows], width())


def _cell(value: Any) -> str:
    return f"{value:,.3g}" if isinstance(value, float) else str(value)
