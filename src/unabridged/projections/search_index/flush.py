"""Write segments: flush the buffer, merge, remove erased entries.

A new file is complete on the disk before a manifest lists it. An old one is removed only after the
manifest without it is durable.
"""

from collections.abc import Collection, Iterable

import numpy as np
from numpy.typing import NDArray

from unabridged.domain.index_query import EmbedderInUse
from unabridged.index import clusters
from unabridged.index.buffer import IndexBuffer
from unabridged.index.clusters import ClusterCentroids
from unabridged.index.merge import merge
from unabridged.index.merge_policy import SegmentSize, full, next_merge
from unabridged.index.segment import Segment, build
from unabridged.projections.search_index.snapshot import IndexSnapshot, ascending
from unabridged.projections.search_index.storage import SegmentStorage

GROWTH = 4
"""The growth of the wanted number of centroids that triggers another training."""
PATIENCE = 8
"""The most times its usual size that the buffer may have while it waits for vectors."""


def is_due(buffer: IndexBuffer, embedder: EmbedderInUse | None) -> bool:
    """Return whether the buffer is large enough to flush."""
    if not buffer.passages and embedder is not None and embedder.stored:
        waited = buffer.characters // PATIENCE
        return full(SegmentSize(len(buffer) // PATIENCE, 0, characters=waited))
    return full(SegmentSize(len(buffer), buffer.passages, characters=buffer.characters))


class SegmentWriter:
    """New segments for a snapshot, which itself does not change.

    Attributes:
        segments: The new segments, by name.
        removed: For each, the numbers of exchanges to ignore.
        centroids: The centroids that vectors are listed by.
    """

    def __init__(self, snapshot: IndexSnapshot, storage: SegmentStorage) -> None:
        self.segments = dict(snapshot.segments)
        self.removed = {file: set(numbers) for file, numbers in snapshot.removed.items()}
        self.centroids = snapshot.centroids
        self._embedder = snapshot.embedder
        self._moved = set(snapshot.moved)
        self._storage = storage

    def flush(self, snapshot: IndexSnapshot) -> None:
        """Write the buffer as a segment, and rewrite segments that differ from their files."""
        for file in self._moved & self.segments.keys():
            self._join([file])
        held = [*snapshot.buffer.entries(), *(snapshot.bulk or {}).values()]
        if held:
            identity, dimension = self._kind()
            self._add(build(held, identity, dimension, self.centroids))

    def merge(self, most: int | None) -> None:
        """Merge segments if there are too many.

        Args:
            most: The most vectors to merge now; None for no limit.
        """
        while True:
            sizes = {
                file: SegmentSize(segment.exchanges, segment.passages, len(self.removed[file]))
                for file, segment in self.segments.items()
            }
            names = list(sizes)
            chosen = [names[position] for position in next_merge(list(sizes.values()))]
            total = sum(sizes[name].passages for name in chosen)
            if not chosen or (most is not None and total > most):
                break
            self._join(chosen)

    def holds(self, names: Collection[str]) -> bool:
        """Return whether a segment contains one of these exchanges, searchable or not."""
        held = self.segments.values()
        return any(segment.doc_of(name) is not None for segment in held for name in names)

    def cut_out(self, names: Collection[str]) -> None:
        """Rewrite every segment with one of these exchanges, without them."""
        for file, segment in list(self.segments.items()):
            docs = [doc for name in names if (doc := segment.doc_of(name)) is not None]
            if docs:
                self.removed[file] |= set(segment.places[docs].tolist())
                self._join([file])

    def train(self) -> ClusterCentroids | None:
        """Return new centroids if the space has outgrown its present ones, else None."""
        wanted = clusters.wanted(sum(segment.passages for segment in self.segments.values()))
        have = 1 if self.centroids is None else len(self.centroids.codes)
        if self._embedder is None or wanted < GROWTH * have:
            return None
        sample = _sample(self.segments.values(), wanted * clusters.SAMPLE)
        return clusters.train(sample, wanted)

    def list_by(self, centroids: ClusterCentroids) -> None:
        """Rewrite every segment with its vectors listed by other centroids."""
        self.centroids = centroids
        for file in list(self.segments):
            self._join([file])

    def _join(self, files: list[str]) -> None:
        removed = [ascending(self.removed[file]) for file in files]
        joined = merge([self.segments[file] for file in files], removed, self.centroids)
        for file in files:
            del self.segments[file], self.removed[file]
        if joined.exchanges:
            self._add(joined)

    def _add(self, segment: Segment) -> None:
        name = self._storage.write(segment)
        self.segments[name] = self._storage.load(name)
        self.removed[name] = set()

    def _kind(self) -> tuple[str, int]:
        return (self._embedder.identity, self._embedder.dimension) if self._embedder else ("", 0)


def _sample(segments: Iterable[Segment], most: int) -> NDArray[np.int8]:
    some = [segment for segment in segments if segment.passages]
    total = sum(segment.passages for segment in some)
    step = max(1, total // most)
    return np.concatenate([segment.arrays["passage_codes"][::step] for segment in some])[:most]
