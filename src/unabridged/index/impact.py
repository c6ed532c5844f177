"""What a posting weighs: BM25 exactly, and by a coarse code that is the same in every view.

BM25 (S. Robertson and H. Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009)
depends on the mean length, which changes with every exchange. So each posting keeps a code of how
often its term occurs and of how long the side is, one byte for each side, and a lookup makes a
small table from code to weight. It serves to choose candidates; scores are computed exactly.
"""

from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

K1 = 1.2
"""How fast repeating a term stops to count."""
B = 0.75
"""How much a side is marked down for being longer than the mean."""
USER_WEIGHT = 1.0
"""What the user's side counts when candidates are chosen."""
ANSWER_WEIGHT = 1.0
"""What the answer's side counts when candidates are chosen."""
_TIMES = (1, 2, 3, 5)
"""Occurrences are told apart up to here; the last stands for all above the one before it."""
_MANY = 16_384
"""Postings from which it pays to make one table for both sides."""
_LENGTHS = 63
_STEP = 1.15
"""Lengths are told apart by this ratio, up to about 6,000 terms."""


def rarity(holding: int, exchanges: int) -> float:
    """The inverse document frequency of a term, above zero.

    Args:
        holding: Exchanges that hold it.
        exchanges: All exchanges.
    """
    return log(1.0 + (exchanges - holding + 0.5) / (holding + 0.5))


def codes_of(times: NDArray[np.uint8], lengths: NDArray[np.integer]) -> NDArray[np.uint8]:
    """The code of each posting's side: 0 where the side does not hold the term.

    Args:
        times: How often the side holds the term.
        lengths: How long the side is, in terms.
    """
    bucket = np.searchsorted(_EDGES, lengths, side="right").astype(np.uint8)
    kind = _KIND[times]
    return np.where(kind > 0, (kind - 1) * _LENGTHS + bucket + 1, 0).astype(np.uint8)


def joined(user: NDArray[np.uint8], answer: NDArray[np.uint8]) -> NDArray[np.uint16]:
    """The codes of both sides in one."""
    return (user.astype(np.uint16) << np.uint16(8)) | answer


def weigh(codes: NDArray[np.uint16], user_mean: float, answer_mean: float) -> NDArray[np.float32]:
    """What postings weigh by their joined codes, but for their terms' rarity.

    Args:
        codes: The joined codes.
        user_mean: The mean length of the users' sides.
        answer_mean: The same of the answers'.
    """
    user = (USER_WEIGHT * _weights(user_mean)).astype(np.float32)
    answer = (ANSWER_WEIGHT * _weights(answer_mean)).astype(np.float32)
    if len(codes) < _MANY:
        return user.take(codes >> np.uint16(8)) + answer.take(codes & np.uint16(0xFF))
    return np.add.outer(user, answer).reshape(-1).take(codes)


def brake(lengths: NDArray[Any], mean: float) -> NDArray[np.float64]:
    """What stands beside the occurrences below the fraction bar of BM25, for each length."""
    if mean <= 0:
        return np.full(len(lengths), K1)
    return K1 * (1.0 - B + B * (lengths / mean))


def saturated(times: NDArray[Any], brakes: NDArray[np.float64]) -> NDArray[np.float64]:
    """BM25 of one term, but for its rarity; 0 where it does not occur."""
    held = times.astype(np.float64, copy=False)
    return held * (K1 + 1.0) / (held + brakes)


def _weights(mean: float) -> NDArray[np.float64]:
    """What each code of one side weighs, shape (256,)."""
    weights = np.zeros(256)
    codes = len(_TIMES) * _LENGTHS
    weights[1 : codes + 1] = saturated(_CODE_TIMES, brake(_CODE_LENGTHS, mean))
    return weights


def _kinds() -> NDArray[np.uint8]:
    kinds = np.searchsorted(np.array(_TIMES), np.arange(256), side="left") + 1
    kinds = np.minimum(kinds, len(_TIMES))
    kinds[0] = 0
    return kinds.astype(np.uint8)


_EDGES: NDArray[np.float64] = np.round(_STEP ** np.arange(1, _LENGTHS), 6)
_MIDDLES = np.sqrt(_EDGES * np.append(_EDGES[1:], _EDGES[-1] * _STEP))
_KIND = _kinds()
_CODE_TIMES = np.repeat(np.array(_TIMES, dtype=np.float64), _LENGTHS)
_CODE_LENGTHS = np.tile(np.concatenate(([1.0], _MIDDLES)), len(_TIMES))
