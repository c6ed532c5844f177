"""Ranks a shortlist: weights its features by a recipe and moves copies back.

Among the first results, one of several identical exchanges is enough.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unabridged.domain.index_query import IndexHits
from unabridged.index.array_runs import spread
from unabridged.index.indexed_exchange import ANSWER_SENTENCE
from unabridged.index.products import products_of
from unabridged.retrieval.features import Column
from unabridged.retrieval.ranking_weights import Recipe
from unabridged.retrieval.relevance import evidence, half, matching

LOOKED_AT = 20
"""The number of best rows among which copies move back."""
SAME = 0.9
"""The share of common word pieces beyond which two rows are copies."""
APART = 0.05
"""How far the likeness of two copies may differ."""
FEWEST = 8
"""Pieces under which a row is never a copy: a second "Thanks!" is not a repetition."""


class Ranked(NamedTuple):
    """An exchange with its evidence.

    Attributes:
        score: Its evidence, 0 to 1, at least that of lower ranks.
        match: How well it matches by itself, 0 to 1.
    """

    exchange: str
    score: float
    match: float


_LEAST = float(np.finfo(np.float32).tiny)
"""Smaller numbers count as 0: they are not normal, and dividing by one overflows."""


def rank(rows: IndexHits, columns: Mapping[str, Column], recipe: Recipe) -> list[Ranked]:
    """Return found exchanges, best first; of equals the newest first, copies last."""
    found = np.flatnonzero(rows.found)
    score = weighed({name: columns[name][found] for name in recipe.weights}, recipe)
    order = found[np.lexsort((-rows.places[found], -score))]
    order = without_copies(rows, columns["alike"], order)
    middle = half(rows)
    sure = evidence(columns["bearing"][order], middle)
    match = matching(columns["by_words"][order], columns["by_meaning"][order], middle)
    return list(map(Ranked, rows.exchanges_of(order.tolist()), _shown(sure), _shown(match)))


def _shown(column: Column) -> list[float]:
    return [float(number) for number in np.round(column.astype(np.float64), 4)]


def weighed(columns: Mapping[str, Column], recipe: Recipe) -> Column:
    """Return the weighted sum of features, each relative to its best."""
    score = np.zeros(len(next(iter(columns.values()))), dtype=np.float32)
    for name, weight in recipe.weights.items():
        most = float(columns[name].max(initial=0.0))
        if most > _LEAST:
            score += np.float32(weight / most) * columns[name]
    return score


def without_copies(
    rows: IndexHits, alike: NDArray[np.float32], best_first: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return an order in which copies among the best come after the rest of the best.

    Args:
        rows: The shortlist.
        alike: The likeness of each row to the question; that of copies hardly differs.
        best_first: The rows to rank.
    """
    best = best_first[:LOOKED_AT]
    lengths = rows.starts[best + 1] - rows.starts[best]
    near = alike[best]
    pairs = (lengths[:, None] >= SAME * SAME * lengths) & (
        lengths[:, None] * SAME * SAME <= lengths
    )
    pairs &= (np.abs(near[:, None] - near) <= APART) & (lengths > FEWEST)
    firsts, seconds = np.nonzero(np.triu(pairs, 1))
    if not len(firsts):
        return best_first
    common = _common(rows, best)
    sizes = np.diagonal(common)
    shared = common[firsts, seconds]
    either = sizes[firsts] + sizes[seconds] - shared
    same = (np.minimum(sizes[firsts], sizes[seconds]) >= FEWEST) & (shared >= SAME * either)
    copies = np.zeros(len(best), dtype=np.bool_)
    copies[seconds[same]] = True
    return np.concatenate((best[~copies], best[copies], best_first[LOOKED_AT:]))


def _common(rows: IndexHits, some: NDArray[np.int64]) -> NDArray[np.float64]:
    starts = rows.starts.take(some)
    lengths = rows.starts.take(some + 1) - starts
    stream = rows.pieces.take(spread(starts, lengths))
    row = np.arange(len(some)).repeat(lengths)
    words = stream < ANSWER_SENTENCE
    row, stream = row[words], stream[words]
    there = np.zeros(ANSWER_SENTENCE, dtype=np.bool_)
    there[stream] = True
    pieces = np.flatnonzero(there)
    column = np.empty(ANSWER_SENTENCE, dtype=np.uint16)
    column[pieces] = np.arange(len(pieces), dtype=np.uint16)
    held = np.zeros((len(some), len(pieces)), dtype=np.float32)
    held[row, column.take(stream)] = 1
    return products_of(held)
