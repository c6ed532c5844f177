"""Colour and layout of text: tables, and the bar of a window. Needs no extra."""

import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import click

from unabridged.cli.terminal_text import Safe, cells, clip, one_line, pad, safe

STYLES: Mapping[str, Mapping[str, object]] = {
    "": {},
    "bold": {"bold": True},
    "dim": {"fg": "bright_black"},
    "match": {"bold": True, "reverse": True},
    "accent": {"fg": "cyan"},
    "good": {"fg": "green"},
    "warn": {"fg": "yellow"},
    "bad": {"fg": "red"},
    "system": {"fg": "blue"},
    "tools": {"fg": "magenta"},
    "knowledge": {"fg": "bright_magenta"},
    "history": {"fg": "cyan"},
    "recent": {"fg": "cyan"},
    "immediate": {"fg": "green"},
    "semantic": {"fg": "yellow"},
    "message": {"fg": "bright_white"},
    "answer": {"fg": "bright_blue"},
}
WIDEST = 100
"""The widest line in cells, however wide the terminal is."""


NARROWEST = 8
"""The narrowest width in cells of a flexible column."""
INDENT = 2
"""Cells before each line in the chat."""


def columns() -> int:
    """Return the cells of a line of the terminal, 40 to 100."""
    return max(40, min(shutil.get_terminal_size().columns, WIDEST))


def width() -> int:
    """Return the cells of a line less the chat's indent."""
    return columns() - INDENT


def colour_out() -> bool:
    """Return whether standard output is a terminal that shows colour."""
    return coloured(sys.stdout)


def coloured(stream: Any) -> bool:
    """Return whether a stream is a terminal that shows colour."""
    if not stream.isatty():
        return False
    from unabridged import config  # noqa: PLC0415 - slow, and needed on a terminal only

    return config.colour_wanted()


def paint(text: str, style: str) -> Safe:
    """Return a text in a style; ``output.write`` removes unwanted colour."""
    shown = safe(text)
    return Safe(click.style(shown, **STYLES[style])) if style and shown else shown  # type: ignore[arg-type] # the table holds style's own arguments


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Attributes:
        title: Its head, or empty.
        right: Whether its cells are aligned right.
        flexible: Whether it becomes narrower to fit the terminal.
        style: The style of its cells.
    """

    title: str
    right: bool = False
    flexible: bool = False
    style: str = ""


PAIRS = (Column("", style="dim"), Column("", flexible=True))
"""The columns of a table of names and values."""


def table(columns: Sequence[Column], rows: Sequence[Sequence[str]], room: int) -> list[str]:
    """Lay out a table in at most ``room`` cells; flexible columns are clipped to fit."""
    shown = [[one_line(cell) for cell in row] for row in rows]
    heads = [column.title for column in columns]
    wide = [max(map(cells, texts)) for texts in zip(heads, *shown, strict=True)]
    excess = sum(wide) + 2 * (len(columns) - 1) - room
    yielding = [place for place, column in enumerate(columns) if column.flexible]
    while excess > 0 and (able := [place for place in yielding if wide[place] > NARROWEST]):
        wide[max(able, key=lambda place: wide[place])] -= 1
        excess -= 1
    lines: list[str] = []
    if any(heads):
        head = [
            pad(column.title, w, right=column.right)
            for column, w in zip(columns, wide, strict=True)
        ]
        lines.append(paint("  ".join(head).rstrip(), "dim"))
    for row in shown:
        cells_of_row = [
            pad(clip(cell, w), w, right=column.right)
            for cell, w, column in zip(row, wide, columns, strict=True)
        ]
        last = max((n for n, cell in enumerate(cells_of_row) if cell.strip()), default=0)
        cells_of_row = [*cells_of_row[:last], cells_of_row[last].rstrip()]
        parts = [
            paint(cell, column.style) for cell, column in zip(cells_of_row, columns, strict=False)
        ]
        lines.append(safe("  ").join(parts))
    return lines


PARTS: Mapping[str, tuple[str, str, str]] = {
    "system": ("I", "█", "the system prompt"),
    "tools": ("T", "█", "tool definitions"),
    "knowledge": ("F", "█", "pinned and known facts"),
    "history": ("C", "█", "what the client sent before"),
    "recent": ("O", "█", "older history of this session"),
    "immediate": ("H", "█", "the newest exchanges of this session"),
    "semantic": ("R", "█", "recalled for this message"),
    "message": ("M", "█", "your message"),
    "answer": ("a", "▒", "kept free for the answer"),
    "margin": ("-", "░", "for counting errors"),
    "reserve": (".", "░", "reserve"),
    "unused": (" ", " ", "left unused"),
}
"""The parts of a window in the order of the bar: letter without colour, block, meaning."""


def bar(parts: Mapping[str, int], room: int, *, colour: bool) -> str:
    """Draw a window as a bar of exactly ``room`` cells; a part that has tokens has a cell."""
    names = [name for name in PARTS if parts.get(name, 0) > 0]
    names += sorted(name for name in parts if name not in PARTS and parts[name] > 0)
    total = sum(parts[name] for name in names) or 1
    widths = {name: max(1, int(parts[name] * room / total)) for name in names}
    by_error = sorted(names, key=lambda name: widths[name] - parts[name] * room / total)
    while names and sum(widths.values()) < room:
        for name in by_error[: room - sum(widths.values())]:
            widths[name] += 1
    while sum(widths.values()) > room:
        widths[max(widths, key=lambda name: widths[name])] -= 1
    drawn = []
    for name in names:
        letter, block, _ = PARTS.get(name, ("?", "█", ""))
        text = (block if colour else letter) * widths[name]
        drawn.append(paint(text, name if name in STYLES else "dim") if colour else text)
    return safe("").join(drawn)
