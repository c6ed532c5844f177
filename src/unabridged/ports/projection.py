"""Protocols of projections: what follows the log of a space, such as index and readable files."""

from collections.abc import Iterable, Sequence
from typing import Protocol, runtime_checkable

from unabridged.domain.changes import Written
from unabridged.domain.exchange import Exchange
from unabridged.domain.forgetting import Scan


class Projection(Protocol):
    """Data derived from one space's log, which can be rebuilt from it."""

    def follow(self, written: Written | None = None) -> None:
        """Apply what changed in the log since the last time; cheap if nothing did.

        Args:
            written: What was written last, so that it need not be read. It counts only if the log
                is still at its revision.
        """
        ...

    def erase(self, ids: Iterable[str]) -> None:
        """Remove what the log has erased from every file, so that no byte of it remains."""
        ...

    def check(self) -> list[str]:
        """Return every difference from the log and every damage, in words."""
        ...

    def rebuild(self) -> None:
        """Rebuild everything from the log alone."""
        ...

    def close(self) -> None:
        """Close its files; a second call does nothing."""
        ...


@runtime_checkable
class SupportsExpecting(Protocol):
    """A projection that can prepare for what an import stores, before it follows the log."""

    def expect(self, exchanges: Sequence[Exchange]) -> None:
        """Prepare for exchanges that were just stored; returns at once."""
        ...

    def expect_no_more(self) -> None:
        """Give up what is only of use while more is imported."""
        ...


class FilesProjection(Projection, Protocol):
    """A projection into files that hold the text of messages."""

    @property
    def notes(self) -> Sequence[str]:
        """What was repaired since it was opened, in words."""
        ...

    def prepare_erasure(self) -> None:
        """Check every file and bring it up to date.

        Raises:
            StoreEditedError: One was edited by hand.
            StoreError: One cannot be written.
        """
        ...

    def scan(self, pieces: Sequence[Sequence[bytes]]) -> Scan:
        """Search every file for texts, each in every encoding that it may have."""
        ...
