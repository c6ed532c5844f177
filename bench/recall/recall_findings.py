"""What a benchmark of recall found: figures by unit and question type, for people and programs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from bench.figures.bootstrap import Interval, differences, intervals
from bench.figures.timer import spread
from bench.recall.recall_questions import OURS, RecallCase, RecallOutcome, Values

ALL = "all"
"""The group of every question that counts."""

Figures = dict[str, dict[str, dict[str, float]]]
"""Unit to group to measure to figure."""


@dataclass(slots=True)
class RecallFindings:
    """The outcome of a run.

    Attributes:
        benchmark: Its name.
        machine: The machine.
        total: The number of questions to ask.
        budgets: Memory budgets in tokens.
        cases: The questions that were asked.
        outcomes: The outcomes by system.
        seconds: The seconds of each call, by name.
        notes: Notes.
        interrupted: Whether it was interrupted.
    """

    benchmark: str
    machine: Mapping[str, str]
    total: int = 0
    budgets: Sequence[int] = ()
    cases: list[RecallCase] = field(default_factory=list)
    outcomes: dict[str, list[RecallOutcome]] = field(default_factory=dict)
    seconds: dict[str, list[float]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    interrupted: bool = False

    def add(self, case: RecallCase, outcomes: Mapping[str, RecallOutcome]) -> None:
        """Add the outcomes of a question."""
        self.cases.append(case)
        for system, outcome in outcomes.items():
            self.outcomes.setdefault(system, []).append(outcome)

    def took(self, seconds: Mapping[str, Sequence[float]]) -> None:
        """Add the seconds of calls."""
        for name, values in seconds.items():
            self.seconds.setdefault(name, []).extend(values)

    def figures(self, system: str = OURS) -> Figures:
        """The means of a system, and the number of questions (``questions``)."""
        found: Figures = {}
        for unit, group, rows in self._grouped(system):
            means = {name: round(fmean(row[name] for row in rows), 4) for name in rows[0]}
            found.setdefault(unit, {})[group] = {"questions": len(rows), **means}
        return found

    def errors(self, system: str = OURS) -> Figures:
        """The standard errors of the same means, by bootstrap."""
        found: Figures = {}
        for unit, group, rows in self._grouped(system):
            held = {name: each.error for name, each in intervals(rows).items()}
            found.setdefault(unit, {})[group] = held
        return found

    def gains(self, system: str) -> dict[str, dict[str, Interval]]:
        """Return how far we are above a baseline over all questions, by unit and measure."""
        found: dict[str, dict[str, Interval]] = {}
        theirs = {(unit, group): rows for unit, group, rows in self._grouped(system)}
        for unit, group, rows in self._grouped(OURS):
            if group == ALL and (unit, group) in theirs:
                found[unit] = differences(rows, theirs[unit, group])
        return found

    @property
    def baselines(self) -> list[str]:
        """Return the baselines."""
        return [name for name in self.outcomes if name != OURS]

    def recalled(self) -> dict[str, dict[str, float]]:
        """How much was recalled for questions about what was said, never said, or said by another.

        Means of exchanges: ``found`` by a search, ``recalled@B`` into a context with memory for B
        tokens, and ``nothing@B``, the share of contexts into which nothing was recalled.
        """
        rows: dict[str, list[Mapping[str, float]]] = {}
        for case, outcome in zip(self.cases, self.outcomes.get(OURS, ()), strict=True):
            apart = "abstention" if case.abstains else "adversarial"
            rows.setdefault("answerable" if case.counted else apart, []).append(outcome.recalled)
        return {
            name: {
                "questions": len(held),
                **{key: round(fmean(row[key] for row in held), 4) for key in held[0]},
            }
            for name, held in rows.items()
        }

    def as_dict(self) -> dict[str, Any]:
        """Return everything for JSON."""
        asked = len(self.cases)
        return {
            "benchmark": self.benchmark,
            "machine": dict(self.machine),
            "questions": {
                "total": self.total,
                "asked": asked,
                "abstention": sum(case.abstains for case in self.cases),
                "without evidence": sum(not (c.gold or c.abstains) for c in self.cases),
            },
            "figures": self.figures(),
            "standard_errors": self.errors(),
            "recalled": self.recalled(),
            "seconds": {
                name: {"calls": len(held), **spread(held)._asdict()}
                for name, held in self.seconds.items()
                if held
            },
            "baselines": {
                name: {
                    "figures": self.figures(name),
                    "standard_errors": self.errors(name),
                    "differences": self.gains(name),
                }
                for name in self.baselines
            },
            "notes": list(self.notes),
            "interrupted": self.interrupted,
        }

    def _grouped(self, system: str) -> Iterator[tuple[str, str, list[dict[str, float]]]]:
        pairs = list(zip(self.cases, self.outcomes.get(system, ()), strict=True))
        units = list(dict.fromkeys(unit for _, outcome in pairs for unit in outcome.values))
        for unit in units:
            held = [(case, _of(outcome.values, unit)) for case, outcome in pairs]
            counted = [row for case, row in held if row and case.counted]
            if counted:
                yield unit, ALL, counted
            for group in sorted({case.group for case, row in held if row}):
                yield unit, group, [row for case, row in held if row and case.group == group]


def _of(values: Values, unit: str) -> dict[str, float]:
    return values.get(unit, {})
