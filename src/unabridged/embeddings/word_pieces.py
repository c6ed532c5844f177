"""Word pieces of exchanges, and which pieces are alike: what a question is held against in detail.

A piece is a part of a word that the static embedder's vocabulary has. A word that is cut into
several, or that the vocabulary does not know (a name, an emoji, a pair of Chinese characters), has
besides them a number of its own, drawn from those that the vocabulary leaves free: it is like
nothing but itself.

How alike two pieces are is the cosine of the first columns of their vectors, which hold most of
what the table says since it lies along its principal axes. They are whole numbers of a byte, whose
products float32 adds up exactly: no figure depends on what is computed beside it, or on threads.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import chain
from pathlib import Path
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from unabridged.embeddings.static import DATA, load_array
from unabridged.embeddings.wordpiece import WordPiece, load_wordpiece
from unabridged.index.array_runs import positions_of
from unabridged.index.indexed_exchange import ANSWER_SENTENCE, USER_SENTENCE
from unabridged.index.products import product
from unabridged.language.word_cache import WordCache
from unabridged.language.words import STOP_WORDS

AXES = 64
"""Columns that are compared; with all 384 recall was no better (LoCoMo, LongMemEval dev)."""
LEAST = 0.25
"""Cosine under which pieces are not alike: of chance, and nine tenths of all pairs."""
MOST_PIECES = 4096
"""Pieces that are kept of an exchange, the user's first; what is behind them is found by its words
and its passages."""


class StaticLexicon:
    """Cuts by the static embedder's vocabulary, and compares by its table.

    Nothing is read before the first text. Any number of instances and threads share what is read.
    """

    def __init__(self, data: Path = DATA) -> None:
        self._data = data

    def pieces(
        self, user: Iterable[Sequence[str]], answer: Iterable[Sequence[str]]
    ) -> NDArray[np.uint16]:
        cut = _held(self._data).words
        found: list[int] = []
        for marker, sentences in ((USER_SENTENCE, user), (ANSWER_SENTENCE, answer)):
            for words in sentences:
                held = dict.fromkeys(chain.from_iterable([cut[word] for word in words]))
                if held:
                    found.append(marker)
                    found += held
            if len(found) >= MOST_PIECES:
                break
        return np.array(found[:MOST_PIECES], dtype=np.uint16)

    def units(self, word: str) -> list[int]:
        return list(_held(self._data).words[word])

    def alike(self, units: Sequence[int], pieces: NDArray[np.integer]) -> NDArray[np.float32]:
        return _held(self._data).alike(np.array(units, dtype=np.int64), pieces)


class _Held:
    """What was read and worked out."""

    def __init__(self, data: Path) -> None:
        table: NDArray[np.int8] = load_array(data / "table.npy", mmap_mode="r")
        cutter = _Cutter(load_wordpiece(data / "vocabulary.txt"), len(table))
        self.words = WordCache(cutter.cut)
        self._axes = np.ascontiguousarray(table[:, :AXES])
        self._lengths = np.sqrt(np.square(self._axes, dtype=np.float32).sum(axis=1))
        self._lengths[self._lengths == 0] = np.inf

    def alike(self, units: NDArray[np.int64], pieces: NDArray[np.integer]) -> NDArray[np.float32]:
        """The cosines of the pieces, a row for each, with the units; 0 where they are hardly alike.

        Products are made with the given pieces only: with all of the vocabulary they take 2 ms.
        """
        known = units < len(self._lengths)
        asked = np.zeros((self._axes.shape[1], len(units)), dtype=np.float32)
        asked[:, known] = self._axes.take(units[known], axis=0).T
        lengths = np.full(len(units), np.inf, dtype=np.float32)
        lengths[known] = self._lengths.take(units[known])
        here = pieces[: pieces.searchsorted(len(self._lengths))]
        products = product(self._axes.take(here, axis=0).astype(np.float32), asked)
        both = self._lengths.take(here)[:, None] * lengths
        near = np.flatnonzero(products >= LEAST * both)
        cosines = np.zeros((len(pieces), len(units)), dtype=np.float32)
        cosines.ravel()[near] = products.ravel().take(near) / both.ravel().take(near)
        rows = positions_of(units, pieces)
        own = np.flatnonzero(rows >= 0)
        own = own[cosines[rows[own], own] == 0]
        cosines[rows[own], own] = 1
        return cosines


class _Cutter:
    """Cuts a folded word into its pieces."""

    def __init__(self, cutter: WordPiece, known: int) -> None:
        self._cutter = cutter
        self._known = known
        self._free = USER_SENTENCE - 1 - known

    def cut(self, word: str) -> tuple[int, ...]:
        if word in STOP_WORDS:
            return ()
        pieces = tuple(dict.fromkeys(self._cutter.pieces(word)))
        if len(pieces) == 1:
            return pieces
        own = self._known + crc32(word.encode("utf-8", "surrogatepass")) % self._free
        return (*pieces, own)


@lru_cache(maxsize=2)
def _held(data: Path) -> _Held:
    return _Held(data)
