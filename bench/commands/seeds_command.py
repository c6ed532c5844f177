"""``python -m bench seeds``."""

from typing import Any

import click

from bench.report_output import progress_printer
from bench.seeds import seeds_benchmark
from unabridged.cli.options import Invocation
from unabridged.cli.output import echo_lines, plain
from unabridged.cli.paint import Column, paint, table, width
from unabridged.cli.plain_command import plain_command
from unabridged.cli.terminal_text import wrap

NAMES = ("workspace", "companion", "agent", "requirements", "story")
"""The profiles, each of which stands for a seed."""
FIGURES, NARROWEST = 54, 24
"""Columns next to the name of a metric, and the fewest that the name has."""


@plain_command(
    "seeds",
    "python -m bench seeds --only workspace",
    "python -m bench seeds --data ../shared/data --json > seeds.json",
    options=("json",),
)
@click.option(
    "--only",
    "only",
    multiple=True,
    type=click.Choice(NAMES),
    help="Measure in this profile only; repeatable.",
)
@click.option(
    "--data",
    metavar="FOLDER",
    help="A folder with any of longmemeval, locomo and crd3; without it, conversations are generated.",
)
@click.option(
    "--intent",
    metavar="FOLDER",
    help="Messages labelled by intent (*.tsv), if it does not run in a checkout.",
)
def seeds_command(
    invocation: Invocation, only: tuple[str, ...], data: str | None, intent: str | None
) -> None:
    """Measure the figures that the five designs behind Unabridged require.

    Each is measured in the profile that represents it, next to a named baseline in the same run. For
    times, the 95th percentile must be met. It takes about four minutes on a quiet machine, works
    in temporary folders and removes them. If a figure is missed, it ends with 1.
    """
    say = progress_printer(quiet=invocation.json)
    found = seeds_benchmark.run(only=only, data=data, intent=intent, progress=say)
    if invocation.json:
        rows = [plain(one) | {"ratio": one.ratio} for one in found.metrics]
        invocation.emit({"benchmark": "seeds", "machine": dict(found.machine), "rows": rows})
    else:
        echo_lines(_lines(seeds_benchmark.SEEDS, found))
    if found.missed:
        raise click.exceptions.Exit(1)


def _lines(seeds: Any, found: Any) -> list[str]:
    heads = (
        Column("metric"),
        Column("must"),
        Column("ours", right=True),
        Column("p95", right=True),
        Column("baseline", right=True),
        Column("times", right=True),
        Column("met"),
    )
    shown: list[str] = []
    for name in dict.fromkeys(one.seed for one in found.metrics):
        rows = [one for one in found.metrics if one.seed == name]
        shown += [paint(f"{seeds[name]}, in the profile {name}", "bold")]
        shown += table(heads, [line for one in rows for line in _cells(one)], width())
        notes = [f"{one.metric}: {_note(one)}" for one in rows if _note(one)]
        shown += [paint(line, "dim") for note in notes for line in wrap(note, width())]
        shown.append("")
    held = [one for one in found.metrics if one.met is not None]
    met = len(held) - len(found.missed)
    shown.append(f"{met} of {len(held)} are met.")
    shown += [f"Missed: {one.seed}, {one.metric}." for one in found.missed]
    said = ", ".join(f"{name} {value}" for name, value in found.machine.items())
    return [*shown, paint(said, "dim")]


def _cells(one: Any) -> list[list[str]]:
    first, *rest = wrap(one.metric, max(NARROWEST, width() - FIGURES))
    met = {True: "✓", False: "✗", None: ""}[one.met]
    figure = _figure(one.ours)
    ours = f"{figure} {one.unit}" if figure else "–"
    figures = [_figure(value) for value in (one.p95, one.baseline, one.ratio)]
    return [
        [first, one.must or "–", ours, *figures, met],
        *([f"  {more}", "", "", "", "", "", ""] for more in rest),
    ]


def _note(one: Any) -> str:
    said = [one.note, f"baseline: {one.of}" if one.of else ""]
    return "; ".join(part for part in said if part)


def _figure(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
