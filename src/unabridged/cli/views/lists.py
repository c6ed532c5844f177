"""Lists that commands and the chat both show: sessions, models, figures, pins."""

from collections import Counter
from collections.abc import Mapping, Sequence

from unabridged.cli.format import count, day, moment, size
from unabridged.cli.paint import PAIRS, Column, paint, table, width
from unabridged.cli.terminal_text import safe, wrap
from unabridged.domain.backup_results import StorageUse
from unabridged.domain.context import Decision, Ledger, Tier
from unabridged.domain.results import (
    ModelInfo,
    Pin,
    SessionSummary,
    Stats,
    WindowPart,
)
from unabridged.domain.scope import DEFAULT_NAME, SpaceId

ROOM_FOR_IDS = 96
"""The least width of a list with ids; `--json` always shows them."""
OWN_ID = 26
"""Characters of a generated id; a shorter one is a name from a program."""


def session_lines(
    lines: Sequence[tuple[int, SessionSummary]],
    handed: Mapping[str, Sequence[SpaceId]] | None = None,
) -> list[str]:
    """List sessions with their numbers, and with ids if there is room.

    Args:
        lines: Each with its number.
        handed: By session, the spaces that it was handed off to.
    """
    room, handed = width(), handed or {}
    went = any(line.session.id in handed for _, line in lines)
    ids = room >= ROOM_FOR_IDS or any(len(line.session.id) < OWN_ID for _, line in lines)
    columns = [
        Column("", right=True, style="dim"),
        Column("", style="accent"),
        Column("session", flexible=True),
        *([Column("handed off", flexible=True, style="dim")] if went else []),
        Column("exchanges", right=True),
        Column("last", style="dim"),
        *([Column("id", style="dim")] if ids else []),
    ]
    rows = []
    for number, line in lines:
        session = line.session
        others = ", ".join(_short(other) for other in handed.get(session.id, ()))
        row = (
            str(number),
            "●" if line.current else "",
            session.title or "(untitled)",
            *((f"→ {others}" if others else "",) if went else ()),
            f"{line.exchanges:,}",
            moment(session.updated),
            session.id,
        )
        rows.append(row[: len(columns)])
    return table(columns, rows, room)


def _short(space: SpaceId) -> str:
    if not space.model:
        return space.name
    parts = (part for part in (space.user, space.agent) if part != DEFAULT_NAME)
    return "/".join([*parts, space.model])


def model_lines(models: Sequence[ModelInfo], *current: str) -> list[str]:
    """List the available models, and what the others need.

    Args:
        models: In the order of their numbers.
        current: Provider and name of the one that answers.
    """
    columns = [
        Column("", right=True, style="dim"),
        Column("", style="accent"),
        Column("model"),
        Column("from"),
        Column("", flexible=True, style="dim"),
    ]
    rows: list[tuple[str, ...]] = []
    missing: list[str] = []
    for line in models:
        now = line.current or (line.provider, line.model) == current
        number = str(len(rows) + 1)
        if line.model:
            rows.append((number, "●" if now else "", line.model, line.provider, line.note))
        else:
            missing += [paint(text, "dim") for text in wrap(safe(line.note), width())]
    return [*table(columns, rows, width()), *missing]


def stats_lines(stats: Stats, more: Sequence[tuple[str, str]] = ()) -> list[str]:
    """Show the figures of a space."""
    rows = [
        ("space", stats.space),
        ("stored", f"{count(stats.exchanges, 'exchange')} in {count(stats.sessions, 'session')}"),
        ("", f"{count(stats.messages, 'message')}, {count(stats.tokens, 'token')}"),
        ("on disk", size(stats.bytes)),
        *_use_rows(stats.use),
    ]
    if stats.first and stats.last:
        rows.append(("from", f"{day(stats.first)} to {day(stats.last)}"))
    rows.append(("pinned", count(stats.pins, "text")))
    for title, counts in (("by state", stats.states), ("by model", stats.models)):
        if counts:
            rows.append((title, ", ".join(f"{name} {number:,}" for name, number in counts.items())))
    if stats.calibration:
        rows.append(("calibrated", ", ".join(stats.calibration)))
    rows += more
    return table(PAIRS, rows, width())


def _use_rows(use: StorageUse | None) -> list[tuple[str, str]]:
    if use is None or (not use.archived and use.max_sessions is None and use.max_bytes is None):
        return []
    of_sessions = f" of {use.max_sessions:,}" if use.max_sessions is not None else ""
    of_bytes = f" of {size(use.max_bytes)}" if use.max_bytes is not None else ""
    said = f"{use.sessions:,}{of_sessions} sessions, {size(use.bytes)}{of_bytes}"
    return [("active", said), ("archived", count(use.archived, "session"))]


def token_lines(lines: Sequence[WindowPart], ledger: Ledger) -> list[str]:
    """Show the parts of the last prompt's window, with the contents of each."""
    columns = [
        Column("part"),
        Column("tokens", right=True),
        Column("share", right=True),
        Column("holds", flexible=True, style="dim"),
    ]
    rows = [
        (line.part, f"{line.tokens:,}", f"{100 * line.share:.1f} %", _holds(line.part, ledger))
        for line in lines
    ]
    return table(columns, rows, width())


def _holds(part: str, ledger: Ledger) -> str:
    rows = [row for row in ledger.rows if row.tier is not None and row.tier.value == part]
    kept = Counter(row.kind.value for row in rows if row.decision is Decision.KEPT)
    said = [count(number, kind) for kind, number in kept.items()]
    shorter = sum(row.decision is Decision.CONDENSED for row in rows)
    left = sum(row.decision is Decision.LEFT_OUT for row in rows)
    said += [f"{shorter:,} condensed"] if shorter else []
    frame = ledger.frame(Tier(part)) if part in set(Tier) else 0
    said += [f"{frame:,} tokens of frame"] if frame > 0 else []
    return "; ".join(filter(None, [", ".join(said), f"{left:,} left out" if left else ""]))


def pin_lines(pins: Sequence[Pin]) -> list[str]:
    """List the pins."""
    columns = [
        Column("", right=True, style="dim"),
        Column("", flexible=True),
        Column("", style="dim"),
    ]
    rows = [(str(number), pin.text, day(pin.at)) for number, pin in enumerate(pins, 1)]
    return table(columns, rows, width())
