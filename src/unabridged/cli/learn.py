"""What the commands of facts and of requirements share."""

from collections.abc import Callable, Sequence
from typing import Any

from unabridged.cli.format import moment
from unabridged.cli.output import echo
from unabridged.cli.paint import Column, table, width
from unabridged.cli.progress import bar
from unabridged.domain.fact import FactChange
from unabridged.ports import ChatModel
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


def learn(
    space: Space,
    pending: Callable[..., int],
    asking: Callable[[ChatModel], Any],
    *,
    with_model: bool,
) -> int:
    """Draw from what waits, page by page, with progress on a terminal.

    Args:
        space: Whose exchanges they are.
        pending: Looks at no more than so many, with what draws them, and says at how many.
        asking: Gives what draws with a model too, and notes what failed.
        with_model: Whether the model is asked.

    Returns:
        How many exchanges were looked at.
    """
    if not with_model:
        return _learn(space, pending)
    drawing = asking(space.model)
    looked = _learn(space, lambda limit: pending(limit, drawing))
    if drawing.note:
        echo(drawing.note, "warn", err=True)
    return looked


def _learn(space: Space, page: Callable[[int], int]) -> int:
    done = 0
    with bar("Reading", max(1, space.stats().exchanges)) as shown:
        while looked := page(PAGE):
            done += looked
            shown.update(looked)
    return done
