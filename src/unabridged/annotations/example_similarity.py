"""Similarity of texts to the examples of categories, and their positions between two poles.

Vectors are rounded to whole numbers, whose sums are exact: a text gets the same figures whatever
else is in its batch, on any number of threads.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from unabridged.ports import Embedder

STEPS = 1024
"""Steps between 0 and 1 of a rounded number; inner products of these stay far below 2**53."""

NEAREST = 2
"""Examples of a category that count: a single one may be near by chance."""


class Examples:
    """The examples of some categories, as vectors.

    Args:
        examples: Category to its examples; nothing is similar to a category without any.
    """

    def __init__(self, embedder: Embedder, examples: Sequence[Sequence[str]]) -> None:
        self._embedder = embedder
        texts = [text for some in examples for text in some]
        self._vectors = self._rounded(texts).T
        ends = np.cumsum([len(some) for some in examples]).tolist()
        self._slices = [slice(end - len(e), end) for end, e in zip(ends, examples, strict=True)]

    def nearness(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Return how similar each text is to each category, 0 to 1; shape (texts, categories)."""
        cosines = (self._rounded(texts) @ self._vectors) / STEPS**2
        found = np.zeros((len(texts), len(self._slices)))
        for column, place in enumerate(self._slices):
            count = place.stop - place.start
            if count:
                best = np.sort(cosines[:, place], axis=1)[:, -min(NEAREST, count) :]
                found[:, column] = best.mean(axis=1)
        return np.clip(found, 0.0, 1.0)

    def _rounded(self, texts: Sequence[str]) -> NDArray[np.float64]:
        return rounded(self._embedder, texts)


class Axis:
    """A line between two poles, each defined by sentences.

    Args:
        high: Sentences of the pole at 1.
        low: Sentences of the pole at 0.
    """

    def __init__(self, embedder: Embedder, high: Sequence[str], low: Sequence[str]) -> None:
        self._embedder = embedder
        highs, lows = rounded(embedder, high), rounded(embedder, low)
        # Sums times the other's count instead of means: whole numbers stay exact.
        self._direction = highs.sum(axis=0) * len(low) - lows.sum(axis=0) * len(high)
        self._high = float((highs @ self._direction).mean())
        self._low = float((lows @ self._direction).mean())

    def places(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Return the positions of texts, about 0 to 1; an unknown text counts as empty."""
        found = rounded(self._embedder, texts) @ self._direction
        width = self._high - self._low
        places: NDArray[np.float64] = (found - self._low) / (width or 1.0)
        return places


def rounded(embedder: Embedder, texts: Sequence[str]) -> NDArray[np.float64]:
    """Round vectors to whole numbers."""
    vectors: NDArray[np.float64] = np.rint(embedder.embed(list(texts)).astype(np.float64) * STEPS)
    return vectors
