"""``unabridged bench``."""

import importlib
from collections.abc import Mapping, Sequence
from typing import Any

import click

from unabridged.cli.commands.bench_condense import condense_command
from unabridged.cli.commands.bench_emotion import emotion_command
from unabridged.cli.commands.bench_facts import facts_command
from unabridged.cli.commands.bench_histories import histories_command
from unabridged.cli.commands.bench_intent import intent_command
from unabridged.cli.commands.bench_peers import peers_command
from unabridged.cli.commands.bench_recall import (
    INTERRUPTED,
    locomo_command,
    longmemeval_command,
    pooled_command,
    teller,
)
from unabridged.cli.commands.bench_stores import stores_command
from unabridged.cli.options import Invocation, common, example, invoked
from unabridged.cli.output import echo, echo_lines, plain
from unabridged.cli.paint import Column, paint, table, width
from unabridged.cli.text import wrap


@click.group("bench", epilog=example("unabridged bench core", "unabridged bench core --json"))
def command() -> None:
    """Measure this installation."""


for each in (
    longmemeval_command,
    pooled_command,
    locomo_command,
    condense_command,
    intent_command,
    facts_command,
    emotion_command,
    histories_command,
    stores_command,
    peers_command,
):
    command.add_command(each)


@command.command(
    "core",
    epilog=example(
        "unabridged bench core --size 100 --size 10000",
        "unabridged bench core --data ../shared/data/longmemeval --json > figures.json",
    ),
)
@click.option(
    "--size",
    "sizes",
    multiple=True,
    type=click.IntRange(1),
    help="Measure at so many stored exchanges; repeatable.",
)
@click.option(
    "--data", metavar="FOLDER", help="LongMemEval's questions and sessions, to measure coverage."
)
@common("json")
@invoked
def core_command(invocation: Invocation, sizes: tuple[int, ...], data: str | None) -> None:
    """Measure storing, preparing and counting, beside a bare baseline.

    It works in folders of its own and leaves nothing behind.
    """
    core = importlib.import_module("unabridged.evals.core")
    chosen: dict[str, Any] = {"sizes": sizes} if sizes else {}
    _show(invocation, core.run(progress=teller(quiet=invocation.json), data=data, **chosen))


@command.command(
    "scale",
    epilog=example(
        "unabridged bench scale --size 10000 --size 100000",
        "unabridged bench scale --json > scale.json",
    ),
)
@click.option(
    "--size",
    "sizes",
    multiple=True,
    type=click.IntRange(100),
    help="Measure at so many stored exchanges; repeatable.",
)
@common("json")
@invoked
def scale_command(invocation: Invocation, sizes: tuple[int, ...]) -> None:
    """Measure search, prepare, record, import and memory in large stores, on one core.

    Without --size at 10,000, 100,000 and 1,000,000 exchanges as long as LoCoMo's, which takes some
    minutes and 2 GB in the folder for temporary files. Interrupted, it shows what it has.
    """
    scale = importlib.import_module("unabridged.evals.scale")
    chosen: dict[str, Any] = {"sizes": sizes} if sizes else {}
    report = scale.run(progress=teller(quiet=invocation.json), **chosen)
    _show(invocation, report)
    if "interrupted" in report.machine:
        echo("Interrupted: these are the figures until then.", "warn", err=True)
        raise click.exceptions.Exit(INTERRUPTED)


def _show(invocation: Invocation, report: Any) -> None:
    """Show a report as it was asked for."""
    if invocation.json:
        invocation.emit({"machine": report.machine, "rows": list(report)})
        return
    rows = [plain(row) for row in report]
    echo_lines(_lines(rows) if rows else [])
    echo("\n" + ", ".join(f"{name} {value}" for name, value in report.machine.items()), "dim")


def _lines(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Lay figures out: a column for each field that any of them has; notes below."""
    filled = [name for name in rows[0] if any(row[name] not in (None, "") for row in rows)]
    names = [name for name in filled if name != "note"]
    columns = [Column(n, right=_is_figure(n, rows), flexible=n == "name") for n in names]
    lines = table(columns, [[_cell(row[name]) for name in names] for row in rows], width())
    notes = [f"{row['name']}: {row['note']}" for row in rows if row.get("note")]
    return [*lines, "", *(paint(line, "dim") for note in notes for line in wrap(note, width()))]


def _is_figure(name: str, rows: Sequence[Mapping[str, Any]]) -> bool:
    found = [row[name] for row in rows if row[name] is not None]
    return all(isinstance(value, int | float) and not isinstance(value, bool) for value in found)


def _cell(value: Any) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "✓" if value else "✗"
        case int():
            return f"{value:,}"
        case float():
            return f"{value:,.3f}".rstrip("0").rstrip(".")
        case _:
            return str(value)
