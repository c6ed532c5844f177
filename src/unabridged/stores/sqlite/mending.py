"""Mending: proving that the index fits the messages, and making it fit again.

Every method runs inside a transaction.
"""

import numpy as np

from unabridged.errors import StoreError
from unabridged.stores import segments as files
from unabridged.stores.sqlite import tally, vectors
from unabridged.stores.sqlite.database import Database
from unabridged.stores.sqlite.entering import Entrance
from unabridged.stores.sqlite.rows import Row, checked, name_of
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
        try:
            for row in self._db.rows("all entries"):
                checked("entry", row, self._db.path)
            for _, name in listed(self._db):
                try:
                    files.verify(self._sight.folder / name, self._db.cipher)
                except StoreError as error:
                    said.append(str(error))
            if said:
                return said
            self._sight.forget()
            missing, stray = self._uncovered()
        except StoreError as error:
            return [str(error)]
        count = tally.load(self._db)
        without = (self._db.one("closed exchanges without entry") or (0,))[0]
        twice = self._sight.refresh().exchanges - count.entries - len(stray) + len(missing)
        for number, what in (
            (len(missing), "exchanges are missing from the index"),
            (len(stray), "entries of the index are stray"),
            (without, "exchanges have not entered the index yet"),
            (twice, "exchanges are in the index twice"),
        ):
            if number:
                said.append(f"{self._db.path}: {number} {what}; rebuild it.")
        return said

    def mend(self) -> None:
        """Make the index fit the messages again, whatever happened to it.

        What is missing or damaged is dropped, strays are removed, and exchanges that are then not
        found enter again.
        """
        self._drop_damaged()
        self._drop_damaged_rows()
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
        count.held = max([count.held, *(revision for revision, *_ in held)])
        count.epoch += 1
        tally.save(self._db, count)
        self._sealer.cut_out(self._uncovered()[1])
        self._entrance.enter_again(self._uncovered()[0])
        if self._sight.refresh().exchanges != tally.load(self._db).entries:  # some are there twice
            self.begin_anew()
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
        """Drop segments that are not what was written."""
        for number, *columns in self._db.rows("segments"):
            try:
                checked("segment", tuple(columns), self._db.path)
                files.verify(self._sight.folder / columns[0], self._db.cipher)
            except StoreError:
                self._db.run("remove segment", (number,))
                self._db.run("remove masks", (number,))
        tally.index_changed(self._db)

    def _drop_damaged_rows(self) -> None:
        """Drop rows of the index that are not what was written; all but centres are made anew."""
        for row in self._db.rows("all entries"):
            if self._is_damaged("entry", row):
                self._db.run("remove pending", (row[0],))
                self._db.run("remove vectors of", (row[0],))
                self._db.run("remove entry", (row[0],))
        for row in self._db.rows("pending since", (-1,)):
            if self._is_damaged("pending", row[:7]):
                self._db.run("remove pending", (row[1],))
        held = self._db.run("all vectors")
        for place in [row[1] for row in held if self._is_damaged("vector", row)]:
            self._db.run("remove vectors of", (place,))
        for kept in vectors.known(self._db):
            for row in self._db.rows("centres", (kept.number,)):
                if self._is_damaged("centres", row):
                    self._db.run("remove centres", (kept.number,))

    def _is_damaged(self, table: str, row: Row) -> bool:
        try:
            checked(table, row, self._db.path)
        except StoreError:
            return True
        return False

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
