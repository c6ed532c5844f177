"""Likeness: how near an exchange's single words come to those of a question.

For each word of the question the most like of the exchange's words counts, weighed by how rare the
word is: late interaction (ColBERT: Khattab and Zaharia 2020), with vectors of word pieces.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unabridged.index.entry import ANSWER_SENTENCE, USER_SENTENCE
from unabridged.ports import Lexicon

_NUMBERS = 1 << 16


@dataclass(frozen=True, slots=True)
class Likeness:
    """How near each row's words come to the question's, 0 to 1.

    Attributes:
        whole: The words of the row, wherever they stand; shape (rows,), float32.
        user: Those of the user's side.
        sentence: Those of the best single sentence.
    """

    whole: NDArray[np.float32]
    user: NDArray[np.float32]
    sentence: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Units:
    """The pieces of a question's words.

    Attributes:
        pieces: Their numbers, those of the first word first.
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
    """The pieces of a question's words.

    Args:
        lexicon: What knows pieces.
        asked: The words, one for each term.
        weights: Of the terms; shape (terms,).
        held: Whether anybody holds each term: of one that nobody holds, as one that is misspelt,
            the pieces speak alone.
    """
    found = [_told(lexicon.units(word), whole=own) for word, own in zip(asked, held, strict=True)]
    counts = np.array([len(units) for units in found], dtype=np.int64)
    terms = np.repeat(np.arange(len(found)), counts)
    shared: NDArray[np.float32] = np.divide(weights[terms], counts[terms], dtype=np.float32)
    return Units([unit for units in found for unit in units], terms, shared)


def _told(units: list[int], *, whole: bool) -> list[int]:
    """Without the last, which stands for the whole word, unless that is wanted."""
    return units if whole or len(units) < 2 else units[:-1]


def likeness(
    stream: NDArray[np.uint16],
    starts: NDArray[np.int64],
    wanted: NDArray[np.bool_],
    units: Units,
    lexicon: Lexicon,
) -> Likeness:
    """Compare rows with a question.

    Only pieces that are like one of the question's are looked at: about one in ten.

    Args:
        stream: The pieces of all rows, with markers before sentences.
        starts: Where each row's begin, and where the last one's end; shape (rows + 1,).
        wanted: The rows that are compared; the others get 0. Shape (rows,).
        units: The question's pieces.
        lexicon: What knows which are alike.
    """
    sides = tuple(np.zeros((3, len(wanted)), dtype=np.float32))
    if not units.pieces:
        return Likeness(*sides)
    known, slots, cosines = _likes(units, lexicon)
    hits = np.flatnonzero(known[stream])
    row = np.searchsorted(starts, hits, side="right") - 1
    asked = wanted[row]
    hits, row = hits[asked], row[asked]
    if not len(hits):
        return Likeness(*sides)
    markers = np.flatnonzero(stream >= ANSWER_SENTENCE)
    mark = np.searchsorted(markers, hits) - 1
    first = np.flatnonzero(np.diff(mark, prepend=-1))
    place = np.repeat(np.arange(len(first)), np.diff(first, append=len(mark)))
    entries = _entries(cosines[slots[stream[hits]]])
    by_sentence = _most(entries, place, len(first), units)
    of_user = (stream[markers[mark]] == USER_SENTENCE)[entries.hits]
    whole, user, sentence = sides
    whole[:] = _most(entries, row, len(whole), units)
    user[:] = _most(entries.only(of_user), row, len(user), units)
    np.maximum.at(sentence, row[first], by_sentence)
    return Likeness(whole, user, sentence)


@dataclass(frozen=True, slots=True)
class _Entries:
    """What is like what: which hit, which of the question's pieces, and the cosine."""

    hits: NDArray[np.int64]
    units: NDArray[np.int64]
    cosines: NDArray[np.float32]

    def only(self, some: NDArray[np.bool_]) -> "_Entries":
        return _Entries(self.hits[some], self.units[some], self.cosines[some])


def _entries(cosines: NDArray[np.float32]) -> _Entries:
    """The cosines that are not 0 of a table of hits and units."""
    flat = cosines.ravel()
    some = np.flatnonzero(flat > 0)
    hits = some // cosines.shape[1]
    return _Entries(hits, some - hits * cosines.shape[1], flat[some])


def _most(
    entries: _Entries, group: NDArray[np.int64], groups: int, units: Units
) -> NDArray[np.float32]:
    """The weighed sum over the question's pieces of the largest cosine in each group of hits."""
    most = np.zeros(groups * len(units.pieces), dtype=np.float32)
    np.maximum.at(most, group[entries.hits] * len(units.pieces) + entries.units, entries.cosines)
    return dot(most.reshape(groups, -1), units.weights)


def dot(table: NDArray[np.float32], weights: NDArray[np.float32]) -> NDArray[np.float32]:
    """Each row's weighed sum, the same on any number of threads.

    Not by BLAS, which now and then raises the flag of an invalid number over sound ones (numpy's
    issue 24067).
    """
    summed: NDArray[np.float32] = np.einsum("ij,j->i", table, weights)
    return summed


def _likes(
    units: Units, lexicon: Lexicon
) -> tuple[NDArray[np.bool_], NDArray[np.uint16], NDArray[np.float32]]:
    """Which pieces are like one of the question's, a row for each of these, and its cosines."""
    found = lexicon.alike(units.pieces)
    pieces = np.concatenate([some for some, _ in found])
    near = np.repeat(np.arange(len(found)), [len(some) for some, _ in found])
    known = np.zeros(_NUMBERS, dtype=np.bool_)
    known[pieces] = True
    rows = np.flatnonzero(known)
    slots = np.empty(_NUMBERS, dtype=np.uint16)
    slots[rows] = np.arange(len(rows), dtype=np.uint16)
    cosines = np.zeros((len(rows), len(found)), dtype=np.float32)
    cosines[slots[pieces], near] = np.concatenate([cosine for _, cosine in found])
    return known, slots, cosines
