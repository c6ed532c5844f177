"""Segments: unchangeable arrays of many entries, in memory or mapped from a file."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unabridged.index.array_runs import offsets_of, positions_of, spread
from unabridged.index.clusters import ClusterCentroids
from unabridged.index.indexed_exchange import IndexedExchange, key_of, name_of
from unabridged.index.sign_bits import signs_of
from unabridged.index.term_weights import codes_of, joined

Arrays = dict[str, NDArray[Any]]
COLUMNS: Mapping[str, Any] = {
    "places": np.int64,
    "sessions": np.int64,
    "parents": np.int64,
    "at": np.float64,
    "positions": np.int64,
    "user_lengths": np.uint32,
    "answer_lengths": np.uint32,
    "name_keys": np.uint64,
}
"""The arrays with one number for each exchange, in the order of places."""


class Postings(NamedTuple):
    """Who holds a term, in the order of docs.

    Attributes:
        docs: The docs that hold it.
        user: How often the user's side of each does.
        answer: The same of the answer's side.
        codes: ``impact.joined`` of both sides.
    """

    docs: NDArray[np.uint32]
    user: NDArray[np.uint8]
    answer: NDArray[np.uint8]
    codes: NDArray[np.uint16]


@dataclass(frozen=True, slots=True, eq=False)
class Segment:
    """Entries as named arrays; nothing in it ever changes. A *doc* is an exchange's row in it.

    Attributes:
        arrays: ``COLUMNS``; ``children``, docs by parent, and ``child_parents``, those parents;
            ``piece_offsets`` (by doc) and ``pieces``; ``name_offsets`` (by doc) and ``names``, the
            bytes of ids; ``named``, the ids' keys in ascending order, and ``named_docs``; ``keys``, ascending, ``key_offsets`` and, for
            each posting, ``posting_docs`` (ascending within a key), ``posting_user`` and
            ``posting_answer`` (how often), ``posting_codes`` (``impact.joined``);
            ``passage_docs``, ``_sides``, ``_scales``, ``_codes``, ``_signs``, by list and then by
            doc, with ``list_offsets``; ``doc_offsets`` (by doc) and ``doc_passages``; ``sums``, the
            terms on the user's and on the answer's sides.
        embedder: The identity of the embedder of its vectors; empty where it has none.
        dimension: Numbers in a vector; 0 where it has none.
        centres: The identity of the centres that its passages are listed by; empty for none.
    """

    arrays: Mapping[str, NDArray[Any]]
    embedder: str = ""
    dimension: int = 0
    centres: str = ""

    @property
    def exchanges(self) -> int:
        """How many exchanges it holds, removed ones included."""
        return len(self.arrays["places"])

    @property
    def passages(self) -> int:
        """How many vectors it holds."""
        return len(self.arrays["passage_docs"])

    @property
    def places(self) -> NDArray[np.int64]:
        """The places of its exchanges, ascending."""
        return self.arrays["places"]

    def docs(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """The docs of those of ascending places that it holds."""
        held = self.arrays["places"]
        found = positions_of(_within(places, held), held)
        return found[found >= 0]

    def children_of(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """The docs of all exchanges whose parents these ascending places are."""
        parents = self.arrays["child_parents"]
        places = _within(places, parents)
        if not len(places):
            return places
        starts = parents.searchsorted(places, side="left")
        counts = parents.searchsorted(places, side="right") - starts
        return self.arrays["children"].take(spread(starts, counts)).astype(np.int64)

    def postings(self, keys: NDArray[np.uint64]) -> list[Postings | None]:
        """Who holds each key; None where nobody does."""
        arrays, found = self.arrays, positions_of(keys, self.arrays["keys"])
        starts = arrays["key_offsets"][found].tolist()
        stops = arrays["key_offsets"][found + 1].tolist()
        return [
            Postings(
                arrays["posting_docs"][start:stop],
                arrays["posting_user"][start:stop],
                arrays["posting_answer"][start:stop],
                arrays["posting_codes"][start:stop],
            )
            if at >= 0
            else None
            for at, start, stop in zip(found.tolist(), starts, stops, strict=True)
        ]

    def passages_of(self, docs: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The rows of docs' passages, one doc behind the other, and how many each has."""
        rows, counts = self._of_docs("doc_offsets", "doc_passages", docs)
        return rows.astype(np.int64), counts

    def pieces_of(self, docs: NDArray[np.int64]) -> tuple[NDArray[np.uint16], NDArray[np.int64]]:
        """The word pieces of ascending docs, one behind the other, and how many each has."""
        return self._of_docs("piece_offsets", "pieces", docs)

    def names_of(self, docs: NDArray[np.int64]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """The bytes of the ids of docs, one behind the other, and how many each has."""
        return self._of_docs("name_offsets", "names", docs)

    def _of_docs(
        self, by_doc: str, held: str, docs: NDArray[np.int64]
    ) -> tuple[NDArray[Any], NDArray[np.int64]]:
        offsets = self.arrays[by_doc]
        starts = offsets.take(docs)
        counts = offsets.take(docs + 1) - starts
        return self.arrays[held].take(spread(starts, counts)), counts

    def doc_of(self, name: str) -> int | None:
        """The doc of an exchange, by its id; None where it does not hold it."""
        key, keys = np.uint64(key_of(name)), self.arrays["named"]
        at = int(keys.searchsorted(key))
        while at < len(keys) and keys[at] == key:
            doc = int(self.arrays["named_docs"][at])
            if name_of(self.names_of(np.array([doc]))[0]) == name:
                return doc
            at += 1
        return None


class WordRows(NamedTuple):
    """The counted terms of several entries, one entry behind the other.

    Attributes:
        keys: The terms, ascending within an entry.
        user: How often the user's side has each.
        answer: The same of the answer's side.
        codes: ``term_weights.joined`` of both sides.
        counts: How many terms each entry has.
        user_lengths: The terms on the user's side of each entry, repeats included.
        answer_lengths: The same of the answer's side.
    """

    keys: NDArray[np.uint64]
    user: NDArray[np.uint8]
    answer: NDArray[np.uint8]
    codes: NDArray[np.uint16]
    counts: NDArray[np.int64]
    user_lengths: NDArray[np.uint32]
    answer_lengths: NDArray[np.uint32]

    @classmethod
    def of(cls, held: Sequence[IndexedExchange]) -> "WordRows":
        """Return those of entries, in their order."""
        user = _together([e.words.user for e in held], np.uint8)
        answer = _together([e.words.answer for e in held], np.uint8)
        counts = np.fromiter((len(e.words.keys) for e in held), np.int64, len(held))
        bounds = offsets_of(counts)
        lengths = [np.diff(offsets_of(times)[bounds]).astype(np.uint32) for times in (user, answer)]
        return cls(
            keys=_together([e.words.keys for e in held], np.uint64),
            user=user,
            answer=answer,
            codes=joined(
                codes_of(user, lengths[0].repeat(counts)),
                codes_of(answer, lengths[1].repeat(counts)),
            ),
            counts=counts,
            user_lengths=lengths[0],
            answer_lengths=lengths[1],
        )


def columns_of(held: Sequence[IndexedExchange], words: WordRows) -> Arrays:
    """Return ``COLUMNS`` of entries, in their order; ``words`` are theirs."""
    count = len(held)
    return {
        "places": np.fromiter((e.place for e in held), np.int64, count),
        "sessions": np.fromiter((e.session for e in held), np.int64, count),
        "parents": np.fromiter((e.parent for e in held), np.int64, count),
        "at": np.fromiter((e.at for e in held), np.float64, count),
        "positions": np.fromiter((e.position for e in held), np.int64, count),
        "user_lengths": words.user_lengths,
        "answer_lengths": words.answer_lengths,
        "name_keys": np.fromiter((key_of(e.name) for e in held), np.uint64, count),
    }


def build(
    entries: Iterable[IndexedExchange],
    embedder: str = "",
    dimension: int = 0,
    centres: ClusterCentroids | None = None,
) -> Segment:
    """Entries as a segment.

    Args:
        entries: In any order, each place once.
        embedder: The identity of the embedder of their vectors.
        dimension: Its dimension; 0 where no entry has vectors.
        centres: What their passages are listed by, where the space is large enough to have them.
    """
    held = sorted(entries, key=lambda entry: entry.place)
    count = len(held)
    words = WordRows.of(held)
    names = [e.name_bytes for e in held]
    arrays: Arrays = {
        **columns_of(held, words),
        "piece_offsets": offsets_of(np.fromiter((len(e.pieces) for e in held), np.int64, count)),
        "pieces": _together([e.pieces for e in held], np.uint16),
        "name_offsets": offsets_of(np.fromiter((len(n) for n in names), np.int64, count)),
        "names": _together(names, np.uint8),
    }
    _add_words(arrays, words)
    listed = _add_vectors(arrays, held, dimension, centres)
    return finish(arrays, embedder, dimension, listed)


def _within(values: NDArray[np.int64], bounds: NDArray[np.int64]) -> NDArray[np.int64]:
    if not len(bounds) or not len(values):
        return values[:0]
    start, stop = values.searchsorted((bounds[0], bounds[-1] + 1)).tolist()
    return values[start:stop]


def finish(
    arrays: Arrays, embedder: str, dimension: int, centres: ClusterCentroids | None
) -> Segment:
    """Add what follows from the other arrays: children, passages by doc, lists, sums.

    Args:
        arrays: All but those, and ``passage_lists``, which is left out.
        embedder: The identity of the embedder.
        dimension: Numbers in a vector.
        centres: What the passages are listed by.
    """
    _add_children(arrays)
    named = np.argsort(arrays["name_keys"], kind="stable")
    arrays["named_docs"] = named.astype(np.uint32)
    arrays["named"] = arrays["name_keys"][named]
    by_doc = np.argsort(arrays["passage_docs"], kind="stable")
    per_doc = np.bincount(arrays["passage_docs"], minlength=len(arrays["places"]))
    arrays["doc_passages"] = by_doc.astype(np.uint32)
    arrays["doc_offsets"] = offsets_of(per_doc)
    lists = arrays.pop("passage_lists")
    per_list = np.bincount(lists, minlength=len(centres) if centres else 1)
    arrays["list_offsets"] = offsets_of(per_list)
    arrays["sums"] = np.array(
        [arrays[f"{side}_lengths"].sum(dtype=np.int64) for side in ("user", "answer")]
    )
    return Segment(arrays, embedder, dimension, centres.identity if centres else "")


def moved(
    segment: Segment,
    docs: NDArray[np.int64],
    parents: NDArray[np.int64],
    positions: NDArray[np.int64],
) -> Segment:
    """The same segment with some exchanges elsewhere on their paths.

    Args:
        segment: The segment; nothing in it changes.
        docs: Those exchanges.
        parents: The place of the exchange before each.
        positions: How many exchanges stand before each.
    """
    arrays = dict(segment.arrays)
    for name, values in (("parents", parents), ("positions", positions)):
        arrays[name] = arrays[name].copy()
        arrays[name][docs] = values
    _add_children(arrays)
    return replace(segment, arrays=arrays)


def _add_children(arrays: Arrays) -> None:
    children = np.argsort(arrays["parents"], kind="stable")
    arrays["children"] = children.astype(np.uint32)
    arrays["child_parents"] = arrays["parents"][children]


def _add_words(arrays: Arrays, words: WordRows) -> None:
    order = np.argsort(words.keys, kind="stable")
    ordered = words.keys[order]
    firsts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1]))[: len(ordered)])
    docs = np.repeat(np.arange(len(words.counts), dtype=np.uint32), words.counts)
    arrays["keys"] = ordered[firsts]
    arrays["key_offsets"] = np.append(firsts, len(ordered)).astype(np.int64)
    arrays["posting_docs"] = docs[order]
    arrays["posting_user"] = words.user[order]
    arrays["posting_answer"] = words.answer[order]
    arrays["posting_codes"] = words.codes[order]


