"""Functions that `facts` and `requirements` share."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from unabridged.cli.format import moment
from unabridged.cli.output import echo
from unabridged.cli.paint import Column, table, width
from unabridged.cli.progress import bar

if TYPE_CHECKING:
    from unabridged.domain.fact import FactChange
    from unabridged.ports import ChatModel
    from unabridged.space.space import Space

PAGE = 200
"""Exchanges between two reports of progress."""


def change_lines(changes: "Sequence[FactChange]") -> list[str]:
    """Show the changes of a fact or requirement, oldest first."""
    columns = [
        Column("", style="dim"),
        Column(""),
        Column("", style="dim"),
        Column("", flexible=True),
    ]
    rows = [(moment(c.at), c.what, c.by, c.text or "(withdrawn)") for c in changes]
    return table(columns, rows, width())


def learn(
    space: "Space",
    pending: Callable[..., int],
    asking: "Callable[[ChatModel], Any]",
    *,
    with_model: bool,
) -> int:
    """Learn from new exchanges page by page, with progress on a terminal.

    Args:
        space: The space of the exchanges.
        pending: Learns from up to a number of exchanges; returns how many it read.
        asking: Returns a learner that also asks a model, and notes failures.
        with_model: Whether to ask the model.

    Returns:
        The number of exchanges that were read.
    """
    if not with_model:
        return _learn(space, pending)
    drawing = asking(space.model)
    looked = _learn(space, lambda limit: pending(limit, drawing))
    if drawing.note:
        echo(drawing.note, "warn", err=True)
    return looked


def _learn(space: "Space", page: Callable[[int], int]) -> int:
    done = 0
    with bar("Reading", max(1, space.stats().exchanges)) as shown:
        while looked := page(PAGE):
            done += looked
            shown.update(looked)
    return done
