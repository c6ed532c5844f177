"""Centres: points among the vectors of a large space, so that a lookup scans near ones only.

They are trained once from a sample and kept by the store as truth, since what a lookup gives
depends on them.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Centres:
    """The centres of a space; each passage is in the list of the nearest.

    Attributes:
        codes: Shape (centres, dimension), int8, as ``entry.quantise`` makes them.
        identity: The digest of the codes: a segment says by which centres it is listed.
    """

    codes: NDArray[np.int8]
    identity: str

    def nearest(self, codes: NDArray[np.int8]) -> NDArray[np.uint16]:
        """The centre of each vector, shape (n,); vectors as quantised codes, (n, dimension)."""
        raise NotImplementedError


def wanted(passages: int) -> int:
    """How many centres a space of that many passages should have; 0 for none."""
    raise NotImplementedError


def train(codes: NDArray[np.int8], count: int) -> Centres:
    """Centres of a sample, by k-means on the sphere; the same for the same sample, in its order.

    Args:
        codes: Quantised vectors, shape (sample, dimension); about 64 for each centre are enough.
        count: How many centres.
    """
    raise NotImplementedError


def pack_centres(centres: Centres) -> bytes:
    """Their bytes, to be kept by the store."""
    raise NotImplementedError


def unpack_centres(data: bytes, dimension: int) -> Centres:
    """Centres of their bytes.

    Raises:
        ValueError: The bytes are none of centres of that dimension.
    """
    raise NotImplementedError
