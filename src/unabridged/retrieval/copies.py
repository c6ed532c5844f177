"""Copies: of things said twice in the same words, one is enough among the first."""

import numpy as np
from numpy.typing import NDArray

from unabridged.domain.lookup import Shortlist
from unabridged.index.entry import ANSWER_SENTENCE

LOOKED_AT = 20
"""The best rows, among which copies go behind the others."""
SAME = 0.9
"""Word pieces that two rows have in common, of those that either has, beyond which they are one."""
APART = 0.05
"""How far the likeness to the question of two such rows may differ."""
FEWEST = 8
"""Pieces under which a row is nobody's copy: "Thanks!" says little, but says it anew."""


def without_copies(
    rows: Shortlist, alike: NDArray[np.float32], best_first: NDArray[np.int64]
) -> NDArray[np.int64]:
    """An order in which copies among the best stand behind the rest of the best.

    Args:
        rows: The shortlist.
        alike: How near the words of each row come to the question's; those of copies hardly differ.
        best_first: The rows that are ranked.
    """
    best = best_first[:LOOKED_AT]
    lengths = rows.starts[best + 1] - rows.starts[best]
    near = alike[best]
    pairs = (lengths[:, None] >= SAME * SAME * lengths) & (
        lengths[:, None] * SAME * SAME <= lengths
    )
    pairs &= (np.abs(near[:, None] - near) <= APART) & (lengths > FEWEST)
    firsts, seconds = np.nonzero(np.triu(pairs, 1))
    if not len(firsts):
        return best_first
    held = {n: _pieces(rows, int(best[n])) for n in {*firsts.tolist(), *seconds.tolist()}}
    copies = np.zeros(len(best), dtype=np.bool_)
    for first, second in zip(firsts.tolist(), seconds.tolist(), strict=True):
        copies[second] |= _same(held[first], held[second])
    return np.concatenate((best[~copies], best[copies], best_first[LOOKED_AT:]))


def _pieces(rows: Shortlist, row: int) -> set[int]:
    held = rows.pieces[rows.starts[row] : rows.starts[row + 1]]
    return set(held[held < ANSWER_SENTENCE].tolist())


def _same(pieces: set[int], other: set[int]) -> bool:
    """Whether two rows hold nearly the same pieces."""
    least, most = sorted((len(pieces), len(other)))
    common = len(pieces & other)
    return least >= FEWEST and common >= SAME * (least + most - common)
