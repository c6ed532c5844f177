"""Look up: what bears on a probe, by words and by vectors, over segments and tail together."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from unabridged.domain.lookup import Probe, Shortlist
from unabridged.index.by_vectors import ByVectors
from unabridged.index.by_words import ByWords
from unabridged.index.runs import distinct, offsets_of, positions_of, spread
from unabridged.index.scene import Numbers, Scene
from unabridged.index.segment import COLUMNS
from unabridged.index.view import View

__all__ = ["View", "look_up", "search"]

_COLUMNS = tuple(name for name in COLUMNS if name != "name_keys")


def look_up(view: View, probe: Probe) -> Shortlist:
    """What bears on a probe; see ``search``."""
    return search(view.scene(), probe)


def search(scene: Scene, probe: Probe) -> Shortlist:
    """What bears on a probe, with the exchanges before and after each on their paths.

    Rows come in the order of their places. The same content gives the same rows, bit for bit,
    however it is divided into segments and tail, in whatever order it came and whatever was
    removed from it.

    Raises:
        ValueError: The probe's vector is of another dimension than the scene's.
    """
    words = ByWords(scene, probe.terms)
    vectors = None if probe.vector is None else ByVectors(scene, probe.vector)
    found, beside = _found(scene, probe, words, vectors)
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
    return Shortlist(
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
    scene: Scene, probe: Probe, words: ByWords, vectors: ByVectors | None
) -> tuple[Numbers, Numbers]:
    """The docs that bear on a probe, and those beside them; of its session, if it names one."""
    if probe.session is None:
        found = [words.candidates(probe.limit)]
        found += [vectors.candidates(probe.limit)] if vectors is not None else []
        best = distinct(np.concatenate(found))
        return best, scene.beside(best)
    among = scene.of_session(probe.session)
    found = [words.best_of(among, probe.limit)]
    found += [vectors.best_of(among, probe.limit)] if vectors is not None else []
    best = distinct(np.concatenate(found))
    beside = scene.beside(best)
    return best, beside[np.isin(beside, among, assume_unique=True)]


def _names(scene: Scene, docs: Numbers) -> tuple[NDArray[np.uint8], Numbers]:
    """The bytes of the ids of ascending docs, one behind the other, and how many each has."""
    held = [part.source.names_of(docs[some] - part.base) for part, some in scene.split(docs)]
    counts = np.concatenate([count for _, count in held] or [np.empty(0, dtype=np.int64)])
    return np.concatenate([some for some, _ in held] or [np.empty(0, dtype=np.uint8)]), counts


def _pieces(scene: Scene, docs: Numbers) -> tuple[NDArray[np.uint16], Numbers]:
    """The word pieces of ascending docs, one behind the other, and how many each has."""
    held = [part.source.pieces_of(docs[some] - part.base) for part, some in scene.split(docs)]
    counts = np.concatenate([count for _, count in held] or [np.empty(0, dtype=np.int64)])
    return np.concatenate([some for some, _ in held] or [np.empty(0, dtype=np.uint16)]), counts
