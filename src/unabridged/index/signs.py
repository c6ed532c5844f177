"""The signs of vectors as bits: a first, coarse comparison that reads a thirtieth of the bytes."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

_BLOCK = 512
"""Rows that one call compares: long enough for a call to cost little."""


def words_for(dimension: int) -> int:
    """64-bit words that the signs of one vector take."""
    return -(-dimension // 64)


def signs_of(codes: NDArray[np.int8]) -> NDArray[np.uint64]:
    """One bit for each number, set where it is above zero; shape (n, words)."""
    count, dimension = codes.shape
    words = words_for(dimension)
    held = np.zeros((count, words * 8), dtype=np.uint8)
    held[:, : -(-dimension // 8)] = np.packbits(codes > 0, axis=1, bitorder="little")
    return held.view("<u8").astype(np.uint64, copy=False)


def differences(signs: NDArray[np.uint64], asked: NDArray[np.uint64]) -> NDArray[np.uint16]:
    """In how many signs each row differs from those asked for; shape (n,)."""
    count, words = signs.shape
    counts = np.empty(count * words, dtype=np.uint8)
    whole = count - count % _BLOCK
    flat = signs.reshape(-1)
    for start, stop, rows in ((0, whole, _BLOCK), (whole, count, count - whole)):
        if stop > start:
            part = flat[start * words : stop * words].reshape(-1, rows * words)
            parted = np.bitwise_xor(part, np.tile(asked, rows))
            np.bitwise_count(parted, out=counts[start * words : stop * words].reshape(part.shape))
    return _add_up(counts.reshape(count, words))


def _add_up(counts: NDArray[np.uint8]) -> NDArray[np.uint16]:
    """The sum of each row; columns are added, since rows are too short to be summed one by one."""
    columns: list[NDArray[Any]]
    if counts.shape[1] % 2:
        columns = [counts[:, i] for i in range(counts.shape[1])]
    else:
        pairs = counts.view("<u2")
        pairs = (pairs & np.uint16(0xFF)) + (pairs >> np.uint16(8))
        columns = [pairs[:, i] for i in range(pairs.shape[1])]
    total = columns[0].astype(np.uint16)
    for column in columns[1:]:
        total += column
    return total
