"""Merging segments: array by array, so that little more than the new segment lies in memory."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unabridged.index.array_runs import offsets_of, spread
from unabridged.index.clusters import ClusterCentroids
from unabridged.index.segment import COLUMNS, Arrays, Segment, finish
from unabridged.index.sign_bits import words_for

_ROWS = 16_384
"""Vectors that are copied at once."""
_POSTINGS = ("posting_user", "posting_answer", "posting_codes")
_NONE = -1

Numbers = NDArray[np.int64]


def merge(
    segments: Sequence[Segment],
    without: Sequence[NDArray[np.int64]],
    centres: ClusterCentroids | None,
) -> Segment:
    """One segment of several, or of one without its removed exchanges.

    Args:
        segments: One at least, of one embedder; those without vectors may be among them.
        without: For each, the places to leave out, ascending, each once. What then remains must
            have each place once.
        centres: What passages are listed by from now on; those listed by others are listed anew.

    Raises:
        ValueError: Vectors of several embedders or dimensions.
    """
    embedder, dimension = common(segments)
    renamed = _renamed(segments, without)
    arrays: Arrays = {
        name: _column(segments, renamed, name, kind) for name, kind in COLUMNS.items()
    }
    _merge_runs(arrays, segments, renamed, ("piece_offsets", "pieces"))
    _merge_runs(arrays, segments, renamed, ("name_offsets", "names"))
    _merge_words(arrays, segments, renamed)
    _merge_vectors(arrays, segments, renamed, dimension, centres)
    return finish(arrays, embedder, dimension, centres)


def common(parts: Sequence[Any]) -> tuple[str, int]:
    """The embedder and dimension of all that have vectors.

    Args:
        parts: Segments and tails.

    Raises:
        ValueError: They have several.
    """
    kinds = {(part.embedder, part.dimension) for part in parts if part.passages}
    kinds = kinds or {(part.embedder, part.dimension) for part in parts if part.dimension}
    if len(kinds) > 1:
        raise ValueError(f"vectors of several embedders: {sorted(kinds)}")
    return kinds.pop() if kinds else ("", 0)


def _renamed(segments: Sequence[Segment], without: Sequence[NDArray[np.int64]]) -> list[Numbers]:
    kept: list[NDArray[np.bool_]] = []
    for segment, removed in zip(segments, without, strict=True):
        stays = np.ones(segment.exchanges, dtype=np.bool_)
        stays[segment.docs(removed)] = False
        kept.append(stays)
    places = np.concatenate([s.places[k] for s, k in zip(segments, kept, strict=True)])
    order = np.argsort(places, kind="stable")
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[order] = np.arange(len(order))
    renamed, start = [], 0
    for stays in kept:
        new = np.full(len(stays), _NONE, dtype=np.int64)
        stop = start + int(stays.sum())
        new[stays] = ranks[start:stop]
        renamed.append(new)
        start = stop
    return renamed


def _total(renamed: list[Numbers]) -> int:
    return sum(int((new >= 0).sum()) for new in renamed)


def _column(
    segments: Sequence[Segment], renamed: list[Numbers], name: str, kind: Any
) -> NDArray[Any]:
    column = np.empty(_total(renamed), dtype=kind)
    for segment, new in zip(segments, renamed, strict=True):
        stays = new >= 0
        column[new[stays]] = segment.arrays[name][stays]
    return column


def _merge_runs(
    arrays: Arrays, segments: Sequence[Segment], renamed: list[Numbers], names: tuple[str, str]
) -> None:
    by_doc, held = names
    counts = np.zeros(_total(renamed), dtype=np.int64)
    for segment, new in zip(segments, renamed, strict=True):
        stays = new >= 0
        counts[new[stays]] = np.diff(segment.arrays[by_doc])[stays]
    offsets = offsets_of(counts)
    merged = np.empty(int(offsets[-1]), dtype=segments[0].arrays[held].dtype)
    for segment, new in zip(segments, renamed, strict=True):
        docs = np.flatnonzero(new >= 0)
        starts, lengths = offsets[new[docs]], counts[new[docs]]
        old = segment.arrays[by_doc][docs]
        merged[spread(starts, lengths)] = segment.arrays[held][spread(old, lengths)]
    arrays[by_doc], arrays[held] = offsets, merged


def _merge_words(arrays: Arrays, segments: Sequence[Segment], renamed: list[Numbers]) -> None:
    stays = [new[s.arrays["posting_docs"]] >= 0 for s, new in zip(segments, renamed, strict=True)]
    counts = [
        np.add.reduceat(stay, segment.arrays["key_offsets"][:-1], dtype=np.int64)
        if len(stay)
        else np.zeros(0, dtype=np.int64)
        for segment, stay in zip(segments, stays, strict=True)
    ]
    keys = np.unique(np.concatenate([s.arrays["keys"] for s in segments]))
    ranks = [np.searchsorted(keys, segment.arrays["keys"]) for segment in segments]
    totals = np.zeros(len(keys), dtype=np.int64)
    for rank, count in zip(ranks, counts, strict=True):
        totals[rank] += count
    offsets = offsets_of(totals)
    room = offsets[:-1].copy()
    size = int(offsets[-1])
    arrays["posting_docs"] = np.empty(size, dtype=np.uint32)
    for name in _POSTINGS:
        kind = np.uint16 if name == "posting_codes" else np.uint8
        arrays[name] = np.empty(size, dtype=kind)
    for i in _by_age(segments, renamed):
        target = spread(room[ranks[i]], counts[i])
        room[ranks[i]] += counts[i]
        kept = stays[i]
        arrays["posting_docs"][target] = renamed[i][segments[i].arrays["posting_docs"][kept]]
        for name in _POSTINGS:
            arrays[name][target] = segments[i].arrays[name][kept]
    held = totals > 0
    arrays["keys"] = keys[held]
    arrays["key_offsets"] = np.append(offsets[:-1][held], size)
    _sort_postings(arrays)


def _by_age(segments: Sequence[Segment], renamed: list[Numbers]) -> list[int]:
    # Segments with the oldest place first, so that postings mostly come in order.
    firsts = {i: int(new[new >= 0].min(initial=len(new))) for i, new in enumerate(renamed)}
    return sorted(range(len(segments)), key=lambda i: (firsts[i], i))


def _sort_postings(arrays: Arrays) -> None:
    docs = arrays["posting_docs"]
    if len(docs) < 2:
        return
    ascends = docs[1:] > docs[:-1]
    ascends[arrays["key_offsets"][1:-1] - 1] = True
    if ascends.all():
        return
    ranks = np.repeat(
        np.arange(len(arrays["keys"]), dtype=np.uint64), np.diff(arrays["key_offsets"])
    )
    order = np.argsort((ranks << np.uint64(32)) | docs, kind="stable")
    for name in ("posting_docs", *_POSTINGS):
        arrays[name] = arrays[name][order]


def _merge_vectors(
    arrays: Arrays,
    segments: Sequence[Segment],
    renamed: list[Numbers],
    dimension: int,
    centres: ClusterCentroids | None,
) -> None:
    parts = [(s, new) for s, new in zip(segments, renamed, strict=True) if s.passages]
    rows = [np.flatnonzero(new[s.arrays["passage_docs"]] >= 0) for s, new in parts]
    docs = [new[s.arrays["passage_docs"][r]] for (s, new), r in zip(parts, rows, strict=True)]
    lists = [_lists(s, centres)[r] for (s, _), r in zip(parts, rows, strict=True)]
    nothing = [np.empty(0, dtype=np.int64)]
    all_docs = np.concatenate(docs or nothing)
    all_lists = np.concatenate(lists or nothing)
    order = np.argsort((all_lists.astype(np.int64) << 32) | all_docs, kind="stable")
    target = np.empty(len(order), dtype=np.int64)
    target[order] = np.arange(len(order))
    arrays["passage_docs"] = all_docs[order].astype(np.uint32)
    arrays["passage_lists"] = all_lists[order].astype(np.uint16)
    shapes: dict[str, tuple[Any, tuple[int, ...]]] = {
        "passage_sides": (np.uint8, ()),
        "passage_scales": (np.float32, ()),
        "passage_codes": (np.int8, (dimension,)),
        "passage_signs": (np.uint64, (words_for(dimension),)),
    }
    for name, (kind, row) in shapes.items():
        merged = np.empty((len(order), *row), dtype=kind)
        start = 0
        for (segment, _), held in zip(parts, rows, strict=True):
            source = segment.arrays[name]
            for i in range(0, len(held), _ROWS):
                some = held[i : i + _ROWS]
                merged[target[start : start + len(some)]] = source[some]
                start += len(some)
        arrays[name] = merged


def _lists(segment: Segment, centres: ClusterCentroids | None) -> NDArray[np.integer]:
    if centres is None:
        return np.zeros(segment.passages, dtype=np.int64)
    if segment.centres != centres.identity:
        return centres.nearest(segment.arrays["passage_codes"])
    counts = np.diff(segment.arrays["list_offsets"])
    return np.repeat(np.arange(len(counts)), counts)
