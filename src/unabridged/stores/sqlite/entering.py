"""Entering and leaving: how exchanges come to be found, and come to be found no more.

Every method runs inside a write transaction.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from unabridged.domain.exchange import Exchange
from unabridged.index.entry import Vectors
from unabridged.retrieval.entries import Reader, Reading
from unabridged.stores.sqlite import entries, reading, tally, vectors
from unabridged.stores.sqlite.database import Database
from unabridged.stores.sqlite.rows import column, name_of
from unabridged.stores.sqlite.sealing import Sealer
from unabridged.stores.sqlite.tally import Tally
from unabridged.stores.sqlite.vectors import Kept
from unabridged.stores.sqlite.view import Sight

PAGE = 256
"""Exchanges that are read at once where many enter."""


class Entrance:
    """Lets exchanges enter the index of one file, and leave it.

    Args:
        db: The file.
        reader: What reads exchanges for it.
        sight: What this process sees of the index.
        sealer: What writes its segments.
    """

    def __init__(self, db: Database, reader: Reader, sight: Sight, sealer: Sealer) -> None:
        self._db = db
        self._reader = reader
        self._sight = sight
        self._sealer = sealer

    def enter(self, ids: Iterable[str]) -> None:
        """Let exchanges be found as they are now."""
        wanted = list(ids)
        for start in range(0, len(wanted), PAGE):
            self.enter_whole(list(reading.get(self._db, wanted[start : start + PAGE]).values()))

    def enter_whole(self, exchanges: Sequence[Exchange], *, again: bool = False) -> None:
        """The same for exchanges that are at hand, as they are stored.

        Args:
            exchanges: Those that another follows before it.
            again: They say what they said before, so that vectors that are kept of them stay.
        """
        count = tally.load(self._db)
        kept = self._adopted(count)
        able = kept is None or self.reads(kept)
        embed = self._reader.instant and kept is not None and able
        for start in range(0, len(exchanges), PAGE):
            some = exchanges[start : start + PAGE]
            stored = self._stored(kept, some) if again else {}
            fresh = [exchange for exchange in some if exchange.id not in stored]
            old = [exchange for exchange in some if exchange.id in stored]
            reads = [*self._reader.read(fresh, embed=embed), *self._reader.read(old, embed=False)]
            read_of = dict(zip([x.id for x in (*fresh, *old)], reads, strict=True))
            for exchange in some:
                read, name = read_of[exchange.id], exchange.id
                if name in stored:
                    read = replace(read, vectors=stored[name])
                bare = not able and name not in stored
                self._take(exchange, read, count, bare=bare, keep_vectors=again)
        tally.save(self._db, count)

    def leave(self, ids: Iterable[str]) -> None:
        """Let exchanges be found no more, and leave no trace of them in any file."""
        count = tally.load(self._db)
        places = [p for name in ids if (p := entries.place_of(self._db, name)) is not None]
        for place in places:
            entries.let_go(self._db, place, count)
            entries.mark_bare(self._db, place, count, bare=False)
            self._db.run("remove vectors of", (place,))
            self._db.run("remove entry", (place,))
            count.entries -= 1
        count.epoch += bool(places)
        tally.save(self._db, count)
        self._sealer.cut_out(places)

    def _adopted(self, count: Tally) -> Kept | None:
        """The embedder in use; the reader's own where a space has none yet and it is instant."""
        kept = vectors.in_use(self._db)
        made = self._reader.embedder
        if kept is None and made is not None and made.instant and not count.entries:
            kept = vectors.admit(self._db, made.identity, made.dimension, use=True)
            count.epoch += 1
        return kept

    def able(self) -> bool:
        """Whether the reader makes what the embedder in use gives."""
        kept = vectors.in_use(self._db)
        return kept is None or self.reads(kept)

    def reads(self, kept: Kept) -> bool:
        """Whether the reader makes the vectors that are in use.

        One that is not instant is not asked: recording must not wait for a server, nor fail with it.
        """
        embedder = self._reader.embedder
        return embedder is not None and (not embedder.instant or embedder.identity == kept.identity)

    def _take(
        self,
        exchange: Exchange,
        read: Reading,
        count: Tally,
        *,
        bare: bool = False,
        keep_vectors: bool = False,
    ) -> None:
        """Hold what was read of an exchange; what was held or sealed of it counts no more."""
        place, new = entries.settle(self._db, exchange, count)
        if not new:
            if not keep_vectors:
                self._db.run("remove vectors of", (place,))
            if not entries.let_go(self._db, place, count):
                self._cover(place, count)
        if bare or not new:
            entries.mark_bare(self._db, place, count, bare=bare)
        entries.hold(self._db, place, read, count)

    def _cover(self, place: int, count: Tally) -> None:
        """Let what is sealed of a place count no more."""
        # The counters are saved at the end: what is seen is then not opened anew for each exchange,
        # and which segments there are does not change in between.
        self._sight.refresh()
        for number in self._sight.holding(place):
            entries.mask(self._db, number, [place])
            count.epoch += 1

    def enter_missing(self) -> bool:
        """Let a page of exchanges enter that have no entry; tell whether there were any.

        Each enters behind those that it follows.
        """
        page = [name_of(name) for (name,) in self._db.rows("exchanges without entry", (PAGE,))]
        ordered: dict[str, None] = {}
        for name in page:
            path: list[str] = []
            step: str | None = name
            while step is not None and step not in ordered and not self._has_place(step):
                path.append(step)
                found = reading.header(self._db, step)
                step = found[0].parent if found else None
            ordered.update(dict.fromkeys(reversed(path)))
        self.enter(ordered)
        return bool(page)

    def enter_bare(self) -> bool:
        """Let a page of exchanges enter again that a program without the embedder let enter.

        Returns:
            Whether there were any.
        """
        page = [name_of(name) for (name,) in self._db.rows("bare exchanges", (PAGE,))]
        self.enter_again(page)
        return bool(page)

    def _has_place(self, name: str) -> bool:
        return self._db.one("entry of", (column(name),)) is not None

    def enter_again(self, ids: Iterable[str]) -> None:
        """Let exchanges enter as they are, with the vectors that are kept of them."""
        wanted = list(ids)
        for start in range(0, len(wanted), PAGE):
            some = wanted[start : start + PAGE]
            self.enter_whole(list(reading.get(self._db, some).values()), again=True)
            if self._sealer.is_due():
                self._sealer.seal()

    def _stored(self, kept: Kept | None, exchanges: Sequence[Exchange]) -> dict[str, Vectors]:
        """The vectors in use that are kept of exchanges."""
        if kept is None:
            return {}
        ids = [exchange.id for exchange in exchanges]
        places = {p: name for name in ids if (p := entries.place_of(self._db, name)) is not None}
        found = entries.stored_vectors(self._db, kept.number, places, kept.dimension)
        return {places[place]: vector for place, vector in found.items()}
