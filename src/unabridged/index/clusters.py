"""Centres: points among the vectors of a large space, so that a lookup scans near ones only.

They are trained once from a sample and kept by the store as truth, since what a lookup gives
depends on them. Spherical k-means: I. Dhillon and D. Modha, "Concept decompositions for large
sparse text data using clustering", Machine Learning 42 (2001); lists by centres: H. Jégou et al.,
"Product quantization for nearest neighbor search", IEEE TPAMI 33 (2011), section IV.
"""

from dataclasses import dataclass, field
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from unabridged.index.array_runs import offsets_of
from unabridged.index.indexed_exchange import STEPS, quantise
from unabridged.index.products import product_of_any

SIZES = ((65_536, 1024),)
"""From how many passages a space has how many centres."""
SAMPLE = 40
"""Vectors in a sample for each centre."""
ROUNDS = 5
"""Rounds of training."""
_ROWS = 8192
"""Vectors that are compared at once."""


@dataclass(frozen=True, slots=True, eq=False)
class ClusterCentroids:
    """The centres of a space; each passage is in the list of the nearest.

    Attributes:
        codes: Shape (centres, dimension), int8, as ``entry.quantise`` makes them.
        identity: The digest of the codes: a segment says by which centres it is listed.
    """

    codes: NDArray[np.int8]
    identity: str = field(init=False)
    _columns: NDArray[np.floating] = field(init=False, repr=False)
    _factors: NDArray[np.float32] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        codes = np.ascontiguousarray(self.codes, dtype=np.int8)
        lengths = np.sqrt((codes.astype(np.int64) ** 2).sum(axis=1))
        factors = np.where(lengths > 0, 1.0 / np.maximum(lengths, 1.0), 0.0)
        put = object.__setattr__
        put(self, "codes", codes)
        put(self, "identity", blake2b(codes.tobytes(), digest_size=16).hexdigest())
        put(self, "_columns", np.ascontiguousarray(codes.T.astype(exact_type(codes.shape[1]))))
        put(self, "_factors", factors.astype(np.float32))

    def __len__(self) -> int:
        return len(self.codes)

    def nearest(self, codes: NDArray[np.int8]) -> NDArray[np.uint16]:
        """The centre of each vector, shape (n,); vectors as quantised codes, (n, dimension)."""
        found = np.empty(len(codes), dtype=np.uint16)
        for start in range(0, len(codes), _ROWS):
            found[start : start + _ROWS] = self._near(codes[start : start + _ROWS]).argmax(axis=1)
        return found

    def order(self, codes: NDArray[np.int8]) -> NDArray[np.int64]:
        """All centres for one vector, shape (dimension,), the nearest first."""
        return np.argsort(-self._near(codes[None, :])[0], kind="stable")

    def _near(self, codes: NDArray[np.int8]) -> NDArray[np.floating]:
        near = product_of_any(codes.astype(self._columns.dtype), self._columns)
        return near * self._factors


def exact_type(dimension: int) -> type[np.float32] | type[np.float64]:
    """The type in which products of quantised vectors are exact: their sums stay whole numbers."""
    return np.float32 if dimension * STEPS * STEPS < 1 << 24 else np.float64


def wanted(passages: int) -> int:
    """How many centres a space of that many passages should have; 0 for none."""
    return max((count for least, count in SIZES if passages >= least), default=0)


def train(codes: NDArray[np.int8], count: int) -> ClusterCentroids:
    """Centres of a sample, by k-means on the sphere; the same for the same sample, in its order.

    Args:
        codes: Quantised vectors, shape (sample, dimension); ``SAMPLE`` for each centre are enough.
        count: How many centres; fewer come back where the sample is smaller.
    """
    count = min(count, len(codes))
    centres = ClusterCentroids(codes[np.linspace(0, len(codes) - 1, count).astype(np.int64)])
    for _ in range(ROUNDS):
        centres = _moved(codes, centres)
    return centres


def _moved(codes: NDArray[np.int8], centres: ClusterCentroids) -> ClusterCentroids:
    lists = centres.nearest(codes)
    counts = np.bincount(lists, minlength=len(centres)).astype(np.int64)
    order = np.argsort(lists, kind="stable")
    held = np.flatnonzero(counts)
    starts = offsets_of(counts)[:-1]
    sums = np.zeros((len(centres), codes.shape[1]), dtype=np.int64)
    sums[held] = np.add.reduceat(codes[order], starts[held], axis=0, dtype=np.int64)
    moved, _ = quantise(sums.astype(np.float32))
    empty = np.flatnonzero(counts == 0)
    longest = order[starts[np.argsort(-counts, kind="stable")[: len(empty)]]]
    moved[empty[: len(longest)]] = codes[longest]
    return ClusterCentroids(moved)


def pack_centres(centres: ClusterCentroids) -> bytes:
    """Their bytes, to be kept by the store."""
    return centres.codes.tobytes()


def unpack_centres(data: bytes, dimension: int) -> ClusterCentroids:
    """Centres of their bytes.

    Raises:
        ValueError: The bytes are none of centres of that dimension.
    """
    if dimension <= 0 or len(data) % dimension:
        raise ValueError(f"{len(data)} bytes are no centres of dimension {dimension}")
    return ClusterCentroids(np.frombuffer(data, dtype=np.int8).reshape(-1, dimension))
