"""The baselines of recall: plain BM25, and an embedder alone. Every unit is one document.

BM25 is Robertson and Zaragoza's (2009) with the usual constants, over stemmed words without stop
words; dense is the inner product of the embedder's vectors. Both rank everything, exactly.
"""

import math
from collections import Counter
from collections.abc import Mapping
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from unabridged.language.words import STOP_WORDS, query_terms, stem, terms
from unabridged.ports import Embedder

K1, B = 1.2, 0.75
_AT_ONCE = 256
_PASSED_OVER = frozenset(term for word in STOP_WORDS for term in (word, stem(word)))


class Ranker(Protocol):
    """Ranks documents by their relevance to a question."""

    def rank(self, question: str, limit: int) -> list[str]:
        """The ids of the best documents, best first; those without relevance are left out."""
        ...


class Bm25:
    """Plain BM25 over documents.

    Args:
        documents: Id to text.
    """

    def __init__(self, documents: Mapping[str, str]) -> None:
        self._names = list(documents)
        counted = [Counter(_telling(text)) for text in documents.values()]
        lengths = np.array([counts.total() for counts in counted], dtype=np.float64)
        self._dampen = K1 * (1 - B + B * lengths / (lengths.mean() or 1.0))
        postings: dict[str, list[tuple[int, int]]] = {}
        for place, counts in enumerate(counted):
            for term, times in counts.items():
                postings.setdefault(term, []).append((place, times))
        self._postings = {t: np.array(held, dtype=np.int64).T for t, held in postings.items()}

    def rank(self, question: str, limit: int) -> list[str]:
        """Rank by the sum over the question's terms."""
        scores = np.zeros(len(self._names))
        for term in query_terms(question):
            if (held := self._postings.get(term)) is not None:
                places, times = held
                weight = math.log(1 + (len(scores) - len(places) + 0.5) / (len(places) + 0.5))
                scores[places] += weight * times * (K1 + 1) / (times + self._dampen[places])
        return [self._names[n] for n in _best(scores, limit) if scores[n] > 0]


class Dense:
    """An embedder alone, over documents.

    Args:
        embedder: Makes the vectors.
        documents: Id to text.
    """

    def __init__(self, embedder: Embedder, documents: Mapping[str, str]) -> None:
        self._embedder = embedder
        self._names = list(documents)
        self._vectors = embedded(embedder, list(documents.values()))

    def rank(self, question: str, limit: int) -> list[str]:
        """Rank by the inner product."""
        scores = self._vectors @ self._embedder.embed_query(question)
        return [self._names[n] for n in _best(scores.astype(np.float64), limit)]


def embedded(embedder: Embedder, texts: list[str]) -> NDArray[np.float32]:
    """The vectors of texts, shape (texts, dimension); embedded some hundreds at a time."""
    parts = [embedder.embed(texts[n : n + _AT_ONCE]) for n in range(0, len(texts), _AT_ONCE)]
    return np.concatenate(parts) if parts else np.zeros((0, embedder.dimension), np.float32)


def _best(scores: NDArray[np.float64], limit: int) -> list[int]:
    return [int(n) for n in np.argsort(-scores, kind="stable")[:limit]]


def _telling(text: str) -> list[str]:
    return [term for term in terms(text) if term not in _PASSED_OVER]
