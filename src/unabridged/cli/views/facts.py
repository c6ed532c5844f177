"""What is known, as lines to read: facts, and everything that is known of one."""

from collections.abc import Sequence

from unabridged.cli.format import day
from unabridged.cli.paint import Column, paint, table, width
from unabridged.cli.terminal_text import pad, safe, wrap
from unabridged.domain.fact import Fact

_NAMES = 17
"""Cells of the names of what is told of a fact."""


def fact_lines(facts: Sequence[Fact], *, first: int | None = 1) -> list[str]:
    """List facts; ● is pinned, ≠ contradicted.

    Args:
        facts: In the order of their numbers.
        first: The number that names the first of them; None where none names them.
    """
    ended = any(fact.until for fact in facts)
    columns = [
        Column("", right=True, style="dim"),
        Column("", style="accent"),
        Column("fact", flexible=True),
        Column("since", style="dim"),
        *([Column("until", style="dim")] if ended else []),
        Column("", style="dim"),
    ]
    rows = [
        (
            "" if first is None else str(number),
            ("●" if fact.pinned else "") + ("≠" if fact.disputed_by else ""),
            fact.text or "(withdrawn)",
            day(fact.since),
            *([day(fact.until)] if ended else []),
            fact.origin.space if fact.origin else fact.by,
        )
        for number, fact in enumerate(facts, first or 0)
    ]
    return table(columns, rows, width())


def fact_card(fact: Fact) -> list[str]:
    """Show everything that is known of a fact, with the words that say so."""
    rows = [
        ("id", fact.id),
        ("about", fact.subject),
        (fact.attribute or "says", fact.value or fact.text),
        ("quote", fact.quote),
        ("exchange", fact.exchange or ""),
        ("since", day(fact.since)),
        ("until", day(fact.until)),
        ("drawn by", fact.by),
        ("supersedes", fact.supersedes or ""),
        ("from", fact.origin.space if fact.origin else ""),
        ("its exchange", (fact.origin.exchange or "") if fact.origin else ""),
        ("arrived", day(fact.origin.arrived) if fact.origin else ""),
        ("contradicted by", ", ".join(fact.disputed_by)),
    ]
    lines = [*wrap(safe(fact.text), width()), ""]
    for name, text in rows:
        for place, part in enumerate(wrap(safe(text), width() - _NAMES) if text else []):
            lines.append(paint(pad("" if place else safe(name), _NAMES), "dim") + part)
    return lines
