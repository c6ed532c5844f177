"""Segments of a file: sealing what is pending, merging, cutting out what was forgotten.

Each function runs inside a write transaction. A new file is complete on the disk before a row lists
it; an old one is removed only when the transaction that took its row away has ended.
"""

from collections.abc import Collection, Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from unabridged.index import centres as centring
from unabridged.index.centres import Centres
from unabridged.index.merging import merge
from unabridged.index.segment import Segment, build
from unabridged.index.upkeep import Size, full, next_merge
from unabridged.stores import segments as files
from unabridged.stores.sqlite import entries, tally, vectors
from unabridged.stores.sqlite.database import Database
from unabridged.stores.sqlite.rows import sealed
from unabridged.stores.sqlite.view import Sight

EVER = -1
"""A revision before the first."""
GROWTH = 4
"""How many times as many centres a space must want as it has, before they are trained anew."""
PATIENCE = 8
"""How many times its usual size the tail may have while its vectors are awaited."""


class Sealer:
    """Writes the segments of one file.

    Args:
        db: The file.
        sight: What this process sees of the index.
    """

    def __init__(self, db: Database, sight: Sight) -> None:
        self._db = db
        self._sight = sight
        self._retired: list[Path] = []
        self._made: list[Path] = []

    def is_due(self) -> bool:
        """Whether there is so much pending that it should be sealed."""
        count = tally.load(self._db)
        if not count.pending_passages and vectors.in_use(self._db) is not None:  # they are awaited
            return full(Size(count.pending // PATIENCE, 0))
        return full(Size(count.pending, count.pending_passages))

    def seal(self) -> None:
        """Make a segment of everything that is pending."""
        kept = vectors.in_use(self._db)
        identity, dimension = (kept.identity, kept.dimension) if kept else ("", 0)
        held = [entry for _, entry in entries.held_since(self._db, EVER, dimension)]
        if not held:
            return
        self._list(build(held, identity, dimension, vectors.centres(self._db, kept)))
        self._db.run("clear pending")
        count = tally.load(self._db)
        count.pending = count.pending_passages = 0
        count.epoch += 1
        tally.save(self._db, count)

    def tidy(self, most: int | None) -> None:
        """Merge segments where there are too many, and put them in lists where they are many.

        Args:
            most: Vectors up to which it is done now; None for however many.
        """
        self._sight.refresh()
        while True:
            sizes = self._sight.sizes()
            numbers = list(sizes)
            chosen = [numbers[position] for position in next_merge(list(sizes.values()))]
            total = sum(sizes[number].passages for number in chosen)
            if not chosen or (most is not None and total > most):
                break
            self._join(chosen)
        if most is None:  # training takes seconds: not while somebody waits
            self._centre()

    def cut_out(self, places: Collection[int]) -> None:
        """Write anew every segment that holds one of these places, without them."""
        self._sight.refresh()
        gone = np.array(sorted(places), dtype=np.int64)
        for number, segment in list(self._sight.segments.items()):
            if np.isin(segment.places, gone).any():
                self._replace([number], without=gone)
        tally.index_changed(self._db)

    def discard(self) -> None:
        """Forget every segment: they are to be made anew."""
        for _, name, *_ in self._db.rows("segments"):
            self._retired.append(self._sight.folder / str(name))
        self._db.run("clear segments")
        self._db.run("clear masks")
        tally.index_changed(self._db)

    def retire(self) -> None:
        """Remove the files that were replaced; after the transaction."""
        self._made.clear()
        while self._retired:
            files.remove(self._retired.pop())

    def undo(self) -> None:
        """Keep the old files after all, and remove the new ones: the transaction failed."""
        self._retired.clear()
        while self._made:
            files.remove(self._made.pop())

    def sweep(self) -> None:
        """Remove files that no row lists. Nobody else can be writing one: this one writes."""
        folder = self._sight.folder
        names = {name for _, name, *_ in self._db.rows("segments")}  # a damaged row stops no writer
        if folder.is_dir():
            for path in folder.iterdir():
                if path.name not in names and path not in self._retired:
                    files.remove(path)

    def _join(self, numbers: Iterable[int]) -> None:
        self._replace(list(numbers))
        tally.index_changed(self._db)
        self._sight.refresh()

    def _replace(
        self,
        numbers: list[int],
        without: NDArray[np.int64] | None = None,
        centres: Centres | None = None,
    ) -> None:
        """Write one segment in place of several, without what is masked or to be left out."""
        some = [self._sight.segments[number] for number in numbers]
        masked = [self._sight.masks.get(number) for number in numbers]
        if without is not None:
            masked = [without if m is None else np.union1d(m, without) for m in masked]
        listed_by = centres or vectors.centres(self._db, self._sight.kept)
        joined = merge(some, masked, listed_by)
        for number in numbers:
            self._retired.append(self._sight.folder / self._sight.names[number])
            self._db.run("remove segment", (number,))
            self._db.run("remove masks", (number,))
        if joined.exchanges:
            self._list(joined)

    def _list(self, segment: Segment) -> None:
        name = files.write(self._sight.folder, segment, self._db.cipher)
        self._made.append(self._sight.folder / name)
        self._db.run("add segment", sealed("segment", (name, segment.exchanges, segment.passages)))

    def _centre(self) -> None:
        """Train centres where the space has outgrown what it has, and list all segments by them."""
        kept = self._sight.kept
        if kept is None:
            return
        some = self._sight.segments
        wanted = centring.wanted(sum(segment.passages for segment in some.values()))
        have = vectors.centres(self._db, kept)
        if wanted < GROWTH * (1 if have is None else len(have.codes)):
            return
        made = centring.train(_sample(some.values(), wanted * centring.SAMPLE), wanted)
        vectors.set_centres(self._db, kept, made)
        for number in list(some):
            self._replace([number], centres=made)
        tally.index_changed(self._db)
        self._sight.refresh()


def _sample(segments: Iterable[Segment], most: int) -> NDArray[np.int8]:
    """Codes of vectors spread evenly over segments, in the order of their places."""
    some = [segment for segment in segments if segment.passages]
    total = sum(segment.passages for segment in some)
    step = max(1, total // most)
    return np.concatenate([segment.arrays["passage_codes"][::step] for segment in some])[:most]
