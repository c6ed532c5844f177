"""Shortlists by hand: what is not said is nothing, or zero."""

from typing import Any

import numpy as np
import pytest

from unabridged.domain.index_query import IndexHits
from unabridged.index.indexed_exchange import ANSWER_SENTENCE, USER_SENTENCE

DAY = 86_400.0


def make(
    rows: int,
    *,
    user: Any = None,
    answer: Any = None,
    frequencies: Any = (1,),
    exchanges: int = 100,
    sentences: Any = None,
    **columns: Any,
) -> IndexHits:
    """A shortlist.

    ``user`` and ``answer`` count the terms of each row; ``sentences`` are lists of (side, pieces)
    for each row, with the side ``u`` or ``a``.
    """
    terms = len(frequencies)
    streams = [
        [n for side, pieces in some for n in (_MARKERS[side], *pieces)]
        for some in (sentences or [[]] * rows)
    ]
    default: dict[str, Any] = {
        "places": np.arange(1, rows + 1, dtype=np.int64),
        "sessions": np.arange(rows, dtype=np.int64),
        "at": DAY * np.arange(rows, dtype=np.float64),
        "found": np.ones(rows, dtype=np.bool_),
        "before": np.full(rows, -1, dtype=np.int64),
        "positions": np.zeros(rows, dtype=np.int64),
        "user_length": np.full(rows, 10, dtype=np.int64),
        "answer_length": np.full(rows, 10, dtype=np.int64),
        "user_nearness": np.zeros(rows, dtype=np.float32),
        "answer_nearness": np.zeros(rows, dtype=np.float32),
    }
    given = {name: np.asarray(value, default[name].dtype) for name, value in columns.items()}
    names = [str(place).encode() for place in {**default, **given}["places"].tolist()]
    return IndexHits(
        **{**default, **given},
        names=np.frombuffer(b"".join(names), dtype=np.uint8),
        name_starts=np.cumsum([0, *map(len, names)]),
        user_times=_times(user, rows, terms),
        answer_times=_times(answer, rows, terms),
        pieces=np.array([n for stream in streams for n in stream], dtype=np.uint16),
        starts=np.concatenate(([0], np.cumsum([len(s) for s in streams]))).astype(np.int64),
        frequencies=np.asarray(frequencies, dtype=np.int64),
        exchanges=exchanges,
        user_mean=10.0,
        answer_mean=10.0,
    )


_MARKERS = {"u": USER_SENTENCE, "a": ANSWER_SENTENCE}


def _times(given: Any, rows: int, terms: int) -> Any:
    nothing = np.zeros((rows, terms), dtype=np.uint8)
    return nothing if given is None else np.asarray(given, dtype=np.uint8).reshape(rows, terms)


class TinyLexicon:
    """Knows the pieces it is given: word to pieces, and piece to those that are like it."""

    def __init__(self, words: dict[str, list[int]], likes: dict[int, dict[int, float]]) -> None:
        self._words = words
        self._likes = likes

    def pieces(self, user: str, answer: str) -> Any:
        raise NotImplementedError

    def units(self, word: str) -> list[int]:
        return self._words.get(word, [])

    def alike(self, units: Any, pieces: Any) -> Any:
        likes = [{**self._likes.get(unit, {}), unit: 1.0} for unit in units]
        cosines = [[some.get(piece, 0.0) for some in likes] for piece in pieces.tolist()]
        return np.array(cosines, np.float32).reshape(len(pieces), len(likes))


@pytest.fixture(name="index_hits", scope="session")
def _index_hits():
    return make


@pytest.fixture(name="lexicon", scope="session")
def _lexicon():
    return TinyLexicon
