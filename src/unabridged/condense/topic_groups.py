"""Group vectors: first runs of neighbours, then similar runs anywhere."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from unabridged.condense.topic_vectors import unit

Vectors = NDArray[np.float32]

JOINS = 0.10
"""The cosine from which an exchange continues the run before it."""
ALIKE = 0.28
"""The mean cosine between the members of two groups from which they are one topic."""
_LEADS = 0.55
"""The cosine from which a run joins a group at once, if there are too many to compare all."""
MOST = 3000
"""Groups that are compared with each other."""
_PASSES = 2
"""How often members move to the nearest group, once the groups are found."""
_AT_ONCE = 512


def runs(
    vectors: Vectors, sessions: Sequence[str], light: Sequence[bool], gaps: Sequence[bool]
) -> list[list[int]]:
    """Divide exchanges into runs of neighbours about the same subject.

    Args:
        vectors: The exchanges' vectors, session by session, in the order in which they were said.
        sessions: The session of each.
        light: Whether an exchange says too little to begin a run: ``ok``, ``thanks`` …
        gaps: Whether much time passed before it.
    """
    found: list[list[int]] = []
    total = np.zeros(vectors.shape[1], np.float32)
    for row, vector in enumerate(vectors):
        begins = not found or sessions[row] != sessions[row - 1]
        if not begins and not (light[row] and not gaps[row]):
            length = float(np.sqrt(total @ total))
            near = float(total @ vector) / length if length else 1.0
            begins = near < JOINS * (2 if gaps[row] else 1)
        if begins:
            found.append([])
            total[:] = 0
        found[-1].append(row)
        if not light[row]:
            total = total * np.float32(0.8) + vector
    return found


def middles(vectors: Vectors, groups: Sequence[Sequence[int]]) -> Vectors:
    """Return the mean direction of each group: length 1, or 0 if its vectors are empty."""
    out = np.zeros((len(groups), vectors.shape[1]), np.float32)
    for place, rows in enumerate(groups):
        out[place] = vectors[list(rows)].sum(axis=0)
    return unit(out)


def alike(vectors: Vectors) -> NDArray[np.int64]:
    """Group similar vectors; their number follows from the data.

    Args:
        vectors: Rows of length 1.

    Returns:
        The group of each, numbered from 0 in the order of their first members.
    """
    if not len(vectors):
        return np.zeros(0, np.int64)
    first = _led(vectors)
    joined = _linked(_sums(vectors, first), np.bincount(first))[first]
    for _ in range(_PASSES):
        joined = _nearest(vectors, joined)
    return _renumbered(joined)


def _sums(vectors: Vectors, groups: NDArray[np.int64]) -> Vectors:
    out = np.zeros((int(groups.max()) + 1, vectors.shape[1]), np.float32)
    np.add.at(out, groups, vectors)
    return out


def _renumbered(groups: NDArray[np.int64]) -> NDArray[np.int64]:
    _, first, inverse = np.unique(groups, return_index=True, return_inverse=True)
    order = np.empty(len(first), np.int64)
    order[np.argsort(first, kind="stable")] = np.arange(len(first))
    numbered: NDArray[np.int64] = order[inverse]
    return numbered


def _led(vectors: Vectors) -> NDArray[np.int64]:
    count = len(vectors)
    if count <= MOST:
        return np.arange(count)
    leaders = np.zeros((MOST, vectors.shape[1]), np.float32)
    out = np.zeros(count, np.int64)
    led = 0
    for start in range(0, count, _AT_ONCE):
        block = vectors[start : start + _AT_ONCE]
        cosines = block @ leaders[:led].T if led else np.zeros((len(block), 1), np.float32)
        best, near = cosines.argmax(axis=1), cosines.max(axis=1)
        fresh = led
        for row, vector in enumerate(block):
            if led > fresh:
                own = leaders[fresh:led] @ vector
                place = int(own.argmax())
                if own[place] > near[row]:
                    best[row], near[row] = fresh + place, own[place]
            if near[row] < _LEADS and led < MOST:
                leaders[led] = vector
                best[row] = led
                led += 1
            out[start + row] = best[row]
    return out


def _linked(sums: Vectors, sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    count = len(sums)
    weight = sizes.astype(np.float64)
    near = (sums @ sums.T).astype(np.float64) / np.outer(weight, weight)
    np.fill_diagonal(near, -np.inf)
    parent = list(range(count))
    alive = np.ones(count, bool)
    chain: list[int] = []
    for _ in range(count - 1):
        if not chain:
            chain = [int(alive.argmax())]
        while True:
            there = int(near[chain[-1]].argmax())
            if len(chain) > 1 and near[chain[-1], there] <= near[chain[-1], chain[-2]]:
                there = chain[-2]
                break
            chain.append(there)
        here = chain.pop()
        chain.pop()
        if near[here, there] >= ALIKE:
            parent[_root(parent, there)] = _root(parent, here)
        both = weight[here] + weight[there]
        row = (weight[here] * near[here] + weight[there] * near[there]) / both
        near[here], near[:, here] = row, row
        near[there] = near[:, there] = -np.inf
        near[here, here] = -np.inf
        weight[here], alive[there] = both, False
    return np.array([_root(parent, group) for group in range(count)])


def _root(parent: list[int], group: int) -> int:
    while parent[group] != group:
        parent[group] = group = parent[parent[group]]
    return group


def _nearest(vectors: Vectors, groups: NDArray[np.int64]) -> NDArray[np.int64]:
    numbered = _renumbered(groups)
    centres = unit(_sums(vectors, numbered))
    out = np.empty_like(numbered)
    for start in range(0, len(vectors), _AT_ONCE):
        block = vectors[start : start + _AT_ONCE]
        out[start : start + len(block)] = (block @ centres.T).argmax(axis=1)
    return out
