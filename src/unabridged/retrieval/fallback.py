"""An index in memory, for stores that keep none: the same answers, at the cost of reading it all.

It indexes what is new or has changed since the last lookup.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from unabridged.domain.exchange import Exchange
from unabridged.domain.lookup import Probe, Shortlist
from unabridged.errors import UpstreamError
from unabridged.index.entry import FIRST, Entry
from unabridged.index.lookup import View, look_up
from unabridged.index.tail import Tail
from unabridged.ports import Store
from unabridged.retrieval.entries import Reader, said_at, session_number
from unabridged.retrieval.pages import everything

PAGE = 256
"""Exchanges that are embedded at once."""

_Mark = tuple[int, str | None, int]
"""What shows that an exchange has changed: its messages, which one it follows, and its position."""


class FallbackIndex:
    """Implements ``ports.SupportsLookup`` over any store.

    Args:
        store: The space.
        reader: What reads exchanges for the index.
    """

    def __init__(self, store: Store, reader: Reader) -> None:
        self._store = store
        self._reader = reader
        self._places: dict[str, int] = {}
        self._names: dict[int, str] = {}
        self._marks: dict[str, _Mark] = {}
        self._bare: set[str] = set()
        self._last = 0
        self._tail = Tail()
        self._heard: int | None = None

    def lookup(self, probe: Probe) -> Shortlist:
        """What bears on a probe; see ``ports.SupportsLookup``."""
        embed = probe.vector is not None and self._can_embed()
        self._follow(embed=embed)
        if not embed:
            probe = replace(probe, vector=None)
        return look_up(View((), (), self._tail), probe)

    def at(self, places: Sequence[int]) -> dict[int, Exchange]:
        """Whole exchanges by their places."""
        names = {place: self._names[place] for place in places if place in self._names}
        found = self._store.get(names.values())
        return {place: found[name] for place, name in names.items() if name in found}

    def _can_embed(self) -> bool:
        """Whether there is an embedder, and it can be asked; what it is, is asked when it matters."""
        embedder = self._reader.embedder
        if embedder is None:
            return False
        if not self._tail.dimension:
            try:
                self._tail = Tail(embedder.identity, embedder.dimension)
            except UpstreamError:
                return False
            self._bare |= self._marks.keys()
        return True

    def _follow(self, *, embed: bool) -> None:
        """Take over what changed in the store.

        Args:
            embed: Whether vectors can be compared now; what has none yet is then embedded.
        """
        changes = self._store.changes(self._heard)
        everything_changed = changes.full or changes.erased or changes.moved
        grown = (
            None if everything_changed or (embed and self._bare) else self._grown(changes.written)
        )
        if grown is None:
            self._follow_all(embed=embed)
        else:
            self._take(grown, embed=embed)
        self._heard = changes.revision

    def _grown(self, names: Sequence[str]) -> list[tuple[Exchange, _Mark]] | None:
        """What was begun or extended, with its marks; None where more than that has changed."""
        there = self._store.get(names)
        marks: dict[str, _Mark] = {}
        for name in names:
            exchange = there.get(name)
            above = -1
            if exchange is not None and exchange.parent is not None:
                over = marks.get(exchange.parent) or self._marks.get(exchange.parent)
                if over is None:
                    return None
                above = over[2]
            if exchange is None:
                return None
            marks[name] = (len(exchange.messages), exchange.parent, above + 1)
            known = self._marks.get(name)
            if known is not None and known[1:] != marks[name][1:]:
                return None  # it has another place, and so has what follows it
        return [(there[name], mark) for name, mark in marks.items()]

    def _take(self, grown: Sequence[tuple[Exchange, _Mark]], *, embed: bool) -> None:
        changed = [(e, mark) for e, mark in grown if self._marks.get(e.id) != mark]
        for exchange, mark in changed:
            self._marks[exchange.id] = mark
            self._settle(exchange.id)
        for start in range(0, len(changed), PAGE):
            self._put([e for e, _ in changed[start : start + PAGE]], embed=embed)

    def _follow_all(self, *, embed: bool) -> None:
        """Take over what changed, by looking at everything."""
        there = {exchange.id: exchange for exchange in everything(self._store)}
        for gone in self._marks.keys() - there.keys():
            del self._marks[gone]
            self._bare.discard(gone)
            place = self._places.pop(gone)
            del self._names[place]
            self._tail.remove(place)
        positions = _positions(there)
        changed: list[Exchange] = []
        for name, exchange in there.items():
            mark = (len(exchange.messages), exchange.parent, positions[name])
            if self._marks.get(name) != mark or (embed and name in self._bare):
                self._marks[name] = mark
                self._settle(name)
                changed.append(exchange)
        for start in range(0, len(changed), PAGE):
            self._put(changed[start : start + PAGE], embed=embed)

    def _settle(self, name: str) -> None:
        if name not in self._places:
            self._last += 1
            self._places[name] = self._last
            self._names[self._last] = name

    def _put(self, exchanges: list[Exchange], *, embed: bool) -> None:
        """Take exchanges in; by their words only where the server that embeds fails."""
        try:
            readings = self._reader.read(exchanges, embed=embed)
        except UpstreamError:
            embed, readings = False, self._reader.read(exchanges, embed=False)
        names = {exchange.id for exchange in exchanges}
        self._bare = self._bare - names if embed else self._bare | names
        for exchange, read in zip(exchanges, readings, strict=True):
            above = FIRST if exchange.parent is None else self._places.get(exchange.parent, FIRST)
            self._tail.put(
                Entry(
                    place=self._places[exchange.id],
                    session=session_number(exchange.session),
                    parent=above,
                    at=said_at(exchange),
                    position=self._marks[exchange.id][2],
                    words=read.words,
                    pieces=read.pieces,
                    vectors=read.vectors,
                )
            )


def _positions(there: Mapping[str, Exchange]) -> dict[str, int]:
    """How many exchanges stand before each on its path."""
    known: dict[str, int] = {}
    for name in there:
        path: list[str] = []
        step: str | None = name
        while step is not None and step in there and step not in known:
            path.append(step)
            step = there[step].parent
        position = known.get(step, -1) if step is not None else -1
        for below in reversed(path):
            position += 1
            known[below] = position
    return known
