"""How benchmarks report: progress on standard error, then a table or JSON."""

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from unabridged.cli.options import Invocation
from unabridged.cli.output import echo, echo_lines, plain
from unabridged.cli.paint import Column, paint, table, width
from unabridged.cli.terminal_text import wrap

INTERRUPTED = 130
"""The exit code of an interrupted benchmark that showed its figures."""


def progress_printer(*, quiet: bool) -> Callable[[str], None]:
    """Return a function that shows progress: one line that changes on a terminal."""
    live = sys.stderr.isatty()

    def say(text: str) -> None:
        if quiet:
            return
        if live:
            echo(f"\r\x1b[K{text}", "dim", err=True, end=False)
        else:
            echo(text, "dim", err=True)

    return say


def show(invocation: Invocation, report: Any) -> None:
    """Show a report as text or JSON."""
    if invocation.json:
        invocation.emit({"machine": report.machine, "rows": list(report)})
        return
    rows = [plain(row) for row in report]
    echo_lines(_lines(rows) if rows else [])
    echo("\n" + ", ".join(f"{name} {value}" for name, value in report.machine.items()), "dim")


def _lines(rows: Sequence[Mapping[str, Any]]) -> list[str]:
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
