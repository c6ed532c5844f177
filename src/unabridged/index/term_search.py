"""By words: who holds the terms of a question, and who holds them best.

Terms are summed in the order of the question, whatever they were found in. In a large space the
most common terms choose nobody: they only complete the scores of those that rarer ones chose.
"""

from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from unabridged.index.array_runs import best, distinct
from unabridged.index.indexed_exchange import key_of
from unabridged.index.live_view import LiveView, Numbers, ViewPart
from unabridged.index.segment import Postings
from unabridged.index.term_weights import Lengths, by_sides, by_whole, rarity, relative, weigh

MOST_POSTINGS = 120_000
"""Postings that choose candidates: those of the rarest terms, as many terms as fit."""
SURVIVORS = 1024
"""How many of the best by coarse codes are scored exactly."""
_SEARCH_COST, _GATHER_COST = 80, 5
"""What it costs to search a doc among postings, and to pass over a posting, beside a zero."""
_SAMPLED = 16
"""One posting in so many is looked at to guess where the best begin."""


@dataclass(frozen=True, slots=True, eq=False)
class _Hits:
    """Occurrences of terms in chosen docs: which doc, which term, how often on either side."""

    rows: Numbers
    terms: Numbers
    user: NDArray[np.uint8]
    answer: NDArray[np.uint8]


class ByWords:
    """The postings of one question's terms in one scene.

    Attributes:
        frequencies: How many living exchanges hold each term; shape (terms,), int64.
    """

    def __init__(self, scene: LiveView, terms: tuple[str, ...]) -> None:
        self._scene = scene
        keys = np.array([key_of(term) for term in terms], dtype=np.uint64)
        self._runs: list[list[tuple[ViewPart, Postings]]] = [[] for _ in terms]
        self.frequencies = np.zeros(len(terms), dtype=np.int64)
        for part in scene.parts:
            for term, postings in enumerate(part.source.postings(keys)):
                if postings is not None:
                    self._runs[term].append((part, postings))
                    self.frequencies[term] += len(postings.docs) - _gone(part, postings)
        counts = self.frequencies.tolist()
        self._rarities = np.array([rarity(count, scene.exchanges) for count in counts])
        self._choosing = _choosing(self.frequencies)
        self._gather()

    def _gather(self) -> None:
        runs = [self._runs[term] for term in self._choosing]
        counts = [sum(len(postings.docs) for _, postings in run) for run in runs]
        self._ends = np.cumsum(np.array(counts, dtype=np.int64))
        self._docs = np.empty(sum(counts), dtype=np.int64)
        start = 0
        for part, postings in chain.from_iterable(runs):
            stop = start + len(postings.docs)
            np.add(postings.docs, part.base, out=self._docs[start:stop], dtype=np.int64)
            start = stop
        held = [postings for run in runs for _, postings in run]
        self._user = np.concatenate([p.user for p in held] or [np.empty(0, np.uint8)])
        self._answer = np.concatenate([p.answer for p in held] or [np.empty(0, np.uint8)])
        self._codes = np.concatenate([p.codes for p in held] or [np.empty(0, np.uint16)])

    def candidates(self, limit: int) -> Numbers:
        """The best docs, ascending."""
        docs = self._survivors(max(SURVIVORS, 4 * limit))
        scores = self._scores(docs)
        return docs[best(scores, limit, lambda some: self._scene.places(docs[some]))]

    def best_of(self, docs: Numbers, limit: int) -> Numbers:
        """The best of ascending docs that hold any of the terms, ascending."""
        scores = self._scores(docs)
        docs, scores = docs[scores > 0], scores[scores > 0]
        return docs[best(scores, limit, lambda some: self._scene.places(docs[some]))]

    def times(self, docs: Numbers) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """How often both sides of ascending docs have each term; shapes (docs, terms)."""
        hits = self._hits(docs)
        user = np.zeros((len(docs), len(self._runs)), dtype=np.uint8)
        answer = np.zeros_like(user)
        user[hits.rows, hits.terms] = hits.user
        answer[hits.rows, hits.terms] = hits.answer
        return user, answer

    def _scores(self, docs: Numbers) -> NDArray[np.float64]:
        hits = self._hits(docs)
        held = self._scene.columns(("user_lengths", "answer_lengths"), docs)
        lengths = relative(held["user_lengths"], held["answer_lengths"], self._scene.means)
        lengths = Lengths(*(column.take(hits.rows) for column in lengths))
        user, answer = hits.user.astype(np.float64), hits.answer.astype(np.float64)
        rarities = self._rarities.take(hits.terms)
        scores = np.zeros(len(docs))
        for way in (by_whole, by_sides):
            sums = np.zeros(len(docs))
            np.add.at(sums, hits.rows, rarities * way(user, answer, lengths))
            largest = sums.max(initial=0.0)
            scores += sums / (largest or 1.0)
        return scores

    def _survivors(self, count: int) -> Numbers:
        docs = self._docs
        if not len(docs):
            return docs
        weights = weigh(self._codes, self._scene.means)
        starts = [0, *self._ends.tolist()]
        for term, start, stop in zip(self._choosing, starts, starts[1:], strict=False):
            weights[start:stop] *= np.float32(self._rarities[term])
        sums = np.zeros(self._scene.docs, dtype=np.float32)
        np.add.at(sums, docs, weights)
        for part in self._scene.parts:
            if len(part.gone):
                sums[part.gone + part.base] = 0
        found = _likely(sums, docs, count)
        return found[best(sums[found], count, lambda some: self._scene.places(found[some]))]

    def _hits(self, docs: Numbers) -> _Hits:
        choosing = set(self._choosing)
        found = [
            _completed(term, part, postings, docs)
            for term, run in enumerate(self._runs)
            if term not in choosing
            for part, postings in run
        ]
        cost = _SEARCH_COST * len(docs) * len(self._choosing)
        if cost < _GATHER_COST * len(self._docs) + self._scene.docs:
            found += self._searched(docs)
        else:
            found.append(self._gathered(docs))
        return _in_order(found)

    def _gathered(self, docs: Numbers) -> _Hits:
        row_of = np.zeros(self._scene.docs, dtype=np.int32)
        row_of[docs] = np.arange(1, len(docs) + 1, dtype=np.int32)
        rows = row_of.take(self._docs)
        at = rows.nonzero()[0]
        terms = np.array(self._choosing, dtype=np.int64)
        return _Hits(
            rows.take(at).astype(np.int64) - 1,
            terms[self._ends.searchsorted(at, side="right")],
            self._user.take(at),
            self._answer.take(at),
        )

    def _searched(self, docs: Numbers) -> list[_Hits]:
        found = []
        start = 0
        for term, stop in zip(self._choosing, self._ends.tolist(), strict=True):
            run = self._docs[start:stop]
            at = np.minimum(run.searchsorted(docs), len(run) - 1)
            rows = (run.take(at) == docs).nonzero()[0]
            at = at.take(rows) + start
            terms = np.full(len(rows), term)
            found.append(_Hits(rows, terms, self._user.take(at), self._answer.take(at)))
            start = stop
        return found


