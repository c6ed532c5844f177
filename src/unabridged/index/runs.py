"""Runs: rows that stand behind one another in an array, named by where they begin and end."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def spread(starts: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """The positions of all runs, one run behind the other.

    Args:
        starts: Where each run begins.
        counts: How long each is.
    """
    ends = np.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    return np.arange(total, dtype=np.int64) + np.repeat(starts - ends + counts, counts)


def offsets_of(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where each run begins, and behind the last where it ends; one more than there are runs."""
    offsets = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(counts, out=offsets[1:])
    return offsets


def positions_of(wanted: NDArray[Any], ascending: NDArray[Any]) -> NDArray[np.int64]:
    """Where each value stands among ascending ones; -1 where it does not."""
    if not len(ascending):
        return np.full(len(wanted), -1, dtype=np.int64)
    at = np.minimum(np.searchsorted(ascending, wanted), len(ascending) - 1)
    return np.where(ascending[at] == wanted, at, -1)
