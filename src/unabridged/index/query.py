"""Look up: what bears on a probe, by words and by vectors, over segments and tail together."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from unabridged.domain.index_query import IndexHits, IndexQuery
from unabridged.index.array_runs import distinct, offsets_of, positions_of, spread
from unabridged.index.live_view import LiveView, Numbers
from unabridged.index.segment import COLUMNS
from unabridged.index.segments_view import View
from unabridged.index.term_search import ByWords
from unabridged.index.vector_search import ByVectors

__all__ = ["View", "look_up", "search"]

_COLUMNS = tuple(name for name in COLUMNS if name != "name_keys")


def look_up(view: View, index_query: IndexQuery) -> IndexHits:
    """What bears on a probe; see ``search``."""
    return search(view.scene(), index_query)


def search(scene: LiveView, index_query: IndexQuery) -> IndexHits:
    """What bears on a probe, with the exchanges before and after each on their paths.

    Rows come in the order of their places. The same content gives the same rows, bit for bit,
    however it is divided into segments and tail, in whatever order it came and whatever was
    removed from it.

    Raises:
        ValueError: The probe's vector is of another dimension than the scene's.
    """
    words = ByWords(scene, index_query.terms)
    vectors = None if index_query.vector is None else ByVectors(scene, index_query.vector)
    found, beside = _found(scene, index_query, words, vectors)
    docs = distinct(np.concatenate((found, beside)))
    at = docs.searchsorted(found)
    columns = scene.columns(_COLUMNS, docs)
    order = np.argsort(columns["places"], kind="stable")
    in_order = bool((order[1:] > order[:-1]).all())

    def put(column: NDArray[Any]) -> NDArray[Any]:
        return column if in_order else column[order]

    places = put(columns["places"])
    user_times, answer_times = words.times(docs)
    nearness = np.zeros((2, len(docs)), dtype=np.float32)
    if vectors is not None:
        nearness[:, at] = vectors.scores(found)
    is_found = np.zeros(len(docs), dtype=np.bool_)
    is_found[at] = True
    pieces, counts = _pieces(scene, found)
    names, name_counts = _names(scene, docs)
    lengths = np.zeros(len(docs), dtype=np.int64)
    lengths[at] = counts
    if not in_order:
        starts = offsets_of(lengths)[:-1]
        pieces = pieces[spread(starts[order], lengths[order])]
        starts = offsets_of(name_counts)[:-1]
        names = names[spread(starts[order], name_counts[order])]
    user_mean, answer_mean = scene.means
    return IndexHits(
        places=places,
        sessions=put(columns["sessions"]),
        at=put(columns["at"]),
        found=put(is_found),
        before=positions_of(put(columns["parents"]), places),
        positions=put(columns["positions"]),
        user_times=put(user_times),
        answer_times=put(answer_times),
        user_length=put(columns["user_lengths"]).astype(np.int64),
        answer_length=put(columns["answer_lengths"]).astype(np.int64),
        user_nearness=put(nearness[0]),
        answer_nearness=put(nearness[1]),
        pieces=pieces,
        starts=offsets_of(put(lengths)),
        names=names,
        name_starts=offsets_of(put(name_counts)),
        frequencies=words.frequencies,
        exchanges=scene.exchanges,
        user_mean=user_mean,
        answer_mean=answer_mean,
    )


def _found(
    scene: LiveView, index_query: IndexQuery, words: ByWords, vectors: ByVectors | None
) -> tuple[Numbers, Numbers]:
    if index_query.session is None:
        found = [words.candidates(index_query.limit)]
        found += [vectors.candidates(index_query.limit)] if vectors is not None else []
        best = distinct(np.concatenate(found))
        return best, scene.beside(best)
    among = scene.of_session(index_query.session)
    found = [words.best_of(among, index_query.limit)]
    found += [vectors.best_of(among, index_query.limit)] if vectors is not None else []
    best = distinct(np.concatenate(found))
    beside = scene.beside(best)
    return best, beside[np.isin(beside, among, assume_unique=True)]


def _names(scene: LiveView, docs: Numbers) -> tuple[NDArray[np.uint8], Numbers]:
    held = [part.source.names_of(docs[some] - part.base) for part, some in scene.split(docs)]
    counts = np.concatenate([count for _, count in held] or [np.empty(0, dtype=np.int64)])
    return np.concatenate([some for some, _ in held] or [np.empty(0, dtype=np.uint8)]), counts


def _pieces(scene: LiveView, docs: Numbers) -> tuple[NDArray[np.uint16], Numbers]:
    held = [part.source.pieces_of(docs[some] - part.base) for part, some in scene.split(docs)]
    counts = np.concatenate([count for _, count in held] or [np.empty(0, dtype=np.int64)])
    return np.concatenate([some for some, _ in held] or [np.empty(0, dtype=np.uint16)]), counts
