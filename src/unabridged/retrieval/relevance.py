"""Evidence: how relevant an exchange is to a question."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unabridged.domain.exchange import Exchange
from unabridged.domain.index_query import IndexHits

Column = NDArray[np.float32]

MIN_MATCH = 0.01
"""How well an exchange must match a search; one with a word of the search always matches."""
BY_MEANING = 0.39
"""The least evidence of a match without a word of the search. By chance, made-up words reach
0.25 and other words 0.37 (95 of 100, in 300 to 600 exchanges)."""
ALONE, GROWTH, LENGTHENING = 0.7, 0.08, 0.08
"""What a row must reach for evidence of one half: in a memory of one short exchange, and more
for each e-fold of exchanges and of their length. By chance, the best row for a question about
something unknown reaches 0.4 among 1 and 0.9 among 240 short exchanges (LoCoMo), 0.6 and 1.2
among long ones (LongMemEval dev); for a question with an answer, 1.6 and 1.7."""
MOST_EXCHANGES = 300
"""Exchanges beyond which the requirement stays the same."""
SHORT = 58.0
"""Terms of a short exchange: LoCoMo's mean."""
STEEPNESS = 5.0
"""The steepness of the curve there."""


@dataclass(frozen=True, slots=True)
class Relevance:
    """An exchange that is relevant to a question.

    Attributes:
        score: 0 to 1; comparable between questions and stores.
        around: Whether it was not found itself, but is next to one that was.
        match: How well it matches a search by itself, 0 to 1.
    """

    exchange: Exchange
    score: float
    around: bool = False
    match: float = 0.0


def half(rows: IndexHits) -> float:
    """Return the bearing that gives evidence of one half."""
    exchanges = min(max(rows.exchanges, 1), MOST_EXCHANGES)
    length = max(rows.user_mean + rows.answer_mean, SHORT)
    return ALONE + GROWTH * math.log(exchanges) + LENGTHENING * math.log(length / SHORT)


def evidence(bearing: Column, middle: float) -> Column:
    """Return the relevance of exchanges to a question, 0 to 1, never rising along their order.

    It is absolute: if nothing is relevant to the question, even the best gets little. An exchange
    is at least as relevant as those after it.

    Args:
        bearing: The sum of words, vectors and times for each, best first; see ``features``.
        middle: The bearing that gives evidence of one half.
    """
    if not len(bearing):
        return bearing
    own = _own(bearing, middle)
    held: Column = np.sqrt(own * own.max())
    return np.maximum.accumulate(held[::-1])[::-1]


def matching(by_words: Column, by_meaning: Column, middle: float) -> Column:
    """Return how well exchanges match a search, each alone, 0 to 1."""
    worded = np.maximum(_own(by_words, middle), np.float32(MIN_MATCH))
    meant = (_own(by_meaning, middle) - np.float32(BY_MEANING)) / np.float32(1 - BY_MEANING)
    found: Column = np.where(by_words > 0, worded, np.maximum(meant, 0))
    return found


def _own(bearing: Column, middle: float) -> Column:
    nothing = 1 / (1 + math.exp(STEEPNESS * middle))
    risen = 1 / (1 + np.exp(np.float32(STEEPNESS) * (np.float32(middle) - bearing)))
    own: Column = np.maximum((risen - np.float32(nothing)) / np.float32(1 - nothing), 0)
    return own
