"""A metric that a seed states, with what was seen."""

from collections.abc import Mapping
from dataclasses import dataclass

from bench.figures.timer import Spread


@dataclass(frozen=True, slots=True)
class SeedMetric:
    """One metric.

    Attributes:
        seed: The profile that represents the seed: ``workspace``, ``companion`` …
        metric: What was measured.
        must: What the seed asks for, in words; empty if it names it and gives no figure.
        unit: ``ms``, ``%``, or what is counted.
        ours: The figure; of times the median. None if it could not be measured.
        p95: The 95th percentile of times.
        baseline: The same of the baseline in the same run.
        of: What the baseline is.
        met: Whether the seed's must is met; None if there is none, or nothing was measured.
        note: What else to know; why nothing was measured.
    """

    seed: str
    metric: str
    must: str = ""
    unit: str = "%"
    ours: float | None = None
    p95: float | None = None
    baseline: float | None = None
    of: str = ""
    met: bool | None = None
    note: str = ""

    @property
    def ratio(self) -> float | None:
        """How many times the baseline it is."""
        if not self.baseline or self.ours is None:
            return None
        return round(self.ours / self.baseline, 2)


@dataclass(frozen=True, slots=True)
class SeedReport:
    """What a run found.

    Attributes:
        machine: The machine.
        metrics: The metrics, seed by seed.
    """

    machine: Mapping[str, str]
    metrics: tuple[SeedMetric, ...]

    @property
    def missed(self) -> list[SeedMetric]:
        """Those whose must is not met."""
        return [one for one in self.metrics if one.met is False]


def within(
    seed: str,
    metric: str,
    found: Spread,
    *,
    most: float | None,
    baseline: Spread | None = None,
    of: str = "",
    note: str = "",
) -> SeedMetric:
    """Hold times in milliseconds against the most that a seed allows; the 95th percentile counts.

    Args:
        seed: The profile.
        metric: What was measured.
        found: The times.
        most: Below which they must stay; None if the seed gives no figure.
        baseline: The baseline's times.
        of: What the baseline is.
        note: Notes.
    """
    return SeedMetric(
        seed,
        metric,
        must="" if most is None else f"< {most:,g} ms",
        unit="ms",
        ours=found.p50,
        p95=found.p95,
        baseline=None if baseline is None else baseline.p50,
        of=of,
        met=None if most is None else found.p95 < most,
        note=note,
    )


def share(
    seed: str,
    metric: str,
    part: float,
    whole: float,
    *,
    least: float,
    baseline: float | None = None,
    of: str = "",
    note: str = "",
) -> SeedMetric:
    """Hold a share against the least that a seed asks for.

    Args:
        seed: The profile.
        metric: What was measured.
        part: How much of it is so.
        whole: All of it.
        least: 0 to 1: the least share.
        baseline: 0 to 1: the share that the baseline reaches.
        of: What the baseline is.
        note: What else to know; the counts are added.
    """
    found = part / whole if whole else 0.0
    counts = f"{part:,.0f} of {whole:,.0f}"
    return SeedMetric(
        seed,
        metric,
        must=f"{'' if least == 1 else '≥ '}{100 * least:g} %",
        ours=round(100 * found, 2),
        baseline=None if baseline is None else round(100 * baseline, 2),
        of=of,
        met=bool(whole) and found >= least,
        note=f"{counts}; {note}" if note else counts,
    )


def exactly(
    seed: str, metric: str, found: float, wanted: float, unit: str, *, note: str = ""
) -> SeedMetric:
    """Hold a count against the only one that is right."""
    must = f"{wanted:,g}"
    return SeedMetric(seed, metric, must, unit, ours=found, met=found == wanted, note=note)


def skipped(seed: str, metric: str, must: str, why: str) -> SeedMetric:
    """Say that something was not measured, and why."""
    return SeedMetric(seed, metric, must, note=f"not measured: {why}")
