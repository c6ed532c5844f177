"""What is done if reading the arrays of an index fails: damaged files are built again.

Loading a file compares the digest of its header only: those of its arrays would read all of it.
"""

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
ERRORS = (ValueError, IndexError, OverflowError, MemoryError)
"""What reading a damaged array raises: its numbers are offsets and counts into others."""


def with_sound_files(
    work: Callable[[], T], damage: Callable[[], list[str]], rebuild: Callable[[], None]
) -> T:
    """Return what work returns; if files are damaged, build them again and repeat it.

    Args:
        work: Reads the arrays.
        damage: Reads every file and returns its damage, as text.
        rebuild: Builds all files from the log.
    """
    try:
        return work()
    except ERRORS:
        if not damage():
            raise
    rebuild()
    return work()
