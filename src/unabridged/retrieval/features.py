"""Features: numbers from 0 to 1 for each row of a shortlist.

They are absolute; a recipe weights them relative to the best of the shortlist. ``bearing`` adds
some of them up for evidence, 0 to 3; words replace vectors that know less. It is split into
``by_words``, for rows that hold a word of the question, and ``by_meaning``, for the others.
A number matches only itself.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from unabridged.domain.index_query import IndexHits
from unabridged.language.words import is_frame, is_pair
from unabridged.ports import Lexicon
from unabridged.retrieval.term_similarity import Likeness, dot, likeness, units_of
from unabridged.retrieval.time.parse_time import Order, closeness, order_hint, spans

Column = NDArray[np.float32]
"""A number for each row."""
Table = NDArray[np.float32]
"""A number for each row and term."""

K1, B = 0.9, 0.5
"""BM25: saturation of repeats and weight of length (Robertson and Zaragoza 2009)."""
ALONE = 100.0
"""Terms of an exchange beyond which its neighbours add less to it."""

SESSION_BEST = 3
"""The number of rows whose best sentences and passages represent a session."""
ELSEWHERE = 100
"""Imaginary exchanges without any term, added to those of the space: in a small space too, a
word that is held must say much more than nothing."""
FRAME = 0.2
"""The weight of a word that only says that the past is asked for."""
SPANNING = 0.25
"""The weight of a pair of characters that no row holds: usually it spans two words."""


@dataclass(frozen=True, slots=True)
class QueryTerms:
    """The parts of a question that rows are compared with.

    Attributes:
        terms: Its search terms, in the order of the shortlist's columns, each with a word of the
            question.
        known: The share of the question that the embedder knows, 0 to 1.
    """

    text: str
    now: datetime
    terms: Mapping[str, str] = field(default_factory=dict)
    known: float = 1.0


def features(rows: IndexHits, asked: QueryTerms, lexicon: Lexicon | None) -> dict[str, Column]:
    """Return the features of each row, by name; rows not found lack likeness and session.

    Without a lexicon only whole terms match.
    """
    weights = _weights(rows, asked)
    both = rows.user_times.astype(np.float32) + rows.answer_times
    alike = _likeness(rows, asked, weights, lexicon)
    known = np.float32(asked.known)
    user_near = known * np.maximum(rows.user_nearness, 0)
    near = np.maximum(user_near, known * rows.answer_nearness)
    coverage = _held(both, weights)
    time = _time(rows, asked)
    words = (alike.whole + coverage / 2) * (1 + (1 - known) / 2)
    bearing = words + near + time / 2
    is_worded = coverage > 0
    has_words = any(not term.isdecimal() for term in asked.terms)
    session = _session(rows, alike.sentence + user_near)
    return {
        "user_near": user_near,
        "near": near,
        "coverage": coverage,
        "alike": alike.whole,
        "user_alike": alike.user,
        "sentence": alike.sentence,
        "window": dot(_window(rows, both), weights),
        "session": session,
        "time": time,
        "bearing": bearing,
        "by_words": np.where(is_worded, bearing, np.float32(0)),
        "by_meaning": np.where(is_worded | ~np.bool_(has_words), np.float32(0), bearing),
        "order": _order(rows, asked),
        "opening": (1 / (1 + rows.positions)).astype(np.float32),
        "recent": _recency(rows.at),
    }


def _weights(rows: IndexHits, asked: QueryTerms) -> Column:
    held = rows.frequencies.astype(np.float64)
    rarity = np.log(1 + (rows.exchanges + ELSEWHERE - held + 0.5) / (held + 0.5))
    spanning = np.array([is_pair(term) for term in asked.terms], dtype=np.bool_)
    rarity *= np.where(spanning & (held == 0), SPANNING, 1.0)
    rarity *= np.array([FRAME if is_frame(term) else 1.0 for term in asked.terms])
    rarity = np.maximum(rarity, 1e-6)
    shares: Column = (rarity / max(float(rarity.sum()), 1e-6)).astype(np.float32)
    return shares


def _held(times: NDArray[np.generic], weights: Column) -> Column:
    return dot((times != 0).astype(np.float32), weights)


def _window(rows: IndexHits, both: Table) -> Table:
    length = (rows.user_length + rows.answer_length).astype(np.float32)
    mean = np.float32(max(rows.user_mean + rows.answer_mean, 1.0))
    brake = np.float32(K1) * (np.float32(1 - B) + length * np.float32(B) / mean)
    held: Table = np.divide(both, both + brake[:, None], dtype=np.float32)
    share = np.minimum(1, np.float32(ALONE) / np.maximum(length, 1))[:, None]
    result: Table = held.copy()
    has = np.flatnonzero(rows.before >= 0)
    before = rows.before[has]
    result[has] = np.maximum(result[has], share[has] * held[before])
    np.maximum.at(result, before, share[before] * held[has])
    return result


def _session(rows: IndexHits, speaks: Column) -> Column:
    found = np.flatnonzero(rows.found)
    speaks, sessions = speaks[found], rows.sessions[found]
    order = np.lexsort((-speaks, sessions))
    numbers = sessions[order]
    first = np.flatnonzero(np.diff(numbers, prepend=numbers[:1] - 1))
    lengths = np.diff(first, append=len(order))
    place = np.arange(len(order)) - np.repeat(first, lengths)
    best = np.where(place < SESSION_BEST, speaks[order], np.float32(0))
    result: Column = np.zeros(len(rows.found), dtype=np.float32)
    sums = np.add.reduceat(best, first) if len(first) else best
    result[found[order]] = np.repeat(sums, lengths) / np.float32(2 * SESSION_BEST)
    return result


def _time(rows: IndexHits, asked: QueryTerms) -> Column:
    found = spans(asked.text, asked.now)
    if not found:
        return np.zeros(len(rows.at), dtype=np.float32)
    return closeness(found, rows.at).astype(np.float32)


def _order(rows: IndexHits, asked: QueryTerms) -> Column:
    hint = order_hint(asked.text)
    if hint is None:
        return np.zeros(len(rows.at), dtype=np.float32)
    recent = _recency(rows.at)
    return recent if hint is Order.LATEST else 1 - recent


def _recency(at: NDArray[np.float64]) -> Column:
    first, last = at.min(initial=np.inf), at.max(initial=-np.inf)
    recent: Column = ((at - first) / max(last - first, 1.0)).astype(np.float32)
    return recent


def _likeness(
    rows: IndexHits, asked: QueryTerms, weights: Column, lexicon: Lexicon | None
) -> Likeness:
    if lexicon is None or not len(rows.pieces):
        user, answer = _held(rows.user_times, weights), _held(rows.answer_times, weights)
        either = _held(rows.user_times | rows.answer_times, weights)
        return Likeness(either, user, np.maximum(user, answer))
    units = units_of(lexicon, list(asked.terms.values()), weights, rows.frequencies > 0)
    return likeness(rows.pieces, rows.starts, rows.found, units, lexicon)
