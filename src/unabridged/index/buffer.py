"""The tail: the newest entries, in memory, until they are sealed into a segment."""

from array import array
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unabridged.index.clusters import ClusterCentroids
from unabridged.index.indexed_exchange import IndexedExchange, Vectors
from unabridged.index.segment import COLUMNS, Arrays, Postings, WordRows, columns_of
from unabridged.index.sign_bits import signs_of, words_for

_ROOM = 64
"""Rows that there is room for at first; then twice as many, each time."""
_DEAD = 256
"""Rows of replaced vectors that may lie about before the living ones are moved together."""


class IndexBuffer:
    """Entries that no segment holds. Not for several threads at once.

    An entry has a slot, which is its *doc* as in a segment, but in no order. A posting is one
    number: slot, code and counts of both sides, so that numbers in order are docs in order.

    Args:
        embedder: The identity of the embedder of their vectors; empty for none.
        dimension: Its dimension.
        centres: What passages are listed by, where the space has centres.

    Attributes:
        characters: Characters of the texts of all entries.
    """

    def __init__(
        self, embedder: str = "", dimension: int = 0, centres: ClusterCentroids | None = None
    ) -> None:
        self.embedder = embedder
        self.dimension = dimension
        self._by = centres
        self.clear()

    @property
    def centres(self) -> str:
        """The identity of the centres that its passages are listed by; empty for none."""
        return self._by.identity if self._by else ""

    @property
    def exchanges(self) -> int:
        """How many slots it has; free ones included."""
        return len(self._entries)

    @property
    def passages(self) -> int:
        """How many vectors it holds."""
        return self._rows - self._dead

    @property
    def sums(self) -> tuple[int, int]:
        """The terms on the user's and on the answer's sides."""
        self._complete()
        return self._sums[0], self._sums[1]

    def __len__(self) -> int:
        """How many exchanges it holds."""
        return len(self._slots)

    def __contains__(self, place: int) -> bool:
        return place in self._slots

    def clear(self) -> None:
        """Take everything out."""
        self._slots: dict[int, int] = {}
        self._named: dict[str, int] = {}
        self._entries: list[IndexedExchange | None] = []
        self._free: list[int] = []
        self._children: dict[int, list[int]] = {}
        self._sums = [0, 0]
        self.characters = 0
        self._new: dict[int, None] = {}
        self._runs: dict[int, array[int]] = {}
        self._columns: Arrays = {name: np.zeros(_ROOM, kind) for name, kind in COLUMNS.items()}
        self._clear_rows()

    def _clear_rows(self) -> None:
        self._rows = self._dead = self._listed = 0
        self._spans: dict[int, tuple[int, int]] = {}
        self._passages: Arrays = {
            "passage_docs": np.zeros(_ROOM, np.int64),
            "passage_sides": np.zeros(_ROOM, np.uint8),
            "passage_scales": np.zeros(_ROOM, np.float32),
            "passage_codes": np.zeros((_ROOM, self.dimension), np.int8),
            "passage_signs": np.zeros((_ROOM, words_for(self.dimension)), np.uint64),
            "passage_lists": np.zeros(_ROOM, np.uint16),
        }

    def put(self, entry: IndexedExchange) -> None:
        """Take an entry; one of the same place is replaced.

        Raises:
            ValueError: Its vectors are of another dimension.
        """
        vectors = entry.vectors
        if vectors is not None and vectors.codes.shape[1] != self.dimension:
            raise ValueError(f"vectors of {vectors.codes.shape[1]} numbers, not {self.dimension}")
        self.remove(entry.place)
        slot = self._free.pop() if self._free else len(self._entries)
        if slot == len(self._entries):
            self._entries.append(None)
        self._entries[slot] = entry
        self._slots[entry.place] = slot
        self._named[entry.name] = slot
        self._children.setdefault(entry.parent, []).append(slot)
        self._new[slot] = None
        self.characters += entry.characters
        if vectors is not None and len(vectors.codes):
            self._put_rows(slot, vectors)

    def _put_rows(self, slot: int, vectors: Vectors) -> None:
        start, stop = self._rows, self._rows + len(vectors.codes)
        self._passages = _with_room(self._passages, stop)
        rows = self._passages
        rows["passage_docs"][start:stop] = slot
        rows["passage_sides"][start:stop] = vectors.sides
        rows["passage_scales"][start:stop] = vectors.scales
        rows["passage_codes"][start:stop] = vectors.codes
        self._spans[slot] = (start, stop)
        self._rows = stop

    def remove(self, place: int) -> bool:
        """Take an entry out, bytes and all; whether there was one."""
        slot = self._slots.pop(place, None)
        if slot is None:
            return False
        entry = self._entries[slot]
        assert entry is not None  # noqa: S101 - a slot that has a place has an entry
        if slot in self._new:
            del self._new[slot]
        else:
            self._remove_words(slot, entry)
        self._entries[slot] = None
        self.characters -= entry.characters
        if self._named.get(entry.name) == slot:
            del self._named[entry.name]
        self._children[entry.parent].remove(slot)
        if not self._children[entry.parent]:
            del self._children[entry.parent]
        self._free.append(slot)
        self._remove_rows(slot)
        return True

    def _remove_words(self, slot: int, entry: IndexedExchange) -> None:
        words = WordRows.of([entry])
        for key, posting in _postings(words, np.array([slot])):
            run = self._runs[key]
            if run[-1] == posting:
                run.pop()
            else:
                run.remove(posting)
            if not run:
                del self._runs[key]
        for side, length in enumerate((words.user_lengths, words.answer_lengths)):
            self._sums[side] -= int(length[0])

    def _remove_rows(self, slot: int) -> None:
        start, stop = self._spans.pop(slot, (0, 0))
        self._passages["passage_codes"][start:stop] = 0
        self._passages["passage_signs"][start:stop] = 0
        self._passages["passage_docs"][start:stop] = -1
        self._dead += stop - start
        if self._dead > _DEAD + self.passages:
            self._clear_rows()
            for slot_left, entry in enumerate(self._entries):
                if entry is not None and entry.vectors is not None and len(entry.vectors.codes):
                    self._put_rows(slot_left, entry.vectors)

    def named(self, name: str) -> IndexedExchange | None:
        """The entry of an exchange, by its id; None where it does not hold it."""
        slot = self._named.get(name)
        return None if slot is None else self._entries[slot]

    def at(self, place: int) -> IndexedExchange | None:
        """The entry of a place; None where it does not hold it."""
        slot = self._slots.get(place)
        return None if slot is None else self._entries[slot]

    def copy(self) -> "IndexBuffer":
        """The same in arrays of its own: what others look at stays as it is."""
        made = IndexBuffer(self.embedder, self.dimension, self._by)
        made._slots, made._named = dict(self._slots), dict(self._named)
        made._entries, made._free = list(self._entries), list(self._free)
        made._children = {parent: list(slots) for parent, slots in self._children.items()}
        made._sums, made._new = list(self._sums), dict(self._new)
        made._runs = {key: run[:] for key, run in self._runs.items()}
        made._columns = {name: column.copy() for name, column in self._columns.items()}
        made._passages = {name: column.copy() for name, column in self._passages.items()}
        made._spans, made._rows = dict(self._spans), self._rows
        made._dead, made._listed = self._dead, self._listed
        return made

    def entries(self) -> list[IndexedExchange]:
        """All that it holds, by place; what ``segment.build`` takes to seal it."""
        return sorted(
            (entry for entry in self._entries if entry is not None), key=lambda entry: entry.place
        )

    @property
    def arrays(self) -> Mapping[str, NDArray[Any]]:
        """``COLUMNS`` by slot, and the passages' arrays, in the order in which they came."""
        count, rows = len(self._entries), self._rows
        self._complete()
        held: Arrays = {name: column[:count] for name, column in self._columns.items()}
        held.update((name, column[:rows]) for name, column in self._passages.items())
        return held

    def _complete(self) -> None:
        if self._new:
            slots = np.array(list(self._new), dtype=np.int64)
            self._put_words(slots, [one for slot in self._new if (one := self._entries[slot])])
            self._new.clear()
        new = slice(self._listed, self._rows)
        if new.start < new.stop:
            codes = self._passages["passage_codes"][new]
            self._passages["passage_signs"][new] = signs_of(codes)
            if self._by is not None:
                self._passages["passage_lists"][new] = self._by.nearest(codes)
            self._listed = self._rows

    def _put_words(self, slots: NDArray[np.int64], held: list[IndexedExchange]) -> None:
        self._columns = _with_room(self._columns, len(self._entries))
        words = WordRows.of(held)
        for name, column in columns_of(held, words).items():
            self._columns[name][slots] = column
        self._sums[0] += int(words.user_lengths.sum())
        self._sums[1] += int(words.answer_lengths.sum())
        for key, posting in _postings(words, slots):
            run = self._runs.get(key)
            if run is None:
                self._runs[key] = array("Q", (posting,))
            else:
                run.append(posting)

    @property
    def gone_rows(self) -> NDArray[np.int64]:
        """The rows of vectors that were replaced or removed."""
        if not self._dead:
            return np.empty(0, dtype=np.int64)
        return np.flatnonzero(self._passages["passage_docs"][: self._rows] < 0)

    def docs(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """The slots of those places that it holds."""
        slots = self._slots
        found = [slots[place] for place in places.tolist() if place in slots]
        return np.array(found, dtype=np.int64)

    def children_of(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """The slots of all exchanges whose parents these are."""
        children = self._children
        found = [slot for p in places.tolist() if p in children for slot in children[p]]
        return np.array(found, dtype=np.int64)

    def postings(self, keys: NDArray[np.uint64]) -> list[Postings | None]:
        """Who holds each key; None where nobody does."""
        return [self._posting(key) for key in keys.tolist()]

    def _posting(self, key: int) -> Postings | None:
        run = self._runs.get(key)
        if run is None:
            return None
        held = np.array(run, dtype=np.uint64)
        held.sort()
        held = held.astype("<u8", copy=False)
        return Postings(
            held.view("<u4")[1::2],
            held.view("u1")[1::8],
            held.view("u1")[::8],
            held.view("<u2")[1::4],
        )

    def passages_of(self, docs: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The rows of slots' passages, one slot behind the other, and how many each has."""
        spans = [self._spans.get(slot, (0, 0)) for slot in docs.tolist()]
        rows = [row for start, stop in spans for row in range(start, stop)]
        counts = [stop - start for start, stop in spans]
        return np.array(rows, dtype=np.int64), np.array(counts, dtype=np.int64)

    def pieces_of(self, docs: NDArray[np.int64]) -> tuple[NDArray[np.uint16], NDArray[np.int64]]:
        """The word pieces of slots, one slot behind the other, and how many each has."""
        held = [entry.pieces for slot in docs.tolist() if (entry := self._entries[slot])]
        counts = np.array([len(pieces) for pieces in held], dtype=np.int64)
        return np.concatenate([*held, np.empty(0, dtype=np.uint16)]), counts

    def names_of(self, docs: NDArray[np.int64]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """The bytes of the ids of slots, one behind the other, and how many each has."""
        held = [entry.name_bytes for slot in docs.tolist() if (entry := self._entries[slot])]
        counts = np.array([len(name) for name in held], dtype=np.int64)
        return np.concatenate([*held, np.empty(0, dtype=np.uint8)]), counts


def _postings(words: WordRows, slots: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    packed = slots.astype(np.uint64).repeat(words.counts) << np.uint64(32)
    packed |= words.codes.astype(np.uint64) << np.uint64(16)
    packed |= words.user.astype(np.uint64) << np.uint64(8)
    packed |= words.answer
    return zip(words.keys.tolist(), packed.tolist(), strict=True)


def _with_room(columns: Arrays, count: int) -> Arrays:
    if all(len(column) >= count for column in columns.values()):
        return columns
    grown: Arrays = {}
    for name, column in columns.items():
        longer = np.zeros((max(2 * len(column), count), *column.shape[1:]), dtype=column.dtype)
        longer[: len(column)] = column
        grown[name] = longer
    return grown
