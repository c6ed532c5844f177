"""Requirements as text: lists and cards, for the command and for the chat."""

from collections.abc import Container, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from unabridged.cli.format import moment
from unabridged.cli.paint import PAIRS, Column, paint, table, width
from unabridged.cli.terminal_text import one_line, wrap
from unabridged.domain.fact import Requirement

if TYPE_CHECKING:
    from unabridged.operations.call import Call
    from unabridged.operations.operation_results import RequirementConflict

ROOMY = 120
"""The least width of a table with all fields."""


def requirements_lines(requirements: Sequence[Requirement], call: "Call") -> Iterator[str]:
    """List requirements, and how to find more."""
    yield from requirement_lines(requirements)
    if call.space.requirements.waits:
        said = "Some exchanges were not searched yet" if requirements else "No requirement yet"
        yield paint(f"{said}: unabridged requirements learn", "dim")
    elif not requirements:
        yield paint("No requirement yet. Add one: unabridged requirements add TEXT", "dim")


def requirement_lines(requirements: Sequence[Requirement]) -> list[str]:
    """List requirements, whole; ● marks a pinned one, and each names its conflicts."""
    room = width()
    return _table(requirements, room) if room >= ROOMY else _blocks(requirements, room)


def _blocks(requirements: Sequence[Requirement], room: int) -> list[str]:
    lines: list[str] = []
    for each in requirements:
        fields = [name for name in (each.priority, each.type) if name]
        head = paint(f"{each.id}{' ●' if each.pinned else ''}", "accent")
        against = f"  against {', '.join(each.conflicts)}" if each.conflicts else ""
        lines.append(head + "  " + paint(" · ".join(fields), "dim") + paint(against, "warn"))
        words = wrap(one_line(each.text or "(withdrawn)"), room - 2)
        lines += [f"  {line}" for line in words]
    return lines


def _table(requirements: Sequence[Requirement], room: int) -> list[str]:
    columns = [
        Column("", style="dim"),
        Column("", style="accent"),
        Column("requirement", flexible=True),
        Column("type"),
        Column("priority"),
        Column("conflicts", style="warn"),
    ]
    rows = [
        (
            each.id,
            "●" if each.pinned else "",
            each.text or "(withdrawn)",
            each.type,
            each.priority,
            ", ".join(each.conflicts),
        )
        for each in requirements
    ]
    return table(columns, rows, room)


def drawn_line(requirements: Sequence[Requirement], before: Container[str]) -> str:
    """Return a line that names the new requirements and their conflicts; empty if none is new.

    Args:
        requirements: All requirements.
        before: The ids of earlier ones.
    """
    new = [
        f"{each.id} against {', '.join(each.conflicts)}" if each.conflicts else each.id
        for each in requirements
        if each.id not in before
    ]
    return f"Required: {', '.join(new)}. /requirements lists them." if new else ""


def conflict_lines(pairs: Iterable["RequirementConflict"]) -> list[str]:
    """Show pairs that cannot be met together."""
    lines = []
    for pair in pairs:
        for line in (*(f"{each.id} {each.text}" for each in (pair.one, pair.other)), ""):
            lines += wrap(line, width()) or [""]
    return lines


def requirement_card(each: Requirement, what: str = "") -> list[str]:
    """Show a requirement with its fields."""
    head = f"{what}: {each.id}" if what else each.id
    rows = [
        ("type", each.type),
        ("priority", each.priority),
        ("rationale", each.rationale),
        ("fit criterion", each.fit_criterion),
        ("originator", each.originator),
        ("satisfaction", str(each.satisfaction or "")),
        ("dissatisfaction", str(each.dissatisfaction or "")),
        ("conflicts", ", ".join(each.conflicts)),
        ("exchange", each.exchange or ""),
        ("stated", moment(each.at)),
    ]
    return [
        *wrap(f"{head} {each.text}", width()),
        "",
        *table(PAIRS, [row for row in rows if row[1]], width()),
    ]
