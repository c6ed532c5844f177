"""The path of a session that leads to a message: where its shown history continues."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from unabridged.condense.history_summary import HistorySummary
from unabridged.context.types import PromptPlan, PromptRequest
from unabridged.domain.exchange import Exchange
from unabridged.ports import Store

PAGE = 32
"""Exchanges that are read at once."""


def shown_before(
    previous: Mapping[str, Any] | None, parent: str | None, earlier: HistorySummary | None
) -> list[str]:
    """Return the ids of the shown history by the previous prompt, oldest first.

    These are the exchanges that it showed, those that it skipped between, and its own.
    """
    if previous is None or parent is None:
        return []
    shown = [item["id"] for item in previous["history"]]
    return [*shown, *(earlier.inner if earlier else ()), parent]


def first_shown(path: Sequence[Exchange], shown: Sequence[str]) -> int:
    """Return the position in a path where the shown history continues; 0 if nothing was shown."""
    names = set(shown)
    return next((n for n, exchange in enumerate(path) if exchange.id in names), 0)


def narrowed(
    earlier: HistorySummary, path: Sequence[Exchange], shown: Sequence[str]
) -> HistorySummary | None:
    """Return a summary without the exchanges in the path; None if nothing is left."""
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


def older_than(
    store: Store, plan: PromptPlan, request: PromptRequest, shown: Sequence[str]
) -> list[Exchange]:
    """Return the stored exchanges before a message; none if a client sent them itself.

    They are read from the first of ``shown`` (ids of the shown history) that is still there;
    without one, as far back as the window holds.
    """
    session, parent = request.session, request.parent
    if session is None or parent is None or request.path:
        return []
    room = plan.window
    before = None
    path: list[Exchange] = []
    while len(path) < len(shown) if shown else room > 0:
        page = _page(store, session, parent, before)
        path[:0] = page
        if len(page) < PAGE or any(exchange.id == shown[0] for exchange in page if shown):
            break
        room -= _tokens(plan, page)
        before = page[0].id
    return path[first_shown(path, shown) :]


def _tokens(plan: PromptPlan, exchanges: Sequence[Exchange]) -> int:
    return sum(m.tokens or plan.counter.message(m) for e in exchanges for m in e.messages)


def _page(store: Store, session: str, parent: str, before: str | None) -> list[Exchange]:
    if before is not None:
        return store.recent(session, PAGE, before=before)
    last = store.get([parent])
    return [*store.recent(session, PAGE - 1, before=parent), *last.values()]
