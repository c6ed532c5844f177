"""What is known, as lines to read: facts with where they are from."""

from collections.abc import Sequence

from unabridged.cli.paint import Column, paint, table, width
from unabridged.cli.text import pad, safe, wrap
from unabridged.cli.words import day
from unabridged.domain.fact import Fact

_NAMES = 13
"""Cells of the names of what is told of a fact."""


def fact_lines(facts: Sequence[Fact]) -> list[str]:
    """List facts with the number that names each."""
    columns = [
        Column("", right=True, style="dim"),
        Column("", style="accent"),
        Column("", flexible=True),
        Column("", style="warn"),
        Column("", style="dim"),
    ]
    rows = [
        (
            str(number),
            "●" if fact.pinned else "",
            fact.text,
            "disputed" if fact.disputed_by else "",
            day(fact.since),
        )
        for number, fact in enumerate(facts, 1)
    ]
    return table(columns, rows, width())


def source_lines(fact: Fact) -> list[str]:
    """Show a fact with the words that say so, and where they stand."""
    rows = [("fact", fact.text), ("id", fact.id), ("state", fact.state.value), ("by", fact.by)]
    if fact.quote:
        rows.append(("said", f"“{fact.quote}”"))
    if fact.exchange:
        rows.append(("in", fact.exchange))
    until = f" to {day(fact.until)}" if fact.until else ""
    rows.append(("since", f"{day(fact.since)}{until}"))
    if fact.supersedes:
        rows.append(("instead of", fact.supersedes))
    if fact.disputed_by:
        rows.append(("disputed by", ", ".join(fact.disputed_by)))
    lines = []
    for name, text in rows:
        for place, part in enumerate(wrap(safe(text), width() - _NAMES)):
            lines.append(paint(pad("" if place else name, _NAMES), "dim") + part)
    return lines
