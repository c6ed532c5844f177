"""Evidence: an exchange that bears on a question, and how much."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unabridged.domain.exchange import Exchange

Column = NDArray[np.float32]

MIDDLE = 1.2
"""Where evidence is one half. The best exchange for a question that can be answered came to 1.7
(LongMemEval dev) and 1.5 (LoCoMo) at the median, for one about something foreign to 1.2 and 0.9."""
STEEPNESS = 5.0
"""How fast it rises there."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """An exchange that bears on a question.

    Attributes:
        exchange: The exchange, whole.
        score: 0 to 1; comparable between questions and stores.
    """

    exchange: Exchange
    score: float


def evidence(bearing: Column) -> Column:
    """How much exchanges bear on a question, 0 to 1, never rising along their order.

    It is absolute: where nothing bears on the question, even the best comes to little. What stands
    before another bears on the question at least as much.

    Args:
        bearing: How words, vectors and times speak for each, best first; see ``features``.
    """
    if not len(bearing):
        return bearing
    own = _sure(bearing)
    held: Column = np.sqrt(own * own.max())
    return np.maximum.accumulate(held[::-1])[::-1]


def _sure(bearing: Column) -> Column:
    """What a sum of features is worth, 0 to 1."""
    sure: Column = 1 / (1 + np.exp(np.float32(STEEPNESS) * (np.float32(MIDDLE) - bearing)))
    return sure
