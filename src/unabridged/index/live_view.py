"""What one lookup sees: the living docs of all parts, in one row."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unabridged.index.array_runs import distinct
from unabridged.index.buffer import IndexBuffer
from unabridged.index.clusters import ClusterCentroids
from unabridged.index.segment import COLUMNS, Segment

Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class ViewPart:
    """A segment or the tail, within a view.

    Attributes:
        source: It.
        arrays: Its arrays.
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
