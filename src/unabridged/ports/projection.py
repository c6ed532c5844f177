"""What follows the log of a space: search index, readable files."""

from collections.abc import Iterable, Sequence
from typing import Protocol

from unabridged.domain.changes import Written
from unabridged.domain.forgetting import Scan


class Projection(Protocol):
    """Something that is derived from one space's log and can be rebuilt from it."""

    def follow(self, written: Written | None = None) -> None:
        """Apply what changed in the log since the last time; cheap where nothing did.

        Args:
            written: What was written last, so that it need not be read. It counts only if the log
                is still at its revision.
        """
        ...

    def erase(self, ids: Iterable[str]) -> None:
        """Remove what the log has erased already from every file, so that no byte of it remains."""
        ...

    def check(self) -> list[str]:
        """Return every difference from the log and every damage, in words."""
        ...

    def rebuild(self) -> None:
        """Make everything again from the log alone."""
        ...

    def close(self) -> None:
        """Let go of files; a second call does nothing."""
        ...


class FilesProjection(Projection, Protocol):
    """A projection into files that hold what was said."""

    @property
    def notes(self) -> Sequence[str]:
        """What was mended since it was opened, in words."""
        ...

    def prepare_erasure(self) -> None:
        """Look at every file, and bring it up to date.

        Raises:
            StoreEditedError: One was edited by hand.
            StoreError: One cannot be written.
        """
        ...

    def scan(self, pieces: Sequence[Sequence[bytes]]) -> Scan:
        """Search every file for pieces of text, each in every form of bytes that it may have."""
        ...
