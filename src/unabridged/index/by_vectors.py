"""By vectors: whose passages are nearest to a question.

In a small space every vector is compared. In a larger one signs are compared first, and only the
best of them exactly; in a large one, only the lists of the centres nearest to the question.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unabridged.index.centres import exact_type
from unabridged.index.choice import best
from unabridged.index.entry import ANSWER, USER, quantise
from unabridged.index.runs import spread
from unabridged.index.scene import Numbers, Part, Scene
from unabridged.index.signs import differences, signs_of
from unabridged.index.tail import Tail

EXACT = 4096
"""Vectors up to which all are compared exactly."""
RESCORED = 1024
"""How many of the best by signs are compared exactly; more where several are equal at the edge."""
SCANNED = 20_000
"""Vectors whose signs are compared at least, where there are lists …"""
SCANNED_SHARE = 1 / 32
"""… and this share of all."""
_NEVER = -np.inf
"""Below any cosine."""


@dataclass(frozen=True, slots=True, eq=False)
class _Stretch:
    """Rows of one part that are looked at."""

    part: Part
    rows: Numbers


class ByVectors:
    """One question's vector in one scene.

    Args:
        scene: What is searched.
        vector: The question's vector, shape (dimension,).

    Raises:
        ValueError: It has another dimension than the scene's vectors.
    """

    def __init__(self, scene: Scene, vector: NDArray[np.float32]) -> None:
        if scene.passages and vector.shape != (scene.dimension,):
            raise ValueError(f"a vector of shape {vector.shape}, not of {scene.dimension} numbers")
        codes, scales = quantise(np.asarray(vector, dtype=np.float32)[None, :])
        self._scene = scene
        self._codes, self._scale = codes[0], scales[0]
        self._factors = self._codes.astype(exact_type(len(self._codes)))

    def candidates(self, limit: int) -> Numbers:
        """The docs of the nearest passages, ascending.

        Args:
            limit: How many docs at most.
        """
        if not self._scene.passages or not self._scale:
            return np.empty(0, dtype=np.int64)
        looked_at = self._looked_at()
        if self._scene.passages > EXACT:
            looked_at = self._nearest(looked_at, max(RESCORED, 4 * limit))
        found = [
            stretch.part.arrays["passage_docs"].take(stretch.rows) + np.int64(stretch.part.base)
            for stretch in looked_at
        ]
        cosines = [self._cosines(stretch) for stretch in looked_at]
        docs, nearness = _nearest_of_each(np.concatenate(found), np.concatenate(cosines))
        return docs[best(nearness, limit, lambda some: self._scene.places(docs[some]))]

    def scores(self, docs: Numbers) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The cosine of the nearest passage of each side, of ascending docs; 0 where none is."""
        found = [np.full(len(docs), _NEVER, dtype=np.float32) for _ in range(2)]
        for part, some in self._scene.split(docs):
            rows, counts = part.source.passages_of(docs[some] - part.base)
            if not len(rows):
                continue
            cosines = self._cosines(_Stretch(part, rows))
            of = np.repeat(np.arange(some.start, some.stop), counts)
            sides = part.arrays["passage_sides"][rows]
            for nearness, side in zip(found, (USER, ANSWER), strict=True):
                its = (sides & side) > 0
                np.maximum.at(nearness, of[its], cosines[its])
        for nearness in found:
            nearness[nearness == _NEVER] = 0
        return found[0], found[1]

    def _cosines(self, stretch: _Stretch) -> NDArray[np.float32]:
        arrays = stretch.part.arrays
        codes = arrays["passage_codes"].take(stretch.rows, axis=0)
        products = codes.astype(self._factors.dtype) @ self._factors
        scales = arrays["passage_scales"][stretch.rows] * self._scale
        return np.asarray(products * scales, dtype=np.float32)

    def _looked_at(self) -> list[_Stretch]:
        """The rows of all parts, or of the lists nearest to the question, that count."""
        centres, probed = self._scene.centres, None
        if centres is not None and self._scene.passages > EXACT:
            order = centres.order(self._codes)
            held = np.cumsum(self._scene.per_list[order])
            least = max(SCANNED, int(self._scene.passages * SCANNED_SHARE))
            probed = np.sort(order[: int(np.searchsorted(held, least)) + 1])
        found = []
        for part in self._scene.parts:
            rows = _rows(part, probed)
            if len(part.gone_rows):
                rows = rows[~np.isin(rows, part.gone_rows, assume_unique=True)]
            if len(rows):
                found.append(_Stretch(part, rows))
        return found

    def _nearest(self, stretches: list[_Stretch], count: int) -> list[_Stretch]:
        """Those whose signs differ least, as many as that and all that equal the last."""
        asked = signs_of(self._codes[None, :])[0]
        found = [
            differences(_taken(s.part.arrays["passage_signs"], s.rows), asked) for s in stretches
        ]
        totals = np.cumsum(np.bincount(np.concatenate(found)))
        cut = np.searchsorted(totals, min(count, int(totals[-1])))
        return [
            _Stretch(stretch.part, stretch.rows[differs <= cut])
            for stretch, differs in zip(stretches, found, strict=True)
        ]


def _taken(array: NDArray[Any], rows: Numbers) -> NDArray[Any]:
    """Some rows; the array itself where that is all of them."""
    return array if len(rows) == len(array) else array.take(rows, axis=0)


def _nearest_of_each(
    docs: Numbers, cosines: NDArray[np.float32]
) -> tuple[Numbers, NDArray[np.float32]]:
    """Each doc once, ascending, with its largest cosine."""
    order = np.argsort(docs, kind="stable")
    docs, cosines = docs[order], cosines[order]
    firsts = np.flatnonzero(np.concatenate(([True], docs[1:] != docs[:-1])))
    return docs[firsts], np.maximum.reduceat(cosines, firsts)


def _rows(part: Part, probed: Numbers | None) -> Numbers:
    """The rows of some lists, or all."""
    arrays = part.arrays
    if probed is None:
        return np.arange(len(arrays["passage_docs"]), dtype=np.int64)
    if isinstance(part.source, Tail):
        return np.flatnonzero(np.isin(arrays["passage_lists"], probed))
    offsets = arrays["list_offsets"]
    if not part.source.passages:
        return np.empty(0, dtype=np.int64)
    starts = offsets[probed]
    return spread(starts, offsets[probed + 1] - starts)
