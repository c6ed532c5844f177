"""What the previous prompt of a session showed, and what stood for the rest: where it goes on."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from unabridged.condense.history_summary import HistorySummary
from unabridged.domain.exchange import Exchange


def shown_before(
    previous: Mapping[str, Any] | None, parent: str | None, earlier: HistorySummary | None
) -> list[str]:
    """The ids of what belongs to the shown history by the previous prompt, oldest first.

    What it showed, what it passed over between, and the exchange that it was made for.
    """
    if previous is None or parent is None:
        return []
    shown = [item["id"] for item in previous["history"]]
    return [*shown, *(earlier.inner if earlier else ()), parent]


def first_shown(path: Sequence[Exchange], shown: Sequence[str]) -> int:
    """The place in a path at which the shown history goes on; 0 where nothing was shown."""
    names = set(shown)
    return next((n for n, exchange in enumerate(path) if exchange.id in names), 0)


def narrowed(
    earlier: HistorySummary, path: Sequence[Exchange], shown: Sequence[str]
) -> HistorySummary | None:
    """What still stands for exchanges before a path that reaches back into what it stood for.

    Args:
        earlier: What stood there.
        path: The session, oldest first, as far back as it is shown now.
        shown: What belonged to the shown history (``shown_before``).

    Returns:
        It without what the path holds; None where nothing is left.
    """
    cut = first_shown(path, shown)
    again = {e.id: e for e in path[:cut]} | {e.id: e for e in path if e.id in set(earlier.inner)}
    kept = [
        (line, at)
        for line, at in zip(earlier.lines, earlier.dates, strict=True)
        if line.exchange not in again
    ]
    count = earlier.count - len(again)
    if not kept or count <= 0:
        return None
    return replace(
        earlier,
        lines=tuple(line for line, _ in kept),
        dates=tuple(at for _, at in kept),
        count=count,
        tokens=earlier.tokens - sum(m.tokens or 0 for e in again.values() for m in e.messages),
        inner=(),
        before=path[0].id,
    )
