"""Choosing the best, so that the choice depends on the content only."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]


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
