"""One process's view of a search index: segments, and a buffer of newer entries.

Segments never change. The buffer is copied before a change if a search is using it, so that every
search sees one state without a lock.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from unabridged.domain.changes import Changes
from unabridged.domain.index_query import EmbedderInUse
from unabridged.index.buffer import IndexBuffer
from unabridged.index.clusters import ClusterCentroids
from unabridged.index.indexed_exchange import FIRST, IndexedExchange, name_of
from unabridged.index.live_view import LiveView, View
from unabridged.index.segment import Segment, moved
from unabridged.projections.search_index.segment_files import release

LARGE_BYTES = 512 * 1024 * 1024
"""Bytes of segments from which on their memory is freed regularly."""
RELEASE_EVERY = 16
"""Searches between two such releases."""


class IndexSnapshot:
    """The index as this process sees it. The caller locks every method.

    Attributes:
        segments: The segments, by name.
        removed: For each, the numbers of exchanges to ignore.
        buffer: Entries without a segment.
        embedder: The embedder of the vectors; None for words only.
        centroids: The centroids that vectors are listed by; None for none.
        bare: The numbers of exchanges that still lack vectors of the embedder.
        bulk: Entries that bypass the buffer into a segment, by id; None at other times.
        moved: The segments whose parents and positions differ from their files.
    """

    def __init__(
        self, embedder: EmbedderInUse | None = None, centroids: ClusterCentroids | None = None
    ) -> None:
        self.embedder = embedder
        self.centroids = centroids
        self.segments: dict[str, Segment] = {}
        self.removed: dict[str, set[int]] = {}
        self.bare: set[int] = set()
        self.bulk: dict[str, IndexedExchange] | None = None
        self.moved: set[str] = set()
        self.buffer = self.new_buffer()
        self._view: View | None = None
        self._readers: dict[int, int] = {}
        self._searches = 0

    @property
    def is_empty(self) -> bool:
        """Whether it holds no exchanges."""
        return not self.segments and not len(self.buffer)

    def new_buffer(self) -> IndexBuffer:
        """Return an empty buffer for vectors of the embedder."""
        if self.embedder is None:
            return IndexBuffer()
        return IndexBuffer(self.embedder.identity, self.embedder.dimension, self.centroids)

    def take(
        self,
        segments: dict[str, Segment],
        removed: dict[str, set[int]],
        centroids: ClusterCentroids | None,
    ) -> None:
        """Set new segments and start a new buffer; a running search keeps its own."""
        self.segments, self.removed, self.centroids = segments, removed, centroids
        self.buffer, self.bulk, self.moved, self._view = self.new_buffer(), None, set(), None

    def find(self, name: str) -> tuple[int, int] | None:
        """Return the number and the position of an exchange, or None."""
        entry = (self.bulk or {}).get(name) or self.buffer.named(name)
        if entry is not None:
            return entry.place, entry.position
        for file, segment in self.segments.items():
            doc = segment.doc_of(name)
            if doc is not None:
                number = int(segment.places[doc])
                if number not in self.removed[file]:
                    return number, int(segment.arrays["positions"][doc])
        return None

    def put(self, entry: IndexedExchange) -> None:
        """Add an entry, which replaces an earlier one with its number."""
        self._cover(entry.place)
        if self.bulk is None:
            self._own_buffer().put(entry)
            return
        if entry.place in self.buffer:
            self._own_buffer().remove(entry.place)
        self.bulk[entry.name] = entry

    def remove(self, name: str) -> None:
        """Hide an exchange from searches."""
        known = self.find(name)
        if known is None:
            return
        number = known[0]
        self.bare.discard(number)
        self._cover(number)
        if number in self.buffer:
            self._own_buffer().remove(number)

    def move(self, parents: Mapping[str, str | None]) -> None:
        """Change the parents of exchanges; their descendants move along.

        Args:
            parents: Id of each exchange to the id of its parent.
        """
        roots = {known[0]: name for name in parents if (known := self.find(name)) is not None}
        lines: dict[int, tuple[int, int]] = {}
        behind = self._behind(roots)
        for number in sorted({*roots, *behind}):
            if number not in roots:
                parent = behind[number]
                lines[number] = (parent, lines[parent][1] + 1)
                continue
            name = parents[roots[number]]
            above = None if name is None else self.find(name)
            if above is None:
                lines[number] = (FIRST, 0)
            else:
                lines[number] = (above[0], lines.get(above[0], above)[1] + 1)
        self._put_at(lines)

    def _behind(self, numbers: Iterable[int]) -> dict[int, int]:
        found: dict[int, int] = {}
        waiting = list(numbers)
        while waiting:
            step = ascending(set(waiting))
            waiting = []
            for source, gone in self._sources():
                docs = source.children_of(step)
                held = (source.arrays[name][docs].tolist() for name in ("places", "parents"))
                for number, parent in zip(*held, strict=True):
                    if number not in gone and number not in found:
                        found[number] = parent
                        waiting.append(number)
        return found

    def _put_at(self, lines: Mapping[int, tuple[int, int]]) -> None:
        numbers = ascending(lines)
        for number in numbers.tolist():
            entry = self.buffer.at(number)
            if entry is not None:
                parent, position = lines[number]
                self._own_buffer().put(replace(entry, parent=parent, position=position))
        for file, segment in self.segments.items():
            docs = segment.docs(numbers)
            if len(docs):
                held = [lines[number] for number in segment.places[docs].tolist()]
                parents, positions = np.array(held, dtype=np.int64).T
                self.segments[file] = moved(segment, docs, parents, positions)
                self.moved.add(file)
                self._view = None

    def names_at(self, numbers: Iterable[int]) -> list[str]:
        """Return the ids of exchanges by their numbers."""
        wanted = ascending(numbers)
        found: list[str] = []
        for source, gone in self._sources():
            docs = source.docs(wanted)
            found += [name for number, name in _named(source, docs) if number not in gone]
        return found

    def differences(self, everything: Changes) -> list[str]:
        """Return every mismatch with the log, as text.

        Args:
            everything: The content of the log at the revision of the snapshot.
        """
        numbers = [entry.place for entry in self.buffer.entries()]
        for file, segment in self.segments.items():
            gone = self.removed[file]
            numbers += [number for number in segment.places.tolist() if number not in gone]
        wanted, found = set(everything.numbers), set(numbers)
        counted = (
            (len(wanted - found), "exchanges are missing from the search index"),
            (len(found - wanted), "entries of the search index are stray"),
            (len(numbers) - len(found), "exchanges are in the search index twice"),
        )
        return [f"{number} {what}; rebuild it." for number, what in counted if number]

    def begin_search(self) -> tuple[LiveView, IndexBuffer]:
        """Return the view of a search, and the buffer that it uses until ``end_search``."""
        if self._view is None:
            removed = [ascending(self.removed[file]) for file in self.segments]
            self._view = View(list(self.segments.values()), removed, self.buffer, self.centroids)
        self._readers[id(self.buffer)] = self._readers.get(id(self.buffer), 0) + 1
        return self._view.scene(), self.buffer

    def end_search(self, buffer: IndexBuffer) -> None:
        """Release the buffer of a search."""
        left = self._readers.pop(id(buffer)) - 1
        if left:
            self._readers[id(buffer)] = left
        self._searches += 1
        if self._searches % RELEASE_EVERY == 0:
            held = self.segments.values()
            if sum(a.nbytes for one in held for a in one.arrays.values()) > LARGE_BYTES:
                for segment in held:
                    release(segment)

    def _own_buffer(self) -> IndexBuffer:
        if id(self.buffer) in self._readers:
            self.buffer, self._view = self.buffer.copy(), None
        return self.buffer

    def _cover(self, number: int) -> None:
        for file, segment in self.segments.items():
            if number not in self.removed[file] and _holds(segment.places, number):
                self.removed[file].add(number)
                self._view = None

    def _sources(self) -> Iterator[tuple[Segment | IndexBuffer, set[int]]]:
        yield self.buffer, set()
        for file, segment in self.segments.items():
            yield segment, self.removed[file]


def _named(source: Segment | IndexBuffer, docs: NDArray[np.int64]) -> Iterator[tuple[int, str]]:
    numbers = source.arrays["places"][docs].tolist()
    names, counts = source.names_of(docs)
    start = 0
    for number, length in zip(numbers, counts.tolist(), strict=True):
        with suppress(UnicodeDecodeError):  # damage: a rebuild repairs it
            yield number, name_of(names[start : start + length])
        start += length


def ascending(numbers: Iterable[int]) -> NDArray[np.int64]:
    """Return numbers as an array, the smallest first."""
    return np.array(sorted(numbers), dtype=np.int64)


def _holds(places: NDArray[np.int64], number: int) -> bool:
    at = int(np.searchsorted(places, number))
    return at < len(places) and int(places[at]) == number
