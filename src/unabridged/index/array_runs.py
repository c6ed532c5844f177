"""Operations on arrays of numbers: runs of rows, distinct values, the best of some."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]


def spread(starts: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """The positions of all runs, one run behind the other, by where each begins and its length."""
    if len(counts) == 0:
        return counts
    ends = counts.cumsum()
    shifts: Numbers = (starts - ends + counts).repeat(counts)
    shifts += np.arange(len(shifts), dtype=np.int64)
    return shifts


def offsets_of(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where each run begins, and behind the last where it ends; one more than there are runs."""
    offsets = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(counts, out=offsets[1:])
    return offsets


def distinct(values: Numbers) -> Numbers:
    """Each value once, ascending; faster than ``numpy.unique``, which hashes."""
    if len(values) < 2:
        return values
    ordered = values.copy()
    ordered.sort()
    first = np.empty(len(ordered), dtype=np.bool_)
    first[0] = True
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    return ordered[first]


def positions_of(wanted: NDArray[Any], ascending: NDArray[Any]) -> NDArray[np.int64]:
    """Where each value stands among ascending ones; -1 where it does not."""
    if not len(ascending):
        return np.full(len(wanted), -1, dtype=np.int64)
    at = np.minimum(ascending.searchsorted(wanted), len(ascending) - 1)
    return np.where(ascending.take(at) == wanted, at, -1)


def best(values: NDArray[Any], count: int, places: Callable[[Numbers], Numbers]) -> Numbers:
    """The positions of the largest values, ascending; of equal ones at the edge the newest.

    Args:
        values: What is compared.
        count: How many; all where there are no more.
        places: The places that some positions stand for.
    """
    if len(values) <= count:
        return np.arange(len(values), dtype=np.int64)
    cut = np.partition(values, len(values) - count)[len(values) - count]
    above = (values > cut).nonzero()[0]
    equal = (values == cut).nonzero()[0]
    room = count - len(above)
    if len(equal) > room:
        equal = equal[np.argsort(-places(equal), kind="stable")[:room]]
    return np.sort(np.concatenate((above, equal)))
