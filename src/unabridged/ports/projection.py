"""What follows the log of a space: search index, readable files."""

from collections.abc import Iterable
from typing import Protocol

from unabridged.domain.changes import Written


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
        """Remove erased exchanges from every file, so that no byte of them remains.

        Args:
            ids: Exchanges that the log has erased already.
        """
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
