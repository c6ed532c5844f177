"""Vectors of exchanges that combine their meaning and their rare words.

The first part is an embedder's, minus what all exchanges have in common. The second is TF-IDF,
reduced to few dimensions by fixed random signs (Achlioptas, 2003). The cosine of two whole vectors
is thus a weighted mean of both similarities.
"""

import zlib
from array import array
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

LEXICAL = 256
"""Dimensions of the second part."""
_SIGNS = 8
"""Dimensions of it that one word uses."""
WORDS_SHARE = 0.3
"""0 to 1: the weight of shared words against meaning if the embedder knows all of the words."""
PRIOR = 20
"""The number of exchanges at which half of their mean is subtracted."""
_MOST_SHARE = 0.2
"""Words in more than this share of exchanges are ignored; not in a space of fewer than …"""
_FEW = 50
"""… this many exchanges."""
_NOTHING = 1e-6
_AT_ONCE = 1024
_MOST_TIMES = 255


class Counts:
    """The significant words of exchanges, stored compactly.

    Attributes:
        stems: Every word to its number.
        held: How many exchanges contain the word of each number.
        numbers: The words of the exchanges, one exchange after the other.
        times: How often each occurs there.
        starts: Where each exchange begins in these, and where the last ends.
    """

    def __init__(self) -> None:
        self.stems: dict[str, int] = {}
        self.held: list[int] = []
        self.numbers = array("I")
        self.times = array("B")
        self.starts = [0]

    def __len__(self) -> int:
        """Return how many exchanges were counted."""
        return len(self.starts) - 1

    def add(self, found: Mapping[str, int]) -> None:
        """Add an exchange: its words with how often they occur."""
        for stem, times in found.items():
            number = self.stems.setdefault(stem, len(self.held))
            if number == len(self.held):
                self.held.append(0)
            self.held[number] += 1
            self.numbers.append(number)
            self.times.append(min(times, _MOST_TIMES))
        self.starts.append(len(self.numbers))

    def share(self, stem: str) -> float:
        """Return the share of exchanges that contain a word, 0 to 1."""
        number = self.stems.get(stem)
        return self.held[number] / len(self) if number is not None else 0.0


def joined(
    meaning: NDArray[np.float32] | None,
    known: NDArray[np.float32],
    counts: "Counts",
) -> NDArray[np.float32]:
    """Return the whole vectors.

    Args:
        meaning: The embedder's, shape (exchanges, dimension), rows of length 1 or 0; None without.
        known: 0 to 1: the share of each exchange's words that the embedder knows.
        counts: The significant words of each exchange.

    Returns:
        Shape (exchanges, dimension + ``LEXICAL``), rows of length 1, or 0 for an empty exchange.
    """
    lexical = _lexical(counts)
    if meaning is None:
        return lexical
    count = len(meaning)
    shrunk = np.float32(count / (count + PRIOR))
    apart = meaning - meaning.mean(axis=0, keepdims=True) * shrunk
    apart *= meaning.any(axis=1, keepdims=True)
    share = np.where(apart.any(axis=1), known * np.float32(1 - WORDS_SHARE), np.float32(0))[:, None]
    whole = np.concatenate(
        [unit(apart) * np.sqrt(share), lexical * np.sqrt(1 - share)], axis=1, dtype=np.float32
    )
    return unit(whole)


def unit(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Scale rows to length 1; empty ones stay zero."""
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, None]
    out = np.zeros_like(rows)
    np.divide(rows, lengths, out=out, where=lengths > _NOTHING)
    return out


def _lexical(counts: Counts) -> NDArray[np.float32]:
    count = len(counts)
    most = count if count < _FEW else max(3.0, _MOST_SHARE * count)
    held = np.array(counts.held, np.int64)
    # A word of only one exchange makes it similar to no other.
    weigh = np.where((held > 1) & (held <= most), np.log1p(count / np.maximum(held, 1)), 0)
    spots, signs = _projection(counts.stems)
    numbers = np.frombuffer(counts.numbers, np.uint32) if counts.numbers else np.empty(0, np.uint32)
    times = np.frombuffer(counts.times, np.uint8) if counts.times else np.empty(0, np.uint8)
    starts = np.array(counts.starts, np.int64)
    out = np.zeros((count, LEXICAL), np.float32)
    for start in range(0, count, _AT_ONCE):
        rows = slice(start, min(count, start + _AT_ONCE))
        bounds = starts[start : rows.stop + 1]
        these = slice(int(bounds[0]), int(bounds[-1]))
        words = numbers[these].astype(np.int64)
        row_of = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
        amounts = np.sqrt(times[these].astype(np.float64)) * weigh[words]
        flat = (row_of[:, None] * LEXICAL + spots[words]).ravel()
        values = (amounts[:, None] * signs[words]).ravel()
        summed = np.bincount(flat, values, (len(bounds) - 1) * LEXICAL)
        out[rows] = summed.reshape(-1, LEXICAL)
    return unit(out)


def _projection(words: Mapping[str, int]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    seeds = np.array([zlib.crc32(word.encode()) for word in words], np.uint64)
    numbers = np.empty((len(words), _SIGNS), np.uint64)
    for column in range(_SIGNS):
        # Numbers without pattern from any seed: SplitMix64 (Steele, Lea and Flood, 2014).
        mixed = seeds + np.uint64((column + 1) * 0x9E3779B97F4A7C15 % 2**64)
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        numbers[:, column] = mixed ^ (mixed >> np.uint64(31))
    spots = (numbers % np.uint64(LEXICAL)).astype(np.int64)
    signs = ((numbers >> np.uint64(40)) & np.uint64(1)).astype(np.float32) * 2 - 1
    return spots, signs
