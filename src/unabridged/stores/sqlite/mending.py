"""Mending: proving that the index fits the messages, and making it fit again.

Every method runs inside a transaction.
"""

import numpy as np

from unabridged.errors import StoreError
from unabridged.stores import segments as files
from unabridged.stores.sqlite import tally
from unabridged.stores.sqlite.database import Database
from unabridged.stores.sqlite.entering import Entrance
from unabridged.stores.sqlite.rows import name_of
from unabridged.stores.sqlite.sealing import Sealer
from unabridged.stores.sqlite.view import Sight, listed


class Mender:
    """Checks and mends the index of one file.

    Args:
        db: The file.
        sight: What this process sees of the index.
        sealer: What writes its segments.
        entrance: How exchanges enter it.
    """

    def __init__(self, db: Database, sight: Sight, sealer: Sealer, entrance: Entrance) -> None:
        self._db = db
        self._sight = sight
        self._sealer = sealer
        self._entrance = entrance

    def check(self) -> list[str]:
        """Whatever does not fit the messages, in words."""
        said: list[str] = []
        for _, name in listed(self._db):
            try:
                files.verify(self._sight.folder / name)
            except StoreError as error:
                said.append(str(error))
        if said:
            return said
        self._sight.forget()
        self._sight.refresh()
        missing, stray = self._uncovered()
        count = tally.load(self._db)
        without = count.exchanges - count.entries
        for number, what in (
            (len(missing), "exchanges are missing from the index"),
            (len(stray), "entries of the index are stray"),
            (without, "exchanges have not entered the index yet"),
        ):
            if number:
                said.append(f"{self._db.path}: {number} {what}; rebuild it.")
        return said

    def mend(self) -> None:
        """Make the index fit the messages again, whatever happened to it.

        Segments that are missing or damaged are dropped, strays are removed, and exchanges that are
        then not found enter again.
        """
        self._drop_damaged()
        count = tally.load(self._db)
        for (place,) in self._db.rows("entries without exchange"):
            self._db.run("remove pending", (place,))
            self._db.run("remove vectors of", (place,))
            self._db.run("remove entry", (place,))
        self._db.run("remove stray pending")
        self._db.run("remove stray bare")
        count.bare = (self._db.one("how many bare") or (0,))[0]
        held = self._db.rows("all pending")
        places = [row[0] for row in self._db.rows("all entries")]
        count.entries = len(places)
        count.places = max([count.places, *places[-1:]])
        count.pending = len(held)
        count.pending_passages = sum(size for *_, size in held)
        count.revision = max([count.revision, *(revision for revision, *_ in held)])
        count.epoch += 1
        tally.save(self._db, count)
        self._sealer.cut_out(self._uncovered()[1])
        self._entrance.enter_again(self._uncovered()[0])
        while self._entrance.enter_missing():
            if self._sealer.is_due():
                self._sealer.seal()
        self._sealer.tidy(None)

    def begin_anew(self) -> None:
        """Empty the index; places, kept vectors and centres stay."""
        self._sealer.discard()
        self._db.run("clear pending")
        self._db.run("clear bare")
        count = tally.load(self._db)
        count.pending = count.pending_passages = count.bare = 0
        tally.save(self._db, count)

    def _drop_damaged(self) -> None:
        for number, name in listed(self._db):
            try:
                files.verify(self._sight.folder / name)
            except StoreError:
                self._db.run("remove segment", (number,))
                self._db.run("remove masks", (number,))
        count = tally.load(self._db)
        count.epoch += 1
        tally.save(self._db, count)

    def _uncovered(self) -> tuple[list[str], list[int]]:
        """The exchanges that have a place and are not found, and places that should not be."""
        self._sight.refresh()
        named = {row[0]: name_of(row[1]) for row in self._db.rows("all entries")}
        found = {place for _, place, _ in self._db.rows("all pending")}
        for number, segment in self._sight.segments.items():
            masked = self._sight.masks.get(number)
            places = segment.places if masked is None else np.setdiff1d(segment.places, masked)
            found.update(places.tolist())
        return [named[p] for p in sorted(named.keys() - found)], sorted(found - named.keys())
