"""A view: segments and tail as one, less what was removed."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from unabridged.index.array_runs import distinct
from unabridged.index.buffer import IndexBuffer
from unabridged.index.clusters import ClusterCentroids
from unabridged.index.live_view import LiveView, Numbers, ViewPart
from unabridged.index.merge import common
from unabridged.index.segment import Segment

_NOTHING: Numbers = np.empty(0, dtype=np.int64)


class View:
    """Everything that a lookup sees. Make one whenever segments or removed places change.

    The tail is looked at as it is at each lookup, so entries may be put after the view was made.

    Args:
        segments: In any order.
        removed: For each segment the places that count no more (forgotten, or replaced by an entry
            in the tail or in a later segment); None or nothing for none.
        tail: Entries that no segment holds.
        centres: What all segments and the tail are listed by; None for none.

    Raises:
        ValueError: Vectors of several embedders, or listed by other centres.
    """

    def __init__(
        self,
        segments: Sequence[Segment],
        removed: Sequence[NDArray[np.int64] | None] = (),
        tail: IndexBuffer | None = None,
        centres: ClusterCentroids | None = None,
    ) -> None:
        self._tail = tail if tail is not None else IndexBuffer()
        self._centres = centres
        sources: tuple[Segment | IndexBuffer, ...] = (*segments, self._tail)
        self._dimension = common(sources)[1]
        for source in sources:
            if centres is not None and source.passages and source.centres != centres.identity:
                raise ValueError("vectors are listed by other centres than the view's")
        self._parts: list[ViewPart] = []
        self._docs = self._exchanges = self._passages = 0
        self._sums = [0, 0]
        self._per_list = np.zeros(len(centres) if centres else 0, dtype=np.int64)
        for i in _by_age(segments):
            self._add(segments[i], removed[i] if i < len(removed) else None)

    def _add(self, segment: Segment, removed: NDArray[np.int64] | None) -> None:
        gone, gone_rows = _NOTHING, _NOTHING
        if removed is not None and len(removed):
            gone = segment.docs(distinct(np.asarray(removed, dtype=np.int64)))
            gone_rows = np.sort(segment.passages_of(gone)[0])
        self._parts.append(ViewPart(segment, segment.arrays, self._docs, gone, gone_rows))
        self._docs += segment.exchanges
        self._exchanges += segment.exchanges - len(gone)
        self._passages += segment.passages - len(gone_rows)
        for side, name in enumerate(("user_lengths", "answer_lengths")):
            less = segment.arrays[name][gone].sum(dtype=np.int64) if len(gone) else 0
            self._sums[side] += int(segment.arrays["sums"][side]) - int(less)
        if self._centres is not None and segment.passages:
            offsets = segment.arrays["list_offsets"]
            self._per_list += np.diff(offsets)
            lists = np.searchsorted(offsets, gone_rows, side="right") - 1
            np.subtract.at(self._per_list, lists, 1)

    @property
    def exchanges(self) -> int:
        """How many exchanges live in it."""
        return self._exchanges + len(self._tail)

    @property
    def passages(self) -> int:
        """How many vectors live in it."""
        return self._passages + self._tail.passages

    def scene(self) -> LiveView:
        """What it shows now."""
        tail, count = self._tail, max(self.exchanges, 1)
        part = ViewPart(tail, tail.arrays, self._docs, _NOTHING, tail.gone_rows)
        per_list = self._per_list
        if len(per_list):
            lists = part.arrays["passage_lists"]
            per_list = per_list + np.bincount(lists, minlength=len(per_list))
            np.subtract.at(per_list, lists[part.gone_rows], 1)
        return LiveView(
            parts=(*self._parts, part),
            bases=np.array([*(one.base for one in self._parts), self._docs]),
            docs=self._docs + tail.exchanges,
            exchanges=self.exchanges,
            passages=self.passages,
            means=(
                (self._sums[0] + tail.sums[0]) / count,
                (self._sums[1] + tail.sums[1]) / count,
            ),
            dimension=self._dimension,
            centres=self._centres,
            per_list=per_list,
        )


def _by_age(segments: Sequence[Segment]) -> list[int]:
    # Segments with the oldest place first, so that docs mostly stand in the order of places.
    firsts = [int(s.places[0]) if s.exchanges else 0 for s in segments]
    return sorted(range(len(segments)), key=lambda i: (firsts[i], i))
