"""The index of one file: what is recorded enters it at once, and is sealed into segments later.

Rows are the truth. A crash leaves at worst a file that no row lists, which is swept away, or a
row whose file is missing, which is mended from the messages.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from unabridged.domain.exchange import Exchange
from unabridged.domain.lookup import Probe, Shortlist
from unabridged.errors import StoreDamagedError, StoreError
from unabridged.index.lookup import View, look_up
from unabridged.retrieval.entries import Reader
from unabridged.stores.sqlite import change_feed, entries, reading, tally, vectors
from unabridged.stores.sqlite.database import Database
from unabridged.stores.sqlite.entering import Entrance
from unabridged.stores.sqlite.mending import Mender
from unabridged.stores.sqlite.rows import name_of
from unabridged.stores.sqlite.sealing import Sealer
from unabridged.stores.sqlite.view import Sight

ATTEMPTS = 3
"""How often a lookup begins anew because others replaced what it was opening."""


class SpaceIndex:
    """The index of one file.

    Args:
        db: The file.
        reader: What reads exchanges for it.
    """

    def __init__(self, db: Database, reader: Reader) -> None:
        self._db = db
        self._reader = reader
        self._sight = Sight(db)
        self._sealer = Sealer(db, self._sight)
        self._entrance = Entrance(db, reader, self._sight, self._sealer)
        self._mender = Mender(db, self._sight, self._sealer, self._entrance)
        self._swept = False

    @contextmanager
    def writing(self) -> Iterator[None]:
        """One write transaction; files that it replaced go when it has ended."""
        try:
            with self._db.write():
                if not self._swept:
                    self._sealer.sweep()
                    self._swept = True
                yield
        except BaseException:
            self._sealer.undo()
            self._sight.forget()
            raise
        self._sealer.retire()

    def enter(self, ids: Iterable[str]) -> None:
        """Let exchanges be found as they are now; inside ``writing``."""
        self._entrance.enter(ids)

    def enter_answered(self, exchange_id: str) -> None:
        """The same for one, and before it for all others that wait: places grow with age."""
        count = tally.load(self._db)
        if count.exchanges - count.entries > 1:
            self._entrance.enter_missing()
        self._entrance.enter([exchange_id])

    def enter_whole(self, exchanges: Sequence[Exchange]) -> None:
        """The same for exchanges that are at hand, as they are stored."""
        self._entrance.enter_whole(exchanges)

    def enter_again(self, ids: Iterable[str]) -> None:
        """The same for exchanges that say what they said before, but follow another one now."""
        self._entrance.enter_again(ids)

    def leave(self, ids: Iterable[str]) -> None:
        """Let exchanges be found no more, and leave no trace of them; inside ``writing``."""
        self._sealer.sweep()  # what others left behind when they were killed while forgetting
        self._entrance.leave(ids)

    # Each a transaction of its own.

    def lookup(self, probe: Probe) -> Shortlist:
        """What bears on a probe; see ``ports.SupportsLookup``."""
        self.catch_up()
        with self._db.lock:
            view = self._seen()
            if not self._comparable(probe):
                probe = replace(probe, vector=None)
            found = look_up(view, probe)
            self._sight.release()
            return found

    def is_whole(self) -> bool:
        """Whether every exchange is found as things are: nobody mends a file that is read only."""
        for _ in range(ATTEMPTS):
            try:
                with self._db.read():
                    found = self._sight.refresh().exchanges
                    return found == tally.load(self._db).exchanges
            except StoreDamagedError:
                self._sight.forget()
        return False

    def at(self, places: Sequence[int]) -> dict[int, Exchange]:
        """Whole exchanges by their places."""
        try:
            with self._db.read():
                names = entries.named(self._db, places)
        except StoreDamagedError:
            if not self._db.writable:
                raise
            self.mend()
            with self._db.read():
                names = entries.named(self._db, places)
        with self._db.read():
            found = reading.get(self._db, names.values())
        return {place: found[name] for place, name in names.items() if name in found}

    def upkeep(self, most: int | None) -> None:
        """Seal and merge what is due, as far as it can be done now.

        Args:
            most: Vectors up to which segments are merged; None for however many there are.
        """
        # What cannot be sealed (a full disk, a long writer) is pending, and found all the same; the
        # write that came before is done, and must not be reported as failed.
        with suppress(StoreError):
            with self._db.lock, self._db.translated():
                due = self._sealer.is_due()
            if due:
                with self.writing():
                    self._sealer.seal()
                    self._sealer.tidy(most)

    def catch_up(self) -> None:
        """Let every exchange enter that has not, or not wholly, page by page.

        Those are exchanges of an older format, and what a program without the embedder wrote.
        """
        while self._db.writable:
            with self._db.lock, self._db.translated():
                count = tally.load(self._db)
                missing = count.entries < count.exchanges
                if not missing and not (count.bare and self._entrance.able()):
                    return
            with self.writing():
                moved = self._entrance.enter_missing() if missing else self._entrance.enter_bare()
                if not moved:  # the counters are wrong
                    self._mender.mend()
                    return
            self.upkeep(None)

    def mend(self) -> None:
        """Make the index fit the messages again, whatever happened to it."""
        with self.writing():
            self._sight.forget()
            self._mender.mend()

    def rebuild(self) -> None:
        """Make the whole index anew from the messages; places and centres stay."""
        with self.writing():
            self._sight.forget()
            self._mender.begin_anew()
            self._mender.mend()

    def check(self) -> list[str]:
        """Whatever does not fit the messages, in words."""
        with self._db.read():
            said = self._mender.check()
        if said and self._db.writable:
            # Others may have replaced a file in between; nobody does under the write lock.
            with self._db.write():
                said = self._mender.check()
        return said

    # Vectors of other embedders.

    def embedded_by(self) -> str:
        """The identity of the embedder in use; empty for none."""
        kept = self._in_use()
        if kept is None and self._reader.embedder is not None:
            # The first exchange may wait to enter: whose vectors it gets shows then. Without an
            # embedder it would enter by its words, and the space would take no embedder any more.
            self.catch_up()
            kept = self._in_use()
        return kept.identity if kept else ""

    def _in_use(self) -> vectors.Kept | None:
        with self._db.lock, self._db.translated():
            return vectors.in_use(self._db)

    def lacking(self, identity: str, limit: int, after: str | None) -> list[Exchange]:
        """Exchanges without vectors; see ``ports.SupportsVectors``."""
        self.catch_up()
        with self._db.read():
            kept = vectors.in_use(self._db)
            if (
                kept
                and kept.identity == identity
                and self._reader.instant
                and self._entrance.reads(kept)
            ):
                return []
            names = vectors.lacking(self._db, identity, limit, after)
            return list(reading.get(self._db, names).values())

    def put_vectors(self, identity: str, made: Mapping[str, Sequence[NDArray[np.float32]]]) -> None:
        """Keep vectors; see ``ports.SupportsVectors``."""
        with self.writing():
            before = vectors.in_use(self._db)
            count = tally.begin(self._db)
            change_feed.embedded(self._db, made, count)
            tally.save(self._db, count)
            taken = vectors.put(self._db, identity, made)
            kept = vectors.in_use(self._db)
            if kept != before:
                tally.index_changed(self._db)
            if kept is not None and kept.identity == identity:
                self._entrance.enter_again(taken)
        self.upkeep(None)

    def vectors(
        self, identity: str, ids: Iterable[str]
    ) -> dict[str, Sequence[NDArray[np.float32]]]:
        """Vectors that are kept; see ``ports.SupportsVectors``."""
        with self._db.read():
            return vectors.given(self._db, identity, ids)

    def switch_vectors(self, identity: str) -> None:
        """Search with other vectors; see ``ports.SupportsVectors``."""
        with self.writing():
            count = tally.begin(self._db)
            tally.save(self._db, count)
            if not count.exchanges:
                self._mender.begin_anew()
                for kept in vectors.known(self._db):
                    vectors.drop(self._db, kept)
                return
            chosen = vectors.of(self._db, identity)
            lacks = vectors.lacking(self._db, identity, 1, None)
            if lacks:
                raise StoreError(
                    f"Exchange {lacks[0]!r} has not been embedded by {identity!r} yet.",
                    hint="Embed the rest first: unabridged reembed goes on where it stopped.",
                )
            if chosen is None:
                raise StoreError(f"There is nothing embedded by {identity!r}.", hint="Embed first.")
            for kept in vectors.known(self._db):
                if kept.number != chosen.number:
                    vectors.drop(self._db, kept)
            vectors.keep(self._db, replace(chosen, in_use=True))
            self._mender.begin_anew()
            self._entrance.enter_again(name_of(row[1]) for row in self._db.rows("all entries"))
            if self._reader.instant and self._entrance.reads(chosen):
                self._db.run("clear vectors", (chosen.number,))
            self._sealer.tidy(None)
        self.upkeep(None)

    # The parts.

    def _comparable(self, probe: Probe) -> bool:
        """Whether a probe's vector is one of the embedder in use, as far as can be told.

        Others may have changed over to another since it was made.
        """
        kept, embedder = self._sight.kept, self._reader.embedder
        if probe.vector is None or kept is None or len(probe.vector) != kept.dimension:
            return False
        return embedder is None or not embedder.instant or embedder.identity == kept.identity

    def _seen(self) -> View:
        """The view of now; mended where a file is gone or damaged, or exchanges are missing."""
        for _ in range(ATTEMPTS):
            try:
                with self._db.read():
                    view = self._sight.refresh()
                    if view.exchanges == tally.load(self._db).entries or not self._db.writable:
                        return view
            except StoreDamagedError:
                # Others may have replaced the file in between: the next attempt sees theirs.
                self._sight.forget()
                continue
            break
        self.mend()
        with self._db.read():
            return self._sight.refresh()
