"""By vectors: whose passages are nearest to a question.

In a small space every vector is compared. In a larger one signs are compared first, and only the
best of them exactly; in a large one, only the lists of the centres nearest to the question.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unabridged.index.array_runs import best, spread
from unabridged.index.buffer import IndexBuffer
from unabridged.index.clusters import exact_type
from unabridged.index.indexed_exchange import ANSWER, USER, quantise
from unabridged.index.live_view import LiveView, Numbers, ViewPart
from unabridged.index.sign_bits import differences, signs_of

EXACT = 4096
"""Vectors up to which all are compared exactly."""
RESCORED_SHARE = 1 / 64
"""The share of all of which, being the best by signs, is compared exactly, …"""
RESCORED = (1024, 4096)
"""… but no fewer and no more than these; more where several are equal at the edge."""
SCANNED = 24_000
"""Vectors whose signs are compared at least, where there are lists, and …"""
SCANNED_SHARE = 1 / 8
"""… this share of all."""
_LONG = 100
"""Rows of a run from which it pays to copy it in one."""
_AT_ONCE = 128
"""Vectors that are multiplied at once: few enough to stay in the cache."""
_NEVER = -np.inf
"""Below any cosine."""


@dataclass(frozen=True, slots=True, eq=False)
class _Stretch:
    """Runs of one part's rows that are looked at: where each begins, ascending, and ends."""

    part: ViewPart
    starts: Numbers
    stops: Numbers

    def signs(self) -> NDArray[np.uint64]:
        """The signs of its rows."""
        signs = self.part.arrays["passage_signs"]
        counts = self.stops - self.starts
        if len(counts) * _LONG > counts.sum():
            return signs.take(spread(self.starts, counts), axis=0)
        runs = zip(self.starts.tolist(), self.stops.tolist(), strict=True)
        held = [signs[start:stop] for start, stop in runs]
        return held[0] if len(held) == 1 else np.concatenate(held or [signs[:0]])

    def rows(self) -> Numbers:
        """Its rows that count."""
        rows = spread(self.starts, self.stops - self.starts)
        gone = self.part.gone_rows
        return rows[~np.isin(rows, gone, assume_unique=True)] if len(gone) else rows

    def rows_at(self, positions: Numbers) -> Numbers:
        """The rows at positions within its runs."""
        counts = self.stops - self.starts
        ends = np.cumsum(counts)
        run = ends.searchsorted(positions, side="right")
        return positions + (self.starts - ends + counts)[run]

    def gone(self) -> Numbers:
        """The positions of rows that count no more."""
        rows = self.part.gone_rows
        run = self.starts.searchsorted(rows, side="right") - 1
        inside = (run >= 0) & (rows < self.stops[run])
        rows, run = rows[inside], run[inside]
        return rows - self.stops[run] + np.cumsum(self.stops - self.starts)[run]


@dataclass(frozen=True, slots=True, eq=False)
class _Chosen:
    """Rows of one part that are compared exactly."""

    part: ViewPart
    rows: Numbers


