"""Ranking: the features of a shortlist, weighed by a recipe."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from unabridged.domain.index_query import IndexHits
from unabridged.retrieval.deduplicate import without_copies
from unabridged.retrieval.features import Column
from unabridged.retrieval.ranking_weights import Recipe
from unabridged.retrieval.relevance import evidence, half


class Ranked(NamedTuple):
    """An exchange with what it is worth.

    Attributes:
        score: Its evidence, 0 to 1.
    """

    exchange: str
    score: float


_LEAST = float(np.finfo(np.float32).tiny)
"""Below it a number is not normal, and what is divided by it overflows: as good as nothing."""


def rank(rows: IndexHits, columns: Mapping[str, Column], recipe: Recipe) -> list[Ranked]:
    """Exchanges that were found, best first; of equals the newest first, and copies behind."""
    found = np.flatnonzero(rows.found)
    score = weighed({name: columns[name][found] for name in recipe.weights}, recipe)
    order = found[np.lexsort((-rows.places[found], -score))]
    order = without_copies(rows, columns["alike"], order)
    sure = np.round(evidence(columns["bearing"][order], half(rows)).astype(np.float64), 4)
    return list(map(Ranked, rows.exchanges_of(order.tolist()), sure.tolist()))


def weighed(columns: Mapping[str, Column], recipe: Recipe) -> Column:
    """The sum of features, each relative to its best, by weight."""
    score = np.zeros(len(next(iter(columns.values()))), dtype=np.float32)
    for name, weight in recipe.weights.items():
        most = float(columns[name].max(initial=0.0))
        if most > _LEAST:
            score += np.float32(weight / most) * columns[name]
    return score
