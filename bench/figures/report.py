"""The report of a benchmark, and the targets of its figures."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from bench.figures.timer import Spread


@dataclass(frozen=True, slots=True)
class ReportRow:
    """One figure.

    Attributes:
        name: What was measured.
        size: Exchanges in the store, or None if it does not matter.
        unit: ``ms``, or ``share`` (0 to 1).
        p50: The median.
        p95: The 95th percentile, or None for a single figure.
        baseline: The median of the bare baseline in the same run, or None without one.
        ratio: ``p50`` over ``baseline``.
        target: The target in words; empty without one.
        limit: The seeds' limit in milliseconds (WorkspaceAI, *Performance Requirements*).
        met: Whether the target is met; None without one.
        note: What the baseline is, or a note.
    """

    name: str
    size: int | None
    unit: str
    p50: float
    p95: float | None = None
    baseline: float | None = None
    ratio: float | None = None
    target: str = ""
    limit: float | None = None
    met: bool | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class BenchReport:
    """A run of a benchmark. Iterating gives its rows.

    Attributes:
        machine: The machine.
        rows: The figures.
    """

    machine: Mapping[str, str]
    rows: tuple[ReportRow, ...]

    def __iter__(self) -> Iterator[ReportRow]:
        return iter(self.rows)


@dataclass(frozen=True, slots=True)
class ReportAim:
    """A target: the median a most or least figure, or a most multiple of the baseline.

    Attributes:
        most: The most.
        least: The least.
        ratio: The most baselines.
        by_size: Exchanges in the store to the most; other sizes have no target.
        limit: The seeds' limit in milliseconds.
        tail: The 95th percentile may be this many times ``most``; None for no limit.
    """

    most: float | None = None
    least: float | None = None
    ratio: float | None = None
    by_size: Mapping[int, float] = field(default_factory=dict)
    limit: float | None = None
    tail: float | None = None


AIMS: Mapping[str, ReportAim] = MappingProxyType(
    {
        "begin + record": ReportAim(ratio=2.5, limit=50),
        "prepare": ReportAim(by_size={10_000: 10, 100_000: 150}, limit=50),
        "open a space": ReportAim(most=20),
        "switch session": ReportAim(most=10, limit=10),
        "switch model": ReportAim(most=10, limit=10),
        "load history": ReportAim(limit=100),
        "complexity + intent": ReportAim(most=0.5, limit=5),
        "count 32k context": ReportAim(most=10, limit=10),
        "prefix_reuse": ReportAim(least=0.80),
        "prefix_reuse, six topics": ReportAim(least=0.80),
        "prefix_reuse, beside others": ReportAim(least=0.80),
        "memory used when full": ReportAim(least=0.90),
        "import unabridged": ReportAim(most=100),
        "unabridged --help": ReportAim(most=200),
        "estimate under by more than the margin": ReportAim(most=0),
        "estimate error after calibration": ReportAim(most=0.05),
    }
)
"""Name of a row to its target; a name may continue after a colon."""


def row(
    name: str,
    found: Spread | float,
    *,
    size: int | None = None,
    unit: str = "ms",
    baseline: float | None = None,
    note: str = "",
    aims: Mapping[str, ReportAim] = AIMS,
) -> ReportRow:
    """Compare a figure with its target."""
    p50, p95 = found if isinstance(found, Spread) else (round(found, 4), None)
    aim = aims.get(name.partition(":")[0], ReportAim())
    ratio = round(p50 / baseline, 2) if baseline else None
    target, met = _judged(aim, p50, ratio, size)
    most = aim.by_size.get(size or 0, aim.most)
    if aim.tail is not None and most is not None and p95 is not None:
        target, met = f"{target}, p95 ≤ {aim.tail * most:g}", bool(met) and p95 <= aim.tail * most
    return ReportRow(name, size, unit, p50, p95, baseline, ratio, target, aim.limit, met, note)


def _judged(
    aim: ReportAim, p50: float, ratio: float | None, size: int | None
) -> tuple[str, bool | None]:
    most = aim.most if size is None else aim.by_size.get(size, aim.most)
    if most is not None:
        return f"≤ {most:g}", p50 <= most
    if aim.least is not None:
        return f"≥ {aim.least:g}", p50 >= aim.least
    if aim.ratio is not None and ratio is not None:
        return f"≤ {aim.ratio:g} × baseline", ratio <= aim.ratio
    return "", None
