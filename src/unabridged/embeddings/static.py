"""The default embedder: a vector for every piece of a vocabulary, added up and brought to length 1.

The table was distilled from a transformer by ``tools/distil`` and weighs each piece by how much it
says, so a sum is enough: no model runs, nothing is downloaded, and a text costs microseconds.

Rows are int8 with an integer scale each. Sums of integers are exact, so that a text has the same
vector whatever stands beside it in a batch, in whatever order, on however many threads.
"""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from unabridged.embeddings.wordpiece import CONTINUES, load_wordpiece, words_of
from unabridged.language.word_cache import WordCache

DATA = Path(__file__).parent / "data"
"""Where the table lies that is shipped."""

IDENTITY = "static-en-2"
"""Name of the table; a changed table takes a new one. A test holds it to the files' digest."""

AT_ONCE = 512
"""Pieces added up at once: 512 x 127 x 255 stays below 2**31, and what it takes below 1 MB."""

SHORTEST_TELLING = 4
"""Letters of a piece that says something of its word; shorter ones are scraps of what is foreign."""

_READING = Lock()  # numpy parses a file's header with `ast`, which CPython 3.11 may fail in threads


class StaticEmbedder:
    """Embeds by adding up the vectors of a text's pieces; English, offline, in microseconds.

    Nothing is read before the first text. Any number of instances and threads share one table.

    Args:
        data: Folder of the table, as ``tools/distil`` writes it.
    """

    identity = IDENTITY
    instant = True

    def __init__(self, data: Path = DATA) -> None:
        self._data = data

    @property
    def dimension(self) -> int:
        """Numbers in a vector."""
        return load_table(self._data).dimension

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of texts: shape (texts, dimension), length 1, or zeros where nothing is known."""
        table = load_table(self._data)
        vectors = np.zeros((len(texts), table.dimension), np.float32)
        total = np.empty(table.dimension)
        for vector, text in zip(vectors, texts, strict=True):
            table.add_up(words_of(text), out=total)
            length = np.sqrt((total * total).sum())
            np.divide(total, length or 1.0, out=vector, casting="same_kind")
        return vectors

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """The vector of a question, shape (dimension,); made as those of stored texts are."""
        vector: NDArray[np.float32] = self.embed([text])[0]
        return vector

    def known(self, text: str) -> float:
        """0 to 1: the share of a text's words that the table learnt; 0 without any word."""
        words = [word for word in words_of(text) if word.isalnum()]
        return sum(map(load_table(self._data).worth, words)) / len(words) if words else 0.0

    def close(self) -> None:
        """Do nothing: others in the process use the table."""


class StaticTable:
    """Adds up the vectors of words; any number of threads may ask at once.

    Args:
        folder: Holds ``table.npy`` (int8, a row for each piece), ``scales.npy`` (uint8, what each
            row is multiplied by), ``learnt.npy`` (bool) and ``vocabulary.txt`` (a piece a line).
    """

    def __init__(self, folder: Path) -> None:
        self._rows: NDArray[np.int8] = np.asarray(load_array(folder / "table.npy", mmap_mode="r"))
        self._scales: NDArray[np.int16] = load_array(folder / "scales.npy").astype(np.int16)
        self._learnt: NDArray[np.bool_] = load_array(folder / "learnt.npy")
        self._wordpiece = load_wordpiece(folder / "vocabulary.txt")
        self.pieces = WordCache(self._wordpiece.pieces)

    @property
    def dimension(self) -> int:
        """Numbers in a vector."""
        return len(self._rows[0])

    def add_up(self, words: Sequence[str], out: NDArray[np.float64]) -> None:
        """Write the sum of the words' vectors: whole numbers, exact whatever the order.

        Marks say something of the words that they stand beside, and alone nothing: without a word
        that the table has the sum is zero.
        """
        out[:] = 0
        pieces_of, pieces, said = self.pieces, list[int](), False
        for word in words:
            if cut := pieces_of[word]:
                pieces += cut
                said = said or word.isalnum()
        if not said:
            return
        for start in range(0, len(pieces), AT_ONCE):
            some = pieces[start : start + AT_ONCE]
            # A product of a row and its scale fits 16 bits.
            rows = self._rows.take(some, axis=0) * self._scales.take(some)[:, None]
            out += rows.sum(axis=0, dtype=np.int32)

    def worth(self, word: str) -> float:
        """0 to 1: how much of a word the table learnt."""
        pieces = self.pieces[word]
        if not pieces or not all(self._learnt[piece] for piece in pieces):
            return 0.0
        if len(pieces) == 1:
            return 1.0
        vocabulary = self._wordpiece.vocabulary
        lengths = [len(vocabulary[piece].removeprefix(CONTINUES)) for piece in pieces]
        return sum(length for length in lengths if length >= SHORTEST_TELLING) / len(word)


@lru_cache(maxsize=2)
def load_table(folder: Path) -> StaticTable:
    """Return the table of a folder; all who read one folder share it."""
    return StaticTable(folder)


def load_array(path: Path, *, mmap_mode: Literal["r"] | None = None) -> NDArray[Any]:
    """Return the array of a file; threads take turns."""
    with _READING:
        array: NDArray[Any] = np.load(path, mmap_mode=mmap_mode)
    return array
