"""Search: a question in, exchanges with their evidence out.

Evidence is the share of what was asked that an exchange speaks of: the inverse document
frequencies (Robertson and Spärck Jones, as in BM25) of the question's terms that it holds, over
those of all its terms. It lies in 0 to 1 whatever the store, so one floor serves all. Exchanges
are ranked by evidence together with the store's own BM25 score, relative to the best.
"""

import math
from collections import Counter as Multiset
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from unabridged.domain.exchange import Exchange
from unabridged.ports import Store, SupportsTextSearch, TextHit
from unabridged.retrieval.pages import everything
from unabridged.retrieval.words import query_terms, terms

CANDIDATES = 32
"""Exchanges that are looked at more closely for one question."""
EVIDENCE_WEIGHT = 0.7
"""Share of evidence in the rank; the rest is the store's score relative to its best."""
K1, B = 1.2, 0.75
"""BM25's usual constants, the ones that SQLite's FTS5 has."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """An exchange that bears on a question.

    Attributes:
        exchange: The exchange, whole.
        score: 0 to 1.
    """

    exchange: Exchange
    score: float


def find(store: Store, question: str, limit: int, *, floor: float = 0.0) -> list[Evidence]:
    """Find the exchanges that bear on a question, best first.

    Args:
        store: Where to look.
        question: In words.
        limit: At most so many.
        floor: Evidence under which nothing is given, 0 to 1.
    """
    asked = query_terms(question)
    if not asked:
        return []
    searched = store.search_text if isinstance(store, SupportsTextSearch) else partial(_scan, store)
    hits = searched(asked, max(limit, CANDIDATES))
    best = max((hit.score for hit in hits), default=0.0) or 1.0
    telling = sorted(
        (hit for hit in hits if hit.evidence >= floor),
        key=lambda hit: (
            EVIDENCE_WEIGHT * hit.evidence + (1 - EVIDENCE_WEIGHT) * hit.score / best,
            hit.exchange,
        ),
        reverse=True,
    )[:limit]
    found = store.get(hit.exchange for hit in telling)
    return [
        Evidence(found[hit.exchange], round(hit.evidence, 4))
        for hit in telling
        if hit.exchange in found
    ]


def _weights(frequencies: Mapping[str, int], total: int) -> dict[str, float]:
    """Inverse document frequency per term, never under zero."""
    return {
        term: math.log(1 + (max(total, n) - n + 0.5) / (n + 0.5)) for term, n in frequencies.items()
    }


def _scan(store: Store, asked: Sequence[str], limit: int) -> list[TextHit]:
    """BM25 over everything, for stores that cannot search."""
    held: list[tuple[str, Multiset[str], int]] = []
    for exchange in everything(store):
        counts = Multiset(terms(exchange.text))
        held.append((exchange.id, counts, counts.total()))
    frequencies = {term: sum(term in counts for _, counts, _ in held) for term in asked}
    weights = _weights(frequencies, len(held))
    mean = sum(length for *_, length in held) / max(1, len(held)) or 1.0
    whole = sum(weights.values()) or 1.0
    hits: list[TextHit] = []
    for name, counts, length in held:
        found = [weight for term, weight in weights.items() if term in counts]
        if found:
            score = _bm25(counts, length / mean, weights)
            hits.append(TextHit(name, score, min(1.0, sum(found) / whole)))
    hits.sort(key=lambda hit: (hit.score, hit.exchange), reverse=True)
    return hits[:limit]


def _bm25(counts: Mapping[str, int], length: float, weights: Mapping[str, float]) -> float:
    """BM25 of one exchange; ``length`` is relative to the mean."""
    dampen = K1 * (1 - B + B * length)
    return sum(
        weight * counts[term] * (K1 + 1) / (counts[term] + dampen)
        for term, weight in weights.items()
        if counts.get(term)
    )
