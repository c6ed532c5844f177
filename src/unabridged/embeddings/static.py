"""The default embedder: a vector for every piece of a vocabulary, added up and brought to length 1.

The table was distilled from a transformer by ``tools/distil`` and weighs each piece by how much it
says, so a sum is enough: no model runs, nothing is downloaded, and a text costs microseconds.

Rows are int8 with an integer scale each. Sums of integers are exact, so that a text has the same
vector whatever stands beside it in a batch, in whatever order, on however many threads.
"""

from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from unabridged.embeddings.wordpiece import CONTINUES, load_wordpiece, words_of

DATA = Path(__file__).parent / "data"
"""Where the table lies that is shipped."""

IDENTITY = "static-en-2"
"""Name of the table; a changed table takes a new one. A test holds it to the files' digest."""

MOST_WORDS = 30_000
"""Words whose sums are held: about 50 MB. When full, all are let go and computed again."""

_TEXTS_AT_ONCE = 256

AT_ONCE = 512
"""Words added up in 32 bits: 512 x 100 pieces x 127 x 255 stays below 2**31."""

SHORTEST_TELLING = 4
"""Letters of a piece that says something of its word; shorter ones are scraps of what is foreign."""

_FIRST_ROOM = 1024
_READING = Lock()  # numpy parses a file's header with `ast`, which CPython 3.11 may fail in threads


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

    def _loaded(self) -> "StaticTable":
        if self._table is None:
            self._table = StaticTable(self._data, self._most_words)
        return self._table


class StaticTable:
    """Adds up the vectors of words; not for several threads at once.

    Args:
        folder: Holds ``table.npy`` (int8, a row for each piece), ``scales.npy`` (uint8, what each
            row is multiplied by), ``learnt.npy`` (bool) and ``vocabulary.txt`` (a piece a line).
        most_words: Words whose sums are held; when full, all are let go.
    """

    def __init__(self, folder: Path, most_words: int) -> None:
        self._rows: NDArray[np.int8] = np.asarray(load_array(folder / "table.npy", mmap_mode="r"))
        self._scales: NDArray[np.uint8] = load_array(folder / "scales.npy")
        self._learnt: NDArray[np.bool_] = load_array(folder / "learnt.npy")
        self._wordpiece = load_wordpiece(folder / "vocabulary.txt")
        self._most_words = most_words
        self._places = _Places(self)
        self._sums = np.empty((_FIRST_ROOM, self.dimension), np.int32)
        self._worths: list[float] = []
        self._says: list[bool] = []

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
        said = False
        for start in range(0, len(words), AT_ONCE):
            if len(self._places) > self._most_words:
                self._forget()
            places = [self._places[word] for word in words[start : start + AT_ONCE]]
            out += self._sums.take(places, axis=0).sum(axis=0, dtype=np.int32)
            said = said or any(map(self._says.__getitem__, places))
        if not said:
            out[:] = 0

    def worth(self, word: str) -> float:
        """0 to 1: how much of a word the table learnt."""
        if len(self._places) > self._most_words:
            self._forget()
        return self._worths[self._places[word]]

    def _forget(self) -> None:
        self._places.clear()
        self._worths.clear()
        self._says.clear()

    def take_in(self, word: str) -> int:
        """Work out a word that was not met yet, and give its place."""
        place = len(self._worths)
        if place == len(self._sums):
            wider = np.empty((2 * place, self.dimension), np.int32)
            wider[:place] = self._sums
            self._sums = wider
        pieces = self._wordpiece.pieces(word)
        total = self._sums[place]
        if not pieces:
            total[:] = 0
        for number, piece in enumerate(pieces):
            row, scale = self._rows[piece], self._scales[piece]
            if number:
                total += np.multiply(row, scale, dtype=np.int32)
            else:
                np.multiply(row, scale, out=total, dtype=np.int32)
        self._worths.append(self._worth(word, pieces))
        self._says.append(bool(pieces) and word.isalnum())
        return place

    def _worth(self, word: str, pieces: tuple[int, ...]) -> float:
        if not pieces or not all(self._learnt[piece] for piece in pieces):
            return 0.0
        if len(pieces) == 1:
            return 1.0
        vocabulary = self._wordpiece.vocabulary
        lengths = [len(vocabulary[piece].removeprefix(CONTINUES)) for piece in pieces]
        return sum(length for length in lengths if length >= SHORTEST_TELLING) / len(word)


class _Places(dict[str, int]):
    """Word to its place among the sums; a word that is missing is taken in."""

    def __init__(self, table: StaticTable) -> None:
        self._table = table

    def __missing__(self, word: str) -> int:
        self[word] = place = self._table.take_in(word)
        return place


def load_array(path: Path, *, mmap_mode: Literal["r"] | None = None) -> NDArray[Any]:
    """Return the array of a file; threads take turns."""
    with _READING:
        array: NDArray[Any] = np.load(path, mmap_mode=mmap_mode)
    return array
