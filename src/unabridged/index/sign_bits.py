"""The signs of turned vectors as bits: a first comparison that reads an eighth of the bytes.

Vectors are turned before their signs are taken, so that no direction counts more than another
(random hyperplanes: M. Charikar, "Similarity estimation techniques from rounding algorithms", STOC
2002; turned by a Hadamard matrix with random signs: N. Ailon and B. Chazelle, STOC 2006). Its
numbers are 1 and -1, so that turning whole numbers is exact whatever is turned beside them.
"""

from functools import lru_cache
from hashlib import shake_128

import numpy as np
from numpy.typing import NDArray

from unabridged.index.products import product_of_any

_BLOCK = 512
"""Rows that one call compares: long enough for a call to cost little."""
_ROWS = 4096
"""Vectors that are turned at once."""
_PALEY = 11
"""The prime of the Hadamard matrix of order 12 (R. Paley, 1933)."""


@lru_cache(maxsize=8)
def words_for(dimension: int) -> int:
    """64-bit words that the signs of one vector take: 64 or 192 bits, doubled as often as needed."""
    if not dimension:
        return 0
    sizes = (first << i for i in range(32) for first in (1, 3))
    return min(size for size in sizes if 64 * size >= dimension)


def signs_of(codes: NDArray[np.int8]) -> NDArray[np.uint64]:
    """One bit for each turned number, set where it is above zero; shape (n, words)."""
    count, dimension = codes.shape
    signs = np.empty((count, words_for(dimension)), dtype=np.uint64)
    for start in range(0, count if dimension else 0, _ROWS):
        turned = product_of_any(
            codes[start : start + _ROWS].astype(np.float32), _turning(dimension)
        )
        bits = np.packbits(turned > 0, axis=1, bitorder="little")
        signs[start : start + _ROWS] = bits.view("<u8")
    return signs


def differences(signs: NDArray[np.uint64], asked: NDArray[np.uint64]) -> NDArray[np.uint16]:
    """In how many signs each row differs from those asked for; shape (n,)."""
    count, words = signs.shape
    counts = np.empty(count * words, dtype=np.uint8)
    whole = count - count % _BLOCK
    flat = signs.reshape(-1)
    tiled = asked[None, :].repeat(_BLOCK, axis=0).reshape(-1)
    for start, stop, rows in ((0, whole, _BLOCK), (whole, count, count - whole)):
        if stop > start:
            part = flat[start * words : stop * words].reshape(-1, rows * words)
            parted = np.bitwise_xor(part, tiled[: rows * words])
            np.bitwise_count(parted, out=counts[start * words : stop * words].reshape(part.shape))
    return _add_up(counts.reshape(count, words))


def _add_up(counts: NDArray[np.uint8]) -> NDArray[np.uint16]:
    # The sum of each row; columns are added, since rows are too short to be summed one by one.
    if counts.shape[1] % 2:
        total = counts[:, 0].astype(np.uint16)
        for i in range(1, counts.shape[1]):
            total += counts[:, i]
        return total
    pairs = counts.view(np.uint16)
    sums = (pairs & np.uint16(0xFF)) + (pairs >> np.uint16(8))
    total = sums[:, 0].copy()
    for i in range(1, sums.shape[1]):
        total += sums[:, i]
    return total


@lru_cache(maxsize=4)
def _turning(dimension: int) -> NDArray[np.float32]:
    size = 64 * words_for(dimension)
    matrix = np.ones((1, 1)) if size & (size - 1) == 0 else _hadamard_of_12()
    while len(matrix) < size:
        matrix = np.block([[matrix, matrix], [matrix, -matrix]])
    drawn = np.frombuffer(shake_128(b"unabridged signs").digest(-(-dimension // 8)), np.uint8)
    flips = 1.0 - 2.0 * np.unpackbits(drawn)[:dimension]
    return np.ascontiguousarray(matrix[:dimension] * flips[:, None], dtype=np.float32)


def _hadamard_of_12() -> NDArray[np.float64]:
    squares = {i * i % _PALEY for i in range(1, _PALEY)}
    matrix = np.ones((_PALEY + 1, _PALEY + 1))
    matrix[1:, 0] = -1.0
    for i in range(_PALEY):
        for j in range(_PALEY):
            square = (i - j) % _PALEY in squares
            matrix[i + 1, j + 1] = 1.0 if square or i == j else -1.0
    return matrix
