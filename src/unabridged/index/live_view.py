"""What a search sees: segments and buffer as one row of docs, less what was removed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unabridged.index.array_runs import distinct
from unabridged.index.buffer import IndexBuffer
from unabridged.index.clusters import ClusterCentroids
from unabridged.index.merge import common
from unabridged.index.segment import COLUMNS, Segment

Numbers = NDArray[np.int64]
_NOTHING: Numbers = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class ViewPart:
    """A segment or the tail, within a view.

    Attributes:
        base: The view's doc of its first one.
        gone: Its docs that count no more, ascending.
        gone_rows: Its rows of vectors that count no more, ascending.
    """

    source: Segment | IndexBuffer
    arrays: Mapping[str, NDArray[Any]]
    base: int
    gone: Numbers
    gone_rows: Numbers

    def living(self, docs: Numbers) -> Numbers:
        """Those of its docs that count."""
        return docs[~np.isin(docs, self.gone)] if len(self.gone) else docs


@dataclass(frozen=True, slots=True, eq=False)
class LiveView:
    """All parts at one moment. Docs are numbered through all of them.

    Attributes:
        parts: Segments, those with the oldest exchanges first, and then the tail.
        bases: The first doc of each part.
        docs: How many docs there are, those that count no more included.
        exchanges: How many exchanges live.
        passages: How many vectors live.
        means: The mean lengths of the users' and of the answers' sides, in terms.
        dimension: Numbers in a vector.
        centres: What vectors are listed by.
        per_list: How many living vectors each list has; empty without centres.
    """

    parts: tuple[ViewPart, ...]
    bases: Numbers
    docs: int
    exchanges: int
    passages: int
    means: tuple[float, float]
    dimension: int
    centres: ClusterCentroids | None
    per_list: Numbers

    def split(self, docs: Numbers) -> Iterator[tuple[ViewPart, slice]]:
        """The parts that ascending docs lie in, and which of them lie there."""
        bounds = [*docs.searchsorted(self.bases).tolist(), len(docs)]
        for part, start, stop in zip(self.parts, bounds, bounds[1:], strict=False):
            if stop > start:
                yield part, slice(start, stop)

    def columns(self, names: Sequence[str], docs: Numbers) -> dict[str, NDArray[Any]]:
        """Numbers of ascending docs, for each name of ``COLUMNS``."""
        found = {name: np.empty(len(docs), dtype=COLUMNS[name]) for name in names}
        for part, rows in self.split(docs):
            local = docs[rows] - part.base
            for name, column in found.items():
                column[rows] = part.arrays[name].take(local)
        return found

    def places(self, docs: Numbers) -> Numbers:
        """The places of ascending docs."""
        return self.columns(("places",), docs)["places"]

    def of_session(self, session: int) -> Numbers:
        """The docs of a session that count, ascending."""
        found = [
            part.living((part.arrays["sessions"] == session).nonzero()[0]) + part.base
            for part in self.parts
        ]
        return np.concatenate(found) if found else np.empty(0, dtype=np.int64)

    def beside(self, docs: Numbers) -> Numbers:
        """The docs before and after ascending docs on their paths, ascending, each once."""
        columns = self.columns(("places", "parents"), docs)
        places, before = np.sort(columns["places"]), distinct(columns["parents"])
        found = []
        for part in self.parts:
            held = part.source.docs(before)
            both = np.concatenate((held, part.source.children_of(places)))
            if len(both):
                found.append(part.living(both) + part.base)
        return distinct(np.concatenate(found)) if found else np.empty(0, dtype=np.int64)


class View:
    """Everything that a lookup sees. Make one whenever segments or removed places change.

    The tail is looked at as it is at each lookup, so entries may be put after the view was made.

    Args:
        segments: In any order.
        removed: For each segment the places that count no more (forgotten, or replaced by an entry
            in the tail or in a later segment), ascending, each once.
        tail: Entries that no segment holds.
        centres: What all segments and the tail are listed by; None for none.

    Raises:
        ValueError: Vectors of several embedders, or listed by other centres.
    """

    def __init__(
        self,
        segments: Sequence[Segment],
        removed: Sequence[Numbers],
        tail: IndexBuffer,
        centres: ClusterCentroids | None,
    ) -> None:
        self._tail = tail
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
            self._add(segments[i], removed[i])

    def _add(self, segment: Segment, removed: Numbers) -> None:
        gone = segment.docs(removed)
        gone_rows = np.sort(segment.passages_of(gone)[0])
        self._parts.append(ViewPart(segment, segment.arrays, self._docs, gone, gone_rows))
        self._docs += segment.exchanges
        self._exchanges += segment.exchanges - len(gone)
        self._passages += segment.passages - len(gone_rows)
        for side, name in enumerate(("user_lengths", "answer_lengths")):
            less = segment.arrays[name][gone].sum(dtype=np.int64)
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
