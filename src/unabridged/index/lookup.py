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

__all__ = ["View", "look_up"]


def look_up(view: View, probe: Probe) -> Shortlist:
    """What bears on a probe, with the exchanges before and after each on their paths.

    Rows come in the order of their places. The same content gives the same rows, bit for bit,
    however it is divided into segments and tail, in whatever order it came and whatever was
    removed from it.

    Raises:
        ValueError: The probe's vector is of another dimension than the view's.
    """
    scene = view.scene()
    words = ByWords(scene, probe.terms)
    vectors = None if probe.vector is None else ByVectors(scene, probe.vector)
    found = words.candidates(probe.limit)
    if vectors is not None:
        found = distinct(np.concatenate((found, vectors.candidates(probe.limit))))
    docs = distinct(np.concatenate((found, scene.beside(found))))
    columns = scene.columns(tuple(COLUMNS), docs)
    order = np.argsort(columns["places"], kind="stable")
    in_order = bool((order[1:] > order[:-1]).all())

    def put(column: NDArray[Any]) -> NDArray[Any]:
        return column if in_order else column[order]

    places = put(columns["places"])
    user_times, answer_times = words.times(docs)
    nothing = np.zeros(len(docs), dtype=np.float32)
    nearness = (nothing, nothing) if vectors is None else vectors.scores(docs)
    pieces, starts = _pieces(scene, docs, None if in_order else order)
    user_mean, answer_mean = scene.means
    return Shortlist(
        places=places,
        sessions=put(columns["sessions"]),
        at=put(columns["at"]),
        found=put(positions_of(docs, found) >= 0),
        before=positions_of(put(columns["parents"]), places),
        positions=put(columns["positions"]),
        user_times=put(user_times),
        answer_times=put(answer_times),
        user_length=put(columns["user_lengths"]).astype(np.int64),
        answer_length=put(columns["answer_lengths"]).astype(np.int64),
        user_nearness=put(nearness[0]),
        answer_nearness=put(nearness[1]),
        pieces=pieces,
        starts=starts,
        frequencies=words.frequencies,
        exchanges=scene.exchanges,
        user_mean=user_mean,
        answer_mean=answer_mean,
    )


def _pieces(
    scene: Scene, docs: Numbers, order: Numbers | None
) -> tuple[NDArray[np.uint16], Numbers]:
    """The word pieces of ascending docs, or of them in another order, and where each's begin."""
    found = [part.source.pieces_of(docs[some] - part.base) for part, some in scene.split(docs)]
    counts = np.concatenate([count for _, count in found] or [np.empty(0, dtype=np.int64)])
    pieces = np.concatenate([piece for piece, _ in found] or [np.empty(0, dtype=np.uint16)])
    starts = offsets_of(counts)
    if order is None:
        return pieces, starts
    return pieces[spread(starts[:-1][order], counts[order])], offsets_of(counts[order])
