"""Reads arrays from files."""

from pathlib import Path
from threading import Lock
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

_READING = Lock()  # numpy parses a file's header with `ast`, which CPython 3.11 may fail in threads


def load_array(path: Path, *, mmap_mode: Literal["r"] | None = None) -> NDArray[Any]:
    """Return the array of a file; threads take turns."""
    with _READING:
        array: NDArray[Any] = np.load(path, mmap_mode=mmap_mode)
    return array
