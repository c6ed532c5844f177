"""Likeness: how similar an exchange's single words are to those of a question.

For each word of the question, the most similar word of the exchange counts, weighted by how
rare the word is: late interaction (ColBERT: Khattab and Zaharia 2020), with word pieces.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unabridged.index.array_runs import spread
from unabridged.index.indexed_exchange import ANSWER_SENTENCE, USER_SENTENCE
from unabridged.ports import Lexicon

_NUMBERS = 1 << 16


@dataclass(frozen=True, slots=True)
class Likeness:
    """How similar each row's words are to the question's, 0 to 1.

    Attributes:
        whole: All words of the row; shape (rows,), float32.
        user: The words of the user's side.
        sentence: The words of the best single sentence.
    """

    whole: NDArray[np.float32]
    user: NDArray[np.float32]
    sentence: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Units:
    """The pieces of a question's words.

    Attributes:
        pieces: Their numbers, in the order of the words.
        terms: Which term each belongs to.
        weights: The term's weight, divided among its pieces; shape (pieces,), float32.
    """

    pieces: Sequence[int]
    terms: NDArray[np.int64]
    weights: NDArray[np.float32]


def units_of(
    lexicon: Lexicon,
    asked: Sequence[str],
    weights: NDArray[np.float32],
    held: NDArray[np.bool_],
) -> Units:
    """Return the pieces of a question's words.

    Args:
        lexicon: The table of pieces.
        asked: The words, one for each term.
        weights: Of the terms; shape (terms,).
        held: Whether any exchange holds each term: a term that none holds, such as a
            misspelt one, counts by its pieces alone.
    """
    found = [_told(lexicon.units(word), whole=own) for word, own in zip(asked, held, strict=True)]
    counts = np.array([len(units) for units in found], dtype=np.int64)
    terms = np.repeat(np.arange(len(found)), counts)
    shared: NDArray[np.float32] = np.divide(weights[terms], counts[terms], dtype=np.float32)
    return Units([unit for units in found for unit in units], terms, shared)


def _told(units: list[int], *, whole: bool) -> list[int]:
    return units if whole or len(units) < 2 else units[:-1]


def likeness(
    stream: NDArray[np.uint16],
    starts: NDArray[np.int64],
    wanted: NDArray[np.bool_],
    units: Units,
    lexicon: Lexicon,
) -> Likeness:
    """Compare rows with a question.

    Only pieces similar to one of the question's are compared: about one in ten.

    Args:
        stream: The pieces of all rows, with markers before sentences.
        starts: The start of each row's pieces, and the end of the last's; shape (rows + 1,).
        wanted: The rows to compare; the others get 0. Shape (rows,).
        units: The question's pieces.
        lexicon: The table of similar pieces.
    """
    sides = np.zeros((3, len(wanted)), dtype=np.float32)
    hits, counts, of_unit, cosines = _alike(stream, units, lexicon)
    if len(hits):
        markers = np.flatnonzero(stream >= ANSWER_SENTENCE)
        lengths = np.diff(markers, append=len(stream))
        mark = np.arange(len(markers)).repeat(lengths).take(hits - markers[0])
        first = _firsts(mark)
        cells = np.arange(0, len(first) * len(units.pieces), len(units.pieces))
        cells = cells.repeat(np.add.reduceat(counts, first))
        cells += of_unit
        most = np.zeros(len(first) * len(units.pieces), dtype=np.float32)
        np.maximum.at(most, cells, cosines)
        sentences = most.reshape(len(first), -1)
        marks = markers.take(mark.take(first))
        row = starts.searchsorted(marks, side="right") - 1
        first = _firsts(row)
        rows = row.take(first)
        sides[0, rows] = dot(np.maximum.reduceat(sentences, first, axis=0), units.weights)
        sides[2, rows] = np.maximum.reduceat(dot(sentences, units.weights), first)
        by_user = np.flatnonzero(stream.take(marks) == USER_SENTENCE)
        row = row.take(by_user)
        first = _firsts(row)
        if len(first):
            user = np.maximum.reduceat(sentences.take(by_user, axis=0), first, axis=0)
            sides[1, row.take(first)] = dot(user, units.weights)
        sides[:, ~wanted] = 0
    return Likeness(*sides)


def _alike(
    stream: NDArray[np.uint16], units: Units, lexicon: Lexicon
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]:
    there = np.zeros(_NUMBERS, dtype=np.bool_)
    there[stream] = True
    there[ANSWER_SENTENCE:] = False
    pieces = np.flatnonzero(there)
    flat = lexicon.alike(units.pieces, pieces).ravel()
    some = np.flatnonzero(flat > 0)
    piece = some // max(len(units.pieces), 1)
    unit = some - piece * len(units.pieces)
    begins = _firsts(piece)
    repeats = np.diff(begins, append=len(piece))
    slots = np.zeros(_NUMBERS, dtype=np.uint16)
    slots[pieces.take(piece.take(begins))] = np.arange(1, len(begins) + 1, dtype=np.uint16)
    slot = slots.take(stream)
    hits = np.flatnonzero(slot > 0)
    slot = slot.take(hits) - np.uint16(1)
    counts = repeats.take(slot)
    chosen = spread(begins.take(slot), counts)
    return hits, counts, unit.take(chosen), flat.take(some).take(chosen)


def _firsts(ascending: NDArray[np.int64]) -> NDArray[np.int64]:
    first = np.ones(len(ascending), dtype=np.bool_)
    np.not_equal(ascending[1:], ascending[:-1], out=first[1:])
    return np.flatnonzero(first)


def dot(table: NDArray[np.float32], weights: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return each row's weighted sum, the same on any number of threads.

    Not by BLAS, which sometimes raises the flag of an invalid number for valid ones (numpy's
    issue 24067).
    """
    summed: NDArray[np.float32] = np.einsum("ij,j->i", table, weights)
    return summed