def _add_vectors(
    arrays: Arrays, held: list[IndexedExchange], dimension: int, centres: ClusterCentroids | None
) -> ClusterCentroids | None:
    vectors = [(doc, e.vectors) for doc, e in enumerate(held) if e.vectors is not None]
    codes = _together([v.codes for _, v in vectors], np.int8, (dimension,))
    counts = np.fromiter((len(v.codes) for _, v in vectors), np.int64, len(vectors))
    docs = np.repeat(np.fromiter((doc for doc, _ in vectors), np.uint32, len(vectors)), counts)
    lists = centres.nearest(codes) if centres else np.zeros(len(codes), dtype=np.uint16)
    order = np.argsort(lists, kind="stable")
    arrays["passage_docs"] = docs[order]
    arrays["passage_sides"] = _together([v.sides for _, v in vectors], np.uint8)[order]
    arrays["passage_scales"] = _together([v.scales for _, v in vectors], np.float32)[order]
    arrays["passage_codes"] = codes[order]
    arrays["passage_signs"] = signs_of(arrays["passage_codes"])
    arrays["passage_lists"] = lists[order]
    return centres


def _together(parts: list[NDArray[Any]], kind: Any, row: tuple[int, ...] = ()) -> NDArray[Any]:
    if not parts:
        return np.empty((0, *row), dtype=kind)
    return np.concatenate(parts).astype(kind, copy=False)
