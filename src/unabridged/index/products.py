"""Products of tables that stay on the thread that asks for them.

OpenBLAS gives parts of a larger product to threads of its own, which spin while they wait for each
other: where the cores are busy that takes twenty times as long as the product itself, and a server
streams its answers meanwhile.
"""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

_Float = TypeVar("_Float", np.float32, np.float64)

MOST = 1 << 18
"""Multiplications of one call: what OpenBLAS leaves to one thread (version 0.3,
``interface/gemm.c``: 65,536 times ``GEMM_MULTITHREAD_THRESHOLD``, which is 4)."""
MANY = 256
"""Rows from which it is bulk work, which several threads may well share."""


def product(rows: NDArray[_Float], columns: NDArray[_Float]) -> NDArray[_Float]:
    """The product of two tables, made piece by piece.

    Args:
        rows: Shape (n, k).
        columns: Shape (k, m); where ``k * m`` is above ``MOST``, one row is made at a time.
    """
    made = np.empty((len(rows), columns.shape[1]), dtype=rows.dtype)
    size = max(1, MOST // max(columns.size, 1))
    with np.errstate(invalid="ignore"):  # BLAS may raise it unasked: numpy's issue 24067
        for start in range(0, len(rows), size):
            np.dot(rows[start : start + size], columns, out=made[start : start + size])
    return made


def product_of_any(rows: NDArray[_Float], columns: NDArray[_Float]) -> NDArray[_Float]:
    """The same, by as many threads as BLAS likes where there are ``MANY`` rows."""
    return product(rows, columns) if len(rows) < MANY else rows @ columns


def products_of(rows: NDArray[np.float32]) -> NDArray[np.float64]:
    """Each row with each, shape (n, n): whole numbers, whose sums are exact in any order."""
    count, width = rows.shape
    made = np.zeros((count, count))
    size = max(1, MOST // max(count * count, 1))
    with np.errstate(invalid="ignore"):  # as above
        for start in range(0, width, size):
            some = rows[:, start : start + size]
            made += some @ some.T
    return made