def _gone(part: ViewPart, postings: Postings) -> int:
    if not len(part.gone):
        return 0
    return len(_found(postings, part.gone)[0])


def _choosing(holding: Numbers) -> list[int]:
    chosen: list[int] = []
    total = 0
    for term in np.argsort(holding, kind="stable").tolist():
        count = int(holding[term])
        if count and (not total or total + count <= MOST_POSTINGS):
            chosen.append(term)
            total += count
    return sorted(chosen)


def _likely(sums: NDArray[np.float32], docs: Numbers, count: int) -> Numbers:
    floor = float(np.finfo(np.float32).tiny)
    sample = sums[docs[::_SAMPLED]]
    expected = 2 * count // _SAMPLED + 8
    if len(sample) > 2 * expected:
        guess = max(floor, float(np.partition(sample, -expected)[-expected]))
        found = _above(sums, docs, guess)
        if len(found) >= count:
            return found
    return _above(sums, docs, floor)


def _above(sums: NDArray[np.float32], docs: Numbers, floor: float) -> Numbers:
    if len(sums) <= 4 * len(docs):
        return (sums >= floor).nonzero()[0]
    return distinct(docs[sums.take(docs) >= floor])


def _completed(term: int, part: ViewPart, postings: Postings, docs: Numbers) -> _Hits:
    start, stop = np.searchsorted(docs, (part.base, part.base + part.source.exchanges)).tolist()
    rows, at = _found(postings, docs[start:stop] - part.base)
    return _Hits(rows + start, np.full(len(rows), term), postings.user[at], postings.answer[at])


def _found(postings: Postings, docs: Numbers) -> tuple[Numbers, Numbers]:
    wanted = docs.astype(np.uint32)
    at = np.minimum(postings.docs.searchsorted(wanted), len(postings.docs) - 1)
    rows = (postings.docs.take(at) == wanted).nonzero()[0]
    return rows, at.take(rows)


def _in_order(found: list[_Hits]) -> _Hits:
    if len(found) == 1:
        return found[0]
    if not found:
        none = np.empty(0, dtype=np.int64)
        return _Hits(none, none, none.astype(np.uint8), none.astype(np.uint8))
    terms = np.concatenate([hits.terms for hits in found])
    order = np.argsort(terms, kind="stable")
    return _Hits(
        np.concatenate([hits.rows for hits in found])[order],
        terms[order],
        np.concatenate([hits.user for hits in found])[order],
        np.concatenate([hits.answer for hits in found])[order],
    )
