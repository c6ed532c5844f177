"""The bootstrap: how far a mean over questions may be off (Efron, 1979; percentile intervals).

Questions are drawn with replacement; every measure is drawn with the same questions, so that
differences between systems are paired. The seed is fixed: equal values give equal intervals.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 10_000
SEED = 20_261_122
LOW, HIGH = 2.5, 97.5
"""Percentiles of the interval: 95 % lie in it."""
_AT_ONCE = 500

Parts = tuple[float, float]
"""What one question adds to a ratio, above and below the line."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean and how far it may be off.

    Attributes:
        mean: Over the questions.
        error: The standard error: the deviation of the resampled means.
        low: The 2.5th percentile of the resampled means.
        high: The 97.5th.
    """

    mean: float
    error: float
    low: float
    high: float


def intervals(rows: Sequence[Mapping[str, float]]) -> dict[str, Interval]:
    """Resample questions.

    Args:
        rows: For each question the same measures.
    """
    if not rows:
        return {}
    names = list(rows[0])
    values = np.array([[row[name] for name in names] for row in rows], dtype=np.float64)
    means = _resampled(values)
    errors = means.std(axis=0)
    low, high = np.percentile(means, (LOW, HIGH), axis=0)
    return {
        name: Interval(*(round(float(v), 4) for v in (mean, errors[n], low[n], high[n])))
        for n, (name, mean) in enumerate(zip(names, values.mean(axis=0), strict=True))
    }


def differences(
    ours: Sequence[Mapping[str, float]], theirs: Sequence[Mapping[str, float]]
) -> dict[str, Interval]:
    """Resample the differences of two systems on the same questions, for measures that both have.

    Args:
        ours: For each question its measures.
        theirs: The same of the other system, in the same order.
    """
    pairs = zip(ours, theirs, strict=True)
    shared = [name for name in ours[0] if name in theirs[0]] if ours else []
    return intervals([{n: mine[n] - other[n] for n in shared} for mine, other in pairs])


def ratios(rows: Sequence[Mapping[str, Parts]]) -> dict[str, Interval]:
    """Resample questions, for measures that are one sum over another.

    Args:
        rows: For each question the same measures, each as what it adds above and below the line.
    """
    if not rows:
        return {}
    return {name: _interval(*_over(rows, name)) for name in rows[0]}


def ratio_differences(
    ours: Sequence[Mapping[str, Parts]], theirs: Sequence[Mapping[str, Parts]]
) -> dict[str, Interval]:
    """Resample the differences of two systems' ratios on the same questions.

    Args:
        ours: As for ``ratios``.
        theirs: The same of the other system, in the same order.
    """
    if not ours or len(ours) != len(theirs):
        return {}
    found = {}
    for name in [name for name in ours[0] if name in theirs[0]]:
        (mine, my_means), (other, other_means) = _over(ours, name), _over(theirs, name)
        found[name] = _interval(mine - other, my_means - other_means)
    return found


def _over(rows: Sequence[Mapping[str, Parts]], name: str) -> tuple[float, NDArray[np.float64]]:
    values = np.array([row[name] for row in rows], dtype=np.float64)
    above, below = values.sum(axis=0)
    drawn = _resampled(values)
    shares = np.divide(drawn[:, 0], drawn[:, 1], out=np.zeros(len(drawn)), where=drawn[:, 1] > 0)
    return (float(above / below) if below else 0.0), shares


def _interval(mean: float, means: NDArray[np.float64]) -> Interval:
    low, high = np.percentile(means, (LOW, HIGH))
    return Interval(*(round(float(v), 4) for v in (mean, means.std(), low, high)))


def _resampled(values: NDArray[np.float64]) -> NDArray[np.float64]:
    count = len(values)
    chance = np.random.default_rng(SEED)
    means = []
    for _ in range(0, RESAMPLES, _AT_ONCE):
        drawn = chance.multinomial(count, np.full(count, 1 / count), size=_AT_ONCE)
        means.append(drawn @ values / count)
    return np.concatenate(means)
