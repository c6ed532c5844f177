"""Lists that commands and the chat both show: sessions, models, pins."""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from unabridged.cli.format import count, day, moment
from unabridged.cli.paint import Column, paint, table, width
from unabridged.cli.terminal_text import wrap
from unabridged.domain.context import Decision, Ledger, Tier
from unabridged.domain.results import (
    ModelInfo,
    Pin,
    WindowPart,
)
from unabridged.domain.scope import DEFAULT_NAME

if TYPE_CHECKING:
    from unabridged.operations.operation_results import SessionResult

ROOM_FOR_IDS = 96
"""The least width of a list with ids; `--json` always shows them."""
OWN_ID = 26
"""Characters of a generated id; a shorter one is a name from a program."""


def session_lines(sessions: Sequence["SessionResult"], current: str | None = None) -> list[str]:
    """List sessions with their numbers, and with ids if there is room.

    Args:
        sessions: The sessions.
        current: The id of the session to mark.
    """
    room = width()
    went = any(session.handed_to for session in sessions)
    placed = any(session.folder for session in sessions)
    ids = room >= ROOM_FOR_IDS or any(len(session.id) < OWN_ID for session in sessions)
    columns = [
        Column("", right=True, style="dim"),
        Column("", style="accent"),
        Column("session", flexible=True),
        *([Column("handed off", flexible=True, style="dim")] if went else []),
        *([Column("folder", flexible=True, style="dim")] if placed else []),
        Column("exchanges", right=True),
        Column("last", style="dim"),
        *([Column("id", style="dim")] if ids else []),
    ]
    rows = []
    for session in sessions:
        others = ", ".join(map(_short, session.handed_to))
        row = (
            str(session.number),
            "●" if session.id == current else "",
            session.title or "(untitled)",
            *((f"→ {others}" if others else "",) if went else ()),
            *((session.folder,) if placed else ()),
            f"{session.exchanges:,}",
            moment(session.updated),
            session.id,
        )
        rows.append(row[: len(columns)])
    return table(columns, rows, room)


def _short(space: str) -> str:
    parts = space.split("/", 2)
    named = [part for part in parts[:-1] if part != DEFAULT_NAME]
    return "/".join([*named, parts[-1]]) if parts[2:] else space


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
            missing += [paint(text, "dim") for text in wrap(line.note, width())]
    return [*table(columns, rows, width()), *missing]


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
