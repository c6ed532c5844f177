"""What the commands of facts and of requirements share."""

import sys
from collections.abc import Callable, Sequence

import click

from unabridged.cli.format import moment
from unabridged.cli.paint import Column, table, width
from unabridged.domain.fact import FactChange
from unabridged.space.space import Space

PAGE = 200
"""Exchanges that are looked at between two reports."""


def change_lines(changes: Sequence[FactChange]) -> list[str]:
    """Show the steps of a history, the oldest first."""
    columns = [
        Column("", style="dim"),
        Column(""),
        Column("", style="dim"),
        Column("", flexible=True),
    ]
    rows = [(moment(c.at), c.what, c.by, c.text or "(withdrawn)") for c in changes]
    return table(columns, rows, width())


def learn(space: Space, page: Callable[[int], int]) -> int:
    """Look at what waits, page by page, with progress on a terminal.

    Args:
        space: Whose exchanges they are.
        page: Looks at no more than so many, and says at how many.

    Returns:
        How many exchanges were looked at.
    """
    done = 0
    hidden = not sys.stderr.isatty()
    total = max(1, space.stats().exchanges)
    with click.progressbar(
        length=total, label="Reading", file=sys.stderr, hidden=hidden, width=30
    ) as shown:
        while looked := page(PAGE):
            done += looked
            shown.update(looked)
    return done
