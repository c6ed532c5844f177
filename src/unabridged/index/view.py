"""What a lookup sees: segments and tail as one row of docs, less what was removed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unabridged.index.centres import Centres
from unabridged.index.merging import common
from unabridged.index.segment import COLUMNS, Segment
from unabridged.index.tail import Tail

Numbers = NDArray[np.int64]
_NOTHING: Numbers = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A segment or the tail, within a view.

    Attributes:
        source: It.
        base: The view's doc of its first one.
        gone: Its docs that count no more, ascending.
        gone_rows: Its rows of vectors that count no more, ascending.
    """

    source: Segment | Tail
    base: int
    gone: Numbers
    gone_rows: Numbers

    def living(self, docs: Numbers) -> Numbers:
        """Those of its docs that count."""
        return docs[~np.isin(docs, self.gone)] if len(self.gone) else docs


class View:
    """Everything that a lookup sees. Make one whenever segments or removed places change.

    The tail is looked at as it is at each lookup, so entries may be put after the view was made.
    Docs are numbered through all parts, the tail's last.

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
        tail: Tail | None = None,
        centres: Centres | None = None,
    ) -> None:
        self.tail = tail if tail is not None else Tail()
        self.centres = centres
        sources: tuple[Segment | Tail, ...] = (*segments, self.tail)
        self.embedder, self.dimension = common(sources)
        for part in sources:
            if centres is not None and part.passages and part.centres != centres.identity:
                raise ValueError("vectors are listed by other centres than the view's")
        self._segments: list[Part] = []
        self._exchanges = self._passages = 0
        self._sums = [0, 0]
        self._per_list = np.zeros(len(centres) if centres else 0, dtype=np.int64)
        for i, segment in enumerate(segments):
            self._add(segment, removed[i] if i < len(removed) else None)
        self._base = sum(segment.exchanges for segment in segments)

    def _add(self, segment: Segment, removed: NDArray[np.int64] | None) -> None:
        base = (
            self._segments[-1].base + self._segments[-1].source.exchanges if self._segments else 0
        )
        gone, gone_rows = _NOTHING, _NOTHING
        if removed is not None and len(removed):
            found = segment.docs(np.unique(np.asarray(removed, dtype=np.int64)))
            gone = found[found >= 0]
            gone_rows = np.sort(segment.passages_of(gone)[0])
        self._segments.append(Part(segment, base, gone, gone_rows))
        self._exchanges += segment.exchanges - len(gone)
        self._passages += segment.passages - len(gone_rows)
        for side, name in enumerate(("user_lengths", "answer_lengths")):
            less = segment.arrays[name][gone].sum(dtype=np.int64) if len(gone) else 0
            self._sums[side] += int(segment.arrays["sums"][side]) - int(less)
        if self.centres is not None and segment.passages:
            offsets = segment.arrays["list_offsets"]
            self._per_list += np.diff(offsets)
            lists = np.searchsorted(offsets, gone_rows, side="right") - 1
            np.subtract.at(self._per_list, lists, 1)

    @property
    def exchanges(self) -> int:
        """How many exchanges live in it."""
        return self._exchanges + len(self.tail)

    @property
    def passages(self) -> int:
        """How many vectors live in it."""
        return self._passages + self.tail.passages

    @property
    def docs(self) -> int:
        """How many docs it has, those that count no more included."""
        return self._base + self.tail.exchanges

    @property
    def means(self) -> tuple[float, float]:
        """The mean lengths of the users' and of the answers' sides, in terms."""
        count = max(self.exchanges, 1)
        user, answer = self.tail.sums
        return (self._sums[0] + user) / count, (self._sums[1] + answer) / count

    def parts(self) -> list[Part]:
        """Its segments and, behind them, the tail as it is now."""
        return [*self._segments, Part(self.tail, self._base, _NOTHING, self.tail.gone_rows)]

    def per_list(self) -> Numbers:
        """How many living passages each centre's list holds."""
        lists = self.tail.arrays["passage_lists"]
        counts = self._per_list + np.bincount(lists, minlength=len(self._per_list))
        np.subtract.at(counts, lists[self.tail.gone_rows], 1)
        return counts

    def split(self, docs: Numbers) -> Iterator[tuple[Part, slice]]:
        """The parts that ascending docs lie in, and which of them lie there."""
        parts = self.parts()
        bounds = [*np.searchsorted(docs, [part.base for part in parts]).tolist(), len(docs)]
        for part, start, stop in zip(parts, bounds, bounds[1:], strict=False):
            if stop > start:
                yield part, slice(start, stop)

    def columns(self, names: Sequence[str], docs: Numbers) -> list[NDArray[Any]]:
        """Numbers of ascending docs, for each name of ``COLUMNS``."""
        found = [np.empty(len(docs), dtype=COLUMNS[name]) for name in names]
        for part, rows in self.split(docs):
            local, arrays = docs[rows] - part.base, part.source.arrays
            for column, name in zip(found, names, strict=True):
                column[rows] = arrays[name][local]
        return found

    def places(self, docs: Numbers) -> Numbers:
        """The places of ascending docs."""
        return self.columns(("places",), docs)[0]

    def beside(self, docs: Numbers) -> Numbers:
        """The docs before and after ascending docs on their paths, ascending, each once."""
        places, parents = self.columns(("places", "parents"), docs)
        before = parents[parents >= 0]
        found = []
        for part in self.parts():
            held = part.source.docs(before)
            both = np.concatenate((held[held >= 0], part.source.children_of(places)))
            found.append(part.living(both) + part.base)
        return np.unique(np.concatenate(found))
