"""Personas as text, for the command and for the chat."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from unabridged.cli.paint import Column, table, width
from unabridged.cli.terminal_text import one_line
from unabridged.config.personas import persona_of, personas
from unabridged.errors import SettingError


@dataclass(frozen=True, slots=True)
class PersonaRow:
    """A persona: its text, or why it is invalid."""

    name: str
    path: str
    text: str = ""
    error: str = ""


def persona_rows(home: str | Path) -> list[PersonaRow]:
    """Return every persona; an invalid one has an error instead of a text."""
    return [_row(name, path, home) for name, path in personas(home).items()]


def _row(name: str, path: Path, home: str | Path) -> PersonaRow:
    try:
        return PersonaRow(name, str(path), persona_of(name, home))
    except SettingError as error:
        return PersonaRow(name, str(path), error=f"{error} {error.hint}")


def persona_lines(rows: Sequence[PersonaRow], current: str = "") -> list[str]:
    """List personas with their first words."""
    columns = [
        Column("", style="accent"),
        Column("persona"),
        Column("begins with", flexible=True),
    ]
    cells = [
        (
            "●" if row.name == current else "",
            row.name,
            f"invalid: {one_line(row.error)}" if row.error else one_line(row.text),
        )
        for row in rows
    ]
    shown = columns if current else columns[1:]
    return table(shown, [cell[-len(shown) :] for cell in cells], width())
