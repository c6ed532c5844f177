"""The default embedder: a vector for every piece of a vocabulary, added up and brought to length 1.

The table was distilled from a transformer by ``tools/distil`` and weighs each piece by how much it
says, so a sum is enough: no model runs, nothing is downloaded, and a text costs microseconds.

Rows are int8 with an integer scale each. Sums of integers are exact, so that a text has the same
vector whatever stands beside it in a batch, in whatever order, on however many threads.
"""

from collections.abc import Sequence
from pathlib import Path
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from unabridged.embeddings.static_table import StaticTable
from unabridged.embeddings.wordpiece import words_of

DATA = Path(__file__).parent / "data"
"""Where the table lies that is shipped."""

IDENTITY = "static-en-2"
"""Name of the table; a changed table takes a new one. A test holds it to the files' digest."""

MOST_WORDS = 30_000
"""Words whose sums are held: about 50 MB. When full, all are let go and computed again."""

_TEXTS_AT_ONCE = 256


class StaticEmbedder:
    """Embeds by adding up the vectors of a text's pieces; English, offline, in microseconds.

    Nothing is read before the first text. One instance serves any number of threads.

    Args:
        data: Folder of the table, as ``tools/distil`` writes it.
    """

    identity = IDENTITY
    instant = True

    def __init__(self, data: Path = DATA, most_words: int = MOST_WORDS) -> None:
        self._data = data
        self._most_words = most_words
        self._lock = Lock()
        self._table: StaticTable | None = None

    @property
    def dimension(self) -> int:
        """Numbers in a vector."""
        return self._loaded().dimension

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of texts: shape (texts, dimension), length 1, or zeros where nothing is known."""
        with self._lock:
            table = self._loaded()
            vectors = np.zeros((len(texts), table.dimension), np.float32)
            for start in range(0, len(texts), _TEXTS_AT_ONCE):
                batch = texts[start : start + _TEXTS_AT_ONCE]
                sums = np.empty((len(batch), table.dimension))
                for place, text in enumerate(batch):
                    table.add_up(words_of(text), out=sums[place])
                lengths = np.sqrt((sums * sums).sum(axis=1, keepdims=True))
                vectors[start : start + len(batch)] = sums / np.where(lengths == 0, 1, lengths)
        return vectors

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """The vector of a question, shape (dimension,); made as those of stored texts are."""
        vector: NDArray[np.float32] = self.embed([text])[0]
        return vector

    def known(self, text: str) -> float:
        """0 to 1: the share of a text's words that the table learnt; 0 without any word."""
        words = [word for word in words_of(text) if word.isalnum()]
        if not words:
            return 0.0
        with self._lock:
            table = self._loaded()
            return sum(map(table.worth, words)) / len(words)

    def close(self) -> None:
        """Let go of the table and of what was held; the next text reads it again."""
        with self._lock:
            self._table = None

    def _loaded(self) -> StaticTable:
        if self._table is None:
            self._table = StaticTable(self._data, self._most_words)
        return self._table
