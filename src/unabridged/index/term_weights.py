"""What a posting weighs where candidates are chosen: exactly, and by a code that never changes.

Two ways of weighing are taken together, each by its largest score: BM25 of the whole exchange
(S. Robertson and H. Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009), and
BM25F of its two sides (S. Robertson, H. Zaragoza and M. Taylor, "Simple BM25 extension to multiple
weighted fields", CIKM 2004). The constants were tuned on LoCoMo and LongMemEval's development part
together, cross-validated.

Both depend on mean lengths, which change with every exchange. So each posting keeps a code of how
often its term occurs and of how long the side is, seven bits for each side, and a lookup makes a
small table from code to weight. By it candidates are chosen coarsely, and the best scored exactly.
"""

from functools import lru_cache
from math import log
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

K1 = 0.9
"""How fast repeating a term stops to count, for the whole exchange."""
B = 0.5
"""How much an exchange is marked down for being longer than the mean."""
USER_WEIGHT = 2.5
"""What an occurrence on the user's side counts beside one in the answer, for the two sides."""
SIDES_K1 = 1.0
"""How fast repeating a term stops to count, for the two sides."""
SIDES_B = 0.75
"""How much a side is marked down for being longer than the mean."""
_TIMES = (1, 2, 3, 5)
"""Occurrences are told apart up to here; the last stands for all above the one before it."""
_LENGTHS = 31
_STEP = 1.33
"""Lengths are told apart by this ratio, up to about 5,000 terms."""
_BITS = 7
_SIZE = 1 << _BITS
_MANY = 8192
"""Postings from which it pays to make a table."""

Floats = NDArray[np.float64]


class Lengths(NamedTuple):
    """Lengths over their means: of the whole exchange and of both sides."""

    whole: Floats
    user: Floats
    answer: Floats


def rarity(holding: int, exchanges: int) -> float:
    """The inverse document frequency of a term that some of the exchanges hold, above zero."""
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
    return (user.astype(np.uint16) << np.uint16(_BITS)) | answer


def relative(user: NDArray[Any], answer: NDArray[Any], means: tuple[float, float]) -> Lengths:
    """Lengths of the users' and of the answers' sides over their means."""
    mean_user, mean_answer = (mean or 1.0 for mean in means)
    both = sum(means) or 1.0
    return Lengths((user + answer) / both, user / mean_user, answer / mean_answer)


def by_whole(user: Floats, answer: Floats, lengths: Lengths) -> Floats:
    """What occurrences on both sides weigh in the whole exchange, but for the term's rarity."""
    times = user + answer
    return times * (K1 + 1.0) / (times + K1 * (1.0 - B + B * lengths.whole))


def by_sides(user: Floats, answer: Floats, lengths: Lengths) -> Floats:
    """What occurrences weigh by their sides, but for the term's rarity."""
    times = USER_WEIGHT * user / (1.0 - SIDES_B + SIDES_B * lengths.user)
    times = times + answer / (1.0 - SIDES_B + SIDES_B * lengths.answer)
    return times * (SIDES_K1 + 1.0) / (times + SIDES_K1)


def weigh(codes: NDArray[np.uint16], means: tuple[float, float]) -> NDArray[np.float32]:
    """About what postings weigh in both ways, by their joined codes, but for rarity.

    Args:
        codes: The joined codes.
        means: The mean lengths of the users' and the answers' sides.
    """
    if len(codes) < _MANY:
        return _weights(codes, means)
    return _table(means).take(codes)


@lru_cache(maxsize=2)
def _table(means: tuple[float, float]) -> NDArray[np.float32]:
    return _weights(np.arange(_SIZE * _SIZE, dtype=np.uint16), means)


def _weights(codes: NDArray[np.uint16], means: tuple[float, float]) -> NDArray[np.float32]:
    first, second = codes >> np.uint16(_BITS), codes & np.uint16(_SIZE - 1)
    user, answer = _CODE_TIMES.take(first), _CODE_TIMES.take(second)
    lengths = relative(_CODE_LENGTHS.take(first), _CODE_LENGTHS.take(second), means)
    whole = by_whole(user, answer, lengths) / (K1 + 1.0)
    sides = by_sides(user, answer, lengths) / (SIDES_K1 + 1.0)
    return (whole + sides).astype(np.float32)


def _kinds() -> NDArray[np.uint8]:
    kinds = np.searchsorted(np.array(_TIMES), np.arange(256), side="left") + 1
    kinds = np.minimum(kinds, len(_TIMES))
    kinds[0] = 0
    return kinds.astype(np.uint8)


def _code_table() -> tuple[Floats, Floats]:
    times, lengths = np.zeros(_SIZE), np.ones(_SIZE)
    stop = 1 + len(_TIMES) * _LENGTHS
    middles = np.sqrt(_EDGES * np.append(_EDGES[1:], _EDGES[-1] * _STEP))
    times[1:stop] = np.repeat(np.array(_TIMES, dtype=np.float64), _LENGTHS)
    lengths[1:stop] = np.tile(np.concatenate(([1.0], middles)), len(_TIMES))
    return times, lengths


_EDGES: Floats = np.round(_STEP ** np.arange(1, _LENGTHS), 6)
_KIND = _kinds()
_CODE_TIMES, _CODE_LENGTHS = _code_table()
