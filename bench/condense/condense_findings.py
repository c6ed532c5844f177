"""What ``python -m bench condense`` found: tables of paired figures, for people and programs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bench.figures.bootstrap import Interval, Parts, ratio_differences, ratios

OURS = "unabridged"
"""What is measured."""
ABOUT = "unabridged, asked"
"""The same with the words of the question; every other method is a baseline."""

_HEADLINES = ("answers_kept", "answers_kept_by_session")

Rows = dict[str, list[Mapping[str, Parts]]]
"""Method to its measures of each unit; every method has the same units in the same order."""


@dataclass(slots=True)
class FiguresTable:
    """Figures of every method over the same units.

    Attributes:
        name: What was measured.
        about: What it is, in a line or two.
        unit: What the means are over: ``questions``, ``meetings`` …
        least: Measure to the least that is wanted: the must, and the aim.
        groups: Group to its rows.
    """

    name: str
    about: str
    unit: str
    least: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    groups: dict[str, Rows] = field(default_factory=dict)

    def add(self, group: str, values: Mapping[str, Mapping[str, float | Parts]]) -> None:
        """Add the outcomes of one unit.

        Args:
            group: What it is counted under.
            values: Method to its measures: a figure whose mean counts, or what the unit adds to a
                ratio above and below the line.
        """
        held = self.groups.setdefault(group, {})
        for method, row in values.items():
            parts = {n: v if isinstance(v, tuple) else (v, 1.0) for n, v in row.items()}
            held.setdefault(method, []).append(parts)

    def figures(self, group: str) -> dict[str, dict[str, Interval]]:
        """Method to measure to its mean, with how far it may be off."""
        return {method: ratios(rows) for method, rows in self.groups[group].items()}

    def gains(self, group: str, ours: str = OURS) -> dict[str, dict[str, Interval]]:
        """Baseline to measure to how far we are above it; empty without ours."""
        held = self.groups[group]
        if ours not in held:
            return {}
        return {
            method: ratio_differences(held[ours], rows)
            for method, rows in held.items()
            if method not in (OURS, ABOUT)
        }

    def as_dict(self) -> dict[str, Any]:
        """Return everything for JSON."""
        groups = {}
        for group, held in self.groups.items():
            figures = self.figures(group)
            groups[group] = {
                self.unit: len(next(iter(held.values()))),
                "figures": {
                    method: {name: each.mean for name, each in found.items()}
                    for method, found in figures.items()
                },
                "standard_errors": {
                    method: {name: each.error for name, each in found.items()}
                    for method, found in figures.items()
                },
                "differences": self.gains(group),
                "differences_asked": self.gains(group, ABOUT),
            }
        least = {name: {"must": must, "aim": aim} for name, (must, aim) in self.least.items()}
        return {
            "name": self.name,
            "about": self.about,
            "unit": self.unit,
            "least": least,
            "groups": groups,
        }


@dataclass(slots=True)
class CondenseFindings:
    """The outcome of a run.

    Attributes:
        machine: The machine.
        tables: What was measured.
        checks: Method to how many condensations were checked and what was wrong with them.
        speed: Rows of times.
        written: What a model wrote, in figures; empty if it was not asked.
        missing: The data that is not there.
        notes: Notes.
        interrupted: Whether it was interrupted.
    """

    machine: Mapping[str, str]
    tables: list[FiguresTable] = field(default_factory=list)
    checks: dict[str, Mapping[str, int]] = field(default_factory=dict)
    speed: list[dict[str, Any]] = field(default_factory=list)
    written: dict[str, Any] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    interrupted: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Return everything for JSON."""
        return {
            "benchmark": "condense",
            "machine": dict(self.machine),
            **self._headline(),
            "tables": [table.as_dict() for table in self.tables if table.groups],
            "checks": self.checks,
            "violations": sum(
                count
                for held in self.checks.values()
                for name, count in held.items()
                if name != "condensations"
            ),
            "speed": self.speed,
            "written": self.written,
            "missing": list(self.missing),
            "notes": list(self.notes),
            "interrupted": self.interrupted,
        }

    def _headline(self) -> dict[str, float]:
        found = {}
        for table in self.tables:
            if table.name in _HEADLINES and OURS in table.groups.get("pooled", ()):
                found[table.name] = table.figures("pooled")[OURS]["answers_kept"].mean
        return found
