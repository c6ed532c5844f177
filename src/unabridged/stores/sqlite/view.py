"""What this process sees of the index: segments mapped from files, and a tail in memory.

It follows the file: before each lookup it takes over what changed since the last one, whoever
changed it. Segments never change, so that a lookup sees one state whatever others write meanwhile.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from unabridged.index.lookup import View
from unabridged.index.segment import Segment
from unabridged.index.tail import Tail
from unabridged.index.upkeep import Size
from unabridged.stores import segments as files
from unabridged.stores.sqlite import entries, tally, vectors
from unabridged.stores.sqlite.database import FOLDER_END, Database
from unabridged.stores.sqlite.rows import checked
from unabridged.stores.sqlite.vectors import Kept

LARGE = 512 * 1024 * 1024
"""Bytes of mapped segments from which on their memory is given back now and then."""
RELEASED_EVERY = 16
"""Lookups between two times of it."""
_NEVER = -1


def folder_of(path: Path) -> Path:
    """The folder of a file's segments."""
    return path.with_name(path.name + FOLDER_END)


class Sight:
    """The index as this process sees it. Every method runs inside a transaction.

    Args:
        db: The file.
    """

    def __init__(self, db: Database) -> None:
        self._db = db
        self.folder = folder_of(db.path)
        self.names: dict[int, str] = {}
        self.segments: dict[int, Segment] = {}
        self.masks: dict[int, NDArray[np.int64]] = {}
        self.kept: Kept | None = None
        self.tail = Tail()
        self.view = View(())
        self._epoch = _NEVER
        self._revision = _NEVER
        self._lookups = 0

    def refresh(self) -> View:
        """Take over what changed.

        Raises:
            StoreDamagedError: A segment's file is missing or damaged.
        """
        count = tally.load(self._db)
        if count.epoch != self._epoch:
            self._reopen()
            self._epoch, self._revision = count.epoch, _NEVER
        if count.held != self._revision:
            dimension = self.kept.dimension if self.kept else 0
            for _, entry in entries.held_since(self._db, self._revision, dimension):
                self.tail.put(entry)
            self._revision = count.held
        return self.view

    def _reopen(self) -> None:
        """Open what is new, and begin the tail anew."""
        self._epoch = _NEVER
        self.names = dict(listed(self._db))
        self.segments = {
            number: self.segments.get(number) or files.load(self.folder / name, self._db.cipher)
            for number, name in self.names.items()
        }
        self.masks = entries.masks(self._db)
        self.kept = vectors.in_use(self._db)
        centres = vectors.centres(self._db, self.kept)
        identity = self.kept.identity if self.kept else ""
        self.tail = Tail(identity, self.kept.dimension if self.kept else 0, centres)
        removed = [self.masks.get(number) for number in self.segments]
        self.view = View(list(self.segments.values()), removed, self.tail, centres)

    def forget(self) -> None:
        """See everything anew at the next refresh; nothing seen is trusted any more."""
        self._epoch = _NEVER
        self.segments = {}
        self.view = View(())

    def holding(self, place: int) -> list[int]:
        """The segments in which a place counts."""
        return [
            number
            for number, segment in self.segments.items()
            if _holds(segment.places, place) and not _holds(self.masks.get(number), place)
        ]

    def release(self) -> None:
        """Give back, now and then, the memory that reading large mapped segments took."""
        self._lookups += 1
        if self._lookups % RELEASED_EVERY == 0:
            some = self.segments.values()
            if sum(a.nbytes for segment in some for a in segment.arrays.values()) > LARGE:
                for segment in some:
                    files.release(segment)

    def sizes(self) -> dict[int, Size]:
        """How much each segment holds."""
        return {
            number: Size(segment.exchanges, segment.passages, len(self.masks.get(number, ())))
            for number, segment in self.segments.items()
        }


def listed(db: Database) -> list[tuple[int, str]]:
    """The numbers and names of the segments."""
    return [(row[0], str(checked("segment", row[1:], db.path)[0])) for row in db.rows("segments")]


def _holds(places: NDArray[np.int64] | None, place: int) -> bool:
    """Whether a place is among ascending ones."""
    if places is None or not len(places):
        return False
    at = int(np.searchsorted(places, place))
    return at < len(places) and int(places[at]) == place
