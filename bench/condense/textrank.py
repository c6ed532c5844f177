"""TextRank (Mihalcea and Tarau, 2004): sentences that share words recommend one another.

Two sentences are as alike as the words that they share, over the sum of the logarithms of their
lengths; weights are those of PageRank with a damping of 0.85. Words are stemmed and stop words left
out. Long talk is ranked in blocks, each of which has the same mean weight.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from unabridged.language.words import STOP_WORDS, stem, terms

DAMPING = 0.85
BLOCK = 400
"""The most sentences that are compared with one another."""
_STEPS = 30
_NEAR = 1e-4
_PASSED_OVER = frozenset(term for word in STOP_WORDS for term in (word, stem(word)))


def ranks(pieces: Sequence[str], block: int = BLOCK) -> NDArray[np.float64]:
    """Weigh sentences; the mean is 1.

    Args:
        pieces: The sentences, in order.
        block: The most that are compared with one another.
    """
    parts = [_ranks(pieces[n : n + block]) for n in range(0, len(pieces), block)]
    return np.concatenate(parts) if parts else np.zeros(0)


def _ranks(pieces: Sequence[str]) -> NDArray[np.float64]:
    alike = likeness([telling(piece) for piece in pieces])
    given = alike.sum(axis=1, keepdims=True)
    shares = np.divide(alike, given, out=np.zeros_like(alike), where=given > 0)
    weights = np.ones(len(pieces))
    for _ in range(_STEPS):
        before = weights
        weights = (1 - DAMPING) + DAMPING * (before @ shares)
        if float(np.abs(weights - before).max(initial=0.0)) < _NEAR:
            break
    return weights / (weights.mean() or 1.0)


def likeness(held: Sequence[frozenset[str]]) -> NDArray[np.float64]:
    """How alike sentences are, shape (sentences, sentences); none is like itself.

    Args:
        held: The words of each.
    """
    columns: dict[str, int] = {}
    rows, places = [], []
    for row, words in enumerate(held):
        for word in sorted(words):
            rows.append(row)
            places.append(columns.setdefault(word, len(columns)))
    table = np.zeros((len(held), len(columns)), np.float32)
    table[rows, places] = 1.0
    shared = (table @ table.T).astype(np.float64)
    np.fill_diagonal(shared, 0.0)
    # A sentence of one word has a logarithm of 0; the other's keeps the sum above it.
    lengths = np.array([math.log(max(2, len(words))) for words in held])
    return shared / (lengths[:, None] + lengths[None, :]) if len(held) else shared


def telling(piece: str) -> frozenset[str]:
    """The stemmed words of a sentence without stop words."""
    return frozenset(term for term in terms(piece) if term not in _PASSED_OVER)
