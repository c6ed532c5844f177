"""Segment files: how a segment lies on the disk."""

from pathlib import Path

from unabridged.index.segment import Segment


def write(folder: Path, segment: Segment) -> str:
    """Write a segment, durable when it returns.

    Args:
        folder: Made with mode 0700 where it is missing.
        segment: What to write.

    Returns:
        The name of the new file in the folder; never one that was there before.

    Raises:
        StoreError: It could not be written; no file of that name is there.
    """
    raise NotImplementedError


def load(path: Path) -> Segment:
    """A segment whose arrays are mapped from its file; unmapped when nothing refers to them.

    Raises:
        StoreDamagedError: The file is missing, cut off, or its header is not what was written.
        StoreFormatError: A newer version wrote it.
    """
    raise NotImplementedError


def verify(path: Path) -> None:
    """Read every array and compare its digest.

    Raises:
        StoreDamagedError: Something is not what was written.
        StoreFormatError: A newer version wrote it.
    """
    raise NotImplementedError


def remove(path: Path) -> bool:
    """Remove a file; False where the system does not allow it yet since it is mapped (Windows)."""
    raise NotImplementedError
