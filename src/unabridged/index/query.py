"""Search: what is relevant to a query, by words and by vectors, over segments and buffer."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unabridged.domain.index_query import IndexHits, IndexQuery
from unabridged.index.array_runs import distinct, offsets_of, positions_of, spread
from unabridged.index.live_view import LiveView, Numbers
from unabridged.index.segment import COLUMNS
from unabridged.index.term_search import ByWords
from unabridged.index.vector_search import ByVectors

_COLUMNS = tuple(name for name in COLUMNS if name != "name_keys")


def search(scene: LiveView, index_query: IndexQuery) -> IndexHits:
    """Return what is relevant to a query, with the exchanges before and after on their paths.

    Rows come in the order of their places. The same content gives the same rows, bit for bit,
    however it is divided into segments and tail, in whatever order it came and whatever was
    removed from it.

    Raises:
        ValueError: The query's vector is of another dimension than the scene's.
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
    pieces, counts = _joined(
        [part.source.pieces_of(found[some] - part.base) for part, some in scene.split(found)],
        np.uint16,
    )
    names, name_counts = _joined(
        [part.source.names_of(docs[some] - part.base) for part, some in scene.split(docs)],
        np.uint8,
    )
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


def _joined(
    runs: Sequence[tuple[NDArray[Any], Numbers]], kind: Any
) -> tuple[NDArray[Any], Numbers]:
    values = [np.empty(0, dtype=kind), *(some for some, _ in runs)]
    counts = [np.empty(0, dtype=np.int64), *(count for _, count in runs)]
    return np.concatenate(values), np.concatenate(counts)
