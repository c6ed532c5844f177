"""The readable files that are updated after the writes of a store."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from threading import RLock

from unabridged.domain.forgetting import Scan
from unabridged.errors import StoreError
from unabridged.ports import FilesProjection


class FollowingFiles:
    """Readable files that are updated after each write.

    A failing file never fails a write: the log has it. ``troubles`` keeps the failure, and the next
    write, opening or forgetting tries again. Only forgetting fails with them, because a file would
    keep forgotten text.

    Attributes:
        attached: The files that follow.
        others: Returns files that another layout wrote: only forgetting reaches them.
    """

    def __init__(self) -> None:
        self.attached: tuple[FilesProjection, ...] = ()
        self.others: Callable[[], Sequence[FilesProjection]] = tuple
        self.troubles: list[StoreError] = []
        self._lock = RLock()  # one thread at a time writes files
        self._held = 0

    @property
    def notes(self) -> list[str]:
        """Return the repairs since they were opened, in words."""
        return [note for one in self.attached for note in one.notes]

    @property
    def is_held(self) -> bool:
        """Return whether files are updated later, at the end of a block."""
        return self._held > 0

    def follow(self) -> None:
        """Update every file; while they are held, do nothing."""
        if not self._held:
            self._try(lambda one: one.follow())

    @contextmanager
    def held(self) -> Iterator[None]:
        """Update files once, at the end of the block: writing one costs its length."""
        with self._lock:
            self._held += 1
        try:
            yield
        finally:
            with self._lock:
                self._held -= 1
            self.follow()

    def rebuild(self) -> None:
        """Write every file again from the log."""
        self._try(lambda one: one.rebuild())

    def erase(self, ids: Sequence[str], erase: Callable[[Sequence[str]], int]) -> int:
        """Erase exchanges from the log, and then from every file.

        Raises:
            StoreEditedError: A file was edited by hand; nothing was erased.
            StoreError: A file cannot be written. Erasing again continues.
        """
        with self._lock:
            every = [*self.attached, *self.others()]
            for one in every:
                one.prepare_erasure()
            count = erase(ids)
            for one in every:
                one.erase(ids)
        return count

    def scanned(self, log: Scan, pieces: Sequence[Sequence[bytes]]) -> Scan:
        """Return what a scan of the log and one of every file found."""
        scans = [log, *(one.scan(pieces) for one in (*self.attached, *self.others()))]
        return Scan(
            tuple(file for one in scans for file in one.files),
            sum(one.bytes for one in scans),
            tuple(sorted({number for one in scans for number in one.found})),
        )

    def check(self) -> Iterable[str]:
        """Return every difference from the log, in words."""
        return (said for one in self.attached for said in one.check())

    def close(self) -> None:
        """Close the files."""
        for one in self.attached:
            one.close()

    def _try(self, act: Callable[[FilesProjection], None]) -> None:
        with self._lock:
            errors: list[StoreError] = []
            for one in self.attached:
                try:
                    act(one)
                except StoreError as error:
                    errors.append(error)
            self.troubles = errors