class ByVectors:
    """One question's vector in one scene.

    Args:
        scene: What is searched.
        vector: The question's vector, shape (dimension,).

    Raises:
        ValueError: It has another dimension than the scene's vectors.
    """

    def __init__(self, scene: LiveView, vector: NDArray[np.float32]) -> None:
        if scene.passages and vector.shape != (scene.dimension,):
            raise ValueError(f"a vector of shape {vector.shape}, not of {scene.dimension} numbers")
        codes, scales = quantise(np.asarray(vector, dtype=np.float32)[None, :])
        self._scene = scene
        self._codes, self._scale = codes[0], scales[0]
        self._factors = self._codes.astype(exact_type(len(self._codes)))

    def candidates(self, limit: int) -> Numbers:
        """The docs of the nearest passages, ascending."""
        if not self._scene.passages or not self._scale:
            return np.empty(0, dtype=np.int64)
        stretches = self._looked_at()
        if self._scene.passages > EXACT:
            count = int(self._scene.passages * RESCORED_SHARE)
            count = max(RESCORED[0], min(count, RESCORED[1]), 4 * limit)
            chosen = self._nearest(stretches, count)
        else:
            chosen = [_Chosen(stretch.part, stretch.rows()) for stretch in stretches]
        docs, nearness = self._nearness(chosen)
        return docs[best(nearness, limit, lambda some: self._scene.places(docs[some]))]

    def best_of(self, docs: Numbers, limit: int) -> Numbers:
        """The nearest of ascending docs that have vectors, ascending."""
        if not self._scene.passages or not self._scale:
            return np.empty(0, dtype=np.int64)
        user, answer = (np.maximum(side, 0) for side in self.scores(docs))
        nearness = user + np.maximum(user, answer)
        docs, nearness = docs[nearness > 0], nearness[nearness > 0]
        return docs[best(nearness, limit, lambda some: self._scene.places(docs[some]))]

    def _nearness(self, chosen: list[_Chosen]) -> tuple[Numbers, NDArray[np.float32]]:
        held = [c.part.arrays["passage_docs"].take(c.rows) + np.int64(c.part.base) for c in chosen]
        sides = np.concatenate([c.part.arrays["passage_sides"].take(c.rows) for c in chosen])
        cosines = np.maximum(np.concatenate([self._cosines(c) for c in chosen]), 0)
        docs = np.concatenate(held)
        if not len(docs):
            return docs, cosines
        order = np.argsort(docs, kind="stable")
        docs, sides, cosines = docs.take(order), sides.take(order), cosines.take(order)
        firsts = np.concatenate(([True], docs[1:] != docs[:-1])).nonzero()[0]
        of_user = np.maximum.reduceat(np.where(sides & USER, cosines, 0), firsts)
        return docs[firsts], of_user + np.maximum.reduceat(cosines, firsts)

    def scores(self, docs: Numbers) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The cosine of the nearest passage of each side, of ascending docs; 0 where none is."""
        found = [np.full(len(docs), _NEVER, dtype=np.float32) for _ in range(2)]
        for part, some in self._scene.split(docs):
            rows, counts = part.source.passages_of(docs[some] - part.base)
            if not len(rows):
                continue
            cosines = self._cosines(_Chosen(part, rows))
            of = np.arange(some.start, some.stop).repeat(counts)
            sides = part.arrays["passage_sides"].take(rows)
            for nearness, side in zip(found, (USER, ANSWER), strict=True):
                its = ((sides & side) > 0).nonzero()[0]
                np.maximum.at(nearness, of.take(its), cosines.take(its))
        for nearness in found:
            nearness[nearness == _NEVER] = 0
        return found[0], found[1]

    def _cosines(self, chosen: _Chosen) -> NDArray[np.float32]:
        arrays = chosen.part.arrays
        codes, rows = arrays["passage_codes"], chosen.rows
        products = np.empty(len(rows), dtype=self._factors.dtype)
        held = np.empty((min(_AT_ONCE, len(rows)), len(self._factors)), dtype=products.dtype)
        for start in range(0, len(rows), _AT_ONCE):
            some = rows[start : start + _AT_ONCE]
            held[: len(some)] = codes.take(some, axis=0)
            np.dot(held[: len(some)], self._factors, out=products[start : start + len(some)])
        scales = arrays["passage_scales"].take(chosen.rows) * self._scale
        return np.asarray(products * scales, dtype=np.float32)

    def _looked_at(self) -> list[_Stretch]:
        probed = self._probed()
        parts = (part for part in self._scene.parts if len(part.arrays["passage_docs"]))
        stretches = (_stretch(part, probed) for part in parts)
        return [stretch for stretch in stretches if len(stretch.starts)]

    def _probed(self) -> Numbers | None:
        scene = self._scene
        if scene.centres is None or scene.passages <= EXACT:
            return None
        order = scene.centres.order(self._codes)
        least = max(SCANNED, int(scene.passages * SCANNED_SHARE))
        return np.sort(order[: int(np.cumsum(scene.per_list[order]).searchsorted(least)) + 1])

    def _nearest(self, stretches: list[_Stretch], count: int) -> list[_Chosen]:
        # Those whose signs differ least, as many as that and all that equal the last.
        asked = signs_of(self._codes[None, :])[0]
        most = 64 * len(asked)
        found = [differences(stretch.signs(), asked) for stretch in stretches]
        for stretch, differs in zip(stretches, found, strict=True):
            if len(stretch.part.gone_rows):
                differs[stretch.gone()] = most + 1
        totals = np.cumsum(np.bincount(np.concatenate(found), minlength=most + 2)[: most + 1])
        cut = totals.searchsorted(min(count, int(totals[-1])))
        return [
            _Chosen(stretch.part, stretch.rows_at((differs <= cut).nonzero()[0]))
            for stretch, differs in zip(stretches, found, strict=True)
        ]


def _stretch(part: ViewPart, probed: Numbers | None) -> _Stretch:
    if probed is None:
        return _Stretch(part, np.array([0]), np.array([len(part.arrays["passage_docs"])]))
    if isinstance(part.source, IndexBuffer):
        rows = np.flatnonzero(np.isin(part.arrays["passage_lists"], probed))
        return _Stretch(part, rows, rows + 1)
    offsets = part.arrays["list_offsets"]
    starts, stops = offsets.take(probed), offsets.take(probed + 1)
    held = stops > starts
    return _Stretch(part, starts[held], stops[held])
