"""The figures of a memory: messages, facts, annotations and condensations."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from unabridged.cli.format import count, day, size
from unabridged.cli.paint import PAIRS, table, width
from unabridged.cli.views.annotations import judged_rows
from unabridged.cli.views.condensations import run_rows
from unabridged.domain.backup_results import StorageUse

if TYPE_CHECKING:
    from unabridged.operations.operation_results import SpaceFigures


def figures_lines(figures: "SpaceFigures", _: object = None) -> Sequence[str]:
    """Show the figures of a space."""
    facts, wholes, runs = figures.facts, figures.wholes, run_rows(figures.condensing)
    said = count(facts.current, "fact")
    counted = (("pinned", facts.pinned), ("disputed", facts.disputed))
    said += "".join(f", {number:,} {name}" for name, number in counted if number)
    if wholes:
        whole = f"{count(wholes, 'summary')} of whole conversations and months"
        runs = [*runs, ("", whole)] if figures.condensing.runs else [("condensed", whole)]
    rows = [
        ("space", figures.space),
        (
            "stored",
            f"{count(figures.exchanges, 'exchange')} in {count(figures.sessions, 'session')}",
        ),
        ("", f"{count(figures.messages, 'message')}, {count(figures.tokens, 'token')}"),
        ("on disk", size(figures.bytes)),
        *_use_rows(figures.use),
    ]
    if figures.first and figures.last:
        rows.append(("from", f"{day(figures.first)} to {day(figures.last)}"))
    rows.append(("pinned", count(figures.pins, "text")))
    for title, counts in (("by state", figures.states), ("by model", figures.models)):
        if counts:
            rows.append((title, ", ".join(f"{name} {number:,}" for name, number in counts.items())))
    if figures.calibration:
        rows.append(("calibrated", ", ".join(figures.calibration)))
    rows += [("known", said), *judged_rows(figures.readings), *runs]
    if figures.unsaved:
        rows.append(("unsaved", count(figures.unsaved, "write")))
    return table(PAIRS, rows, width())


def _use_rows(use: StorageUse | None) -> list[tuple[str, str]]:
    if use is None or (not use.archived and use.max_sessions is None and use.max_bytes is None):
        return []
    of_sessions = f" of {use.max_sessions:,}" if use.max_sessions is not None else ""
    of_bytes = f" of {size(use.max_bytes)}" if use.max_bytes is not None else ""
    said = f"{use.sessions:,}{of_sessions} sessions, {size(use.bytes)}{of_bytes}"
    return [("active", said), ("archived", count(use.archived, "session"))]
