"""Copying what one store holds into another, whatever they are kept on.

A session goes over in one transaction, unless it is larger than what is held at once: then it goes in
pieces, without a head until it is whole. Doing it again adds what is missing, and nothing twice.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from unabridged.domain.exchange import Exchange
from unabridged.domain.record import Record, RecordKind
from unabridged.domain.results import Transcript
from unabridged.domain.session import Session
from unabridged.errors import StoreDamagedError, StoreError
from unabridged.ports import Store, SupportsVectors
from unabridged.stores.space_digest import PAGE, Digest

HELD = 2_000
"""Exchanges of unfinished sessions that are held in memory."""

Moved = Callable[[str, int, int], None]
"""Told what goes on, how many exchanges or records were done, and of how many."""
Sift = Callable[[Transcript], Transcript | None]
"""Gives what of a conversation may go over: what was forgotten does not come again."""


@dataclass(slots=True)
class Copied:
    """What went over.

    Attributes:
        exchanges: Exchanges that were new.
        records: Records that were new.
        vectors: Exchanges whose vectors went along.
        passed_over: The ids of exchanges that were forgotten there before.
        began_empty: Whether there was nothing before.
    """

    exchanges: int = 0
    records: int = 0
    vectors: int = 0
    passed_over: set[str] = field(default_factory=set)
    began_empty: bool = False


@dataclass(frozen=True, slots=True)
class Compared:
    """What was copied, read again on both sides.

    Attributes:
        source: The digest of what was to be copied.
        target: That of the same sessions, exchanges and records where they lie now.
        more: Exchanges that the target holds besides.
    """

    source: Digest
    target: Digest
    more: int

    @property
    def exchanges_equal(self) -> bool:
        """Whether every exchange is there as it was."""
        return self.source.exchanges == self.target.exchanges

    @property
    def equal(self) -> bool:
        """Whether everything is, headers and records too."""
        return self.source == self.target


def copy(
    giver: Store, taker: Store, *, moved: Moved = lambda *_: None, sift: Sift | None = None
) -> Copied:
    """Copy every session, exchange and record that a store lacks, and vectors that cost something.

    Args:
        giver: Where they are; it is only read.
        taker: Where they go.
        moved: Told how far it has come.
        sift: Says what of a session may go over; None for everything. With it a session is held
            in memory as a whole.

    Raises:
        StoreDamagedError: The giver holds exchanges that hang on nothing.
        StoreError: Whatever the stores raise; what went over is kept, and copying again goes on.
    """
    before = taker.totals()
    work = _Work(giver, taker, moved, sift, Copied(began_empty=not before.sessions))
    work.run()
    work.done.records = sum(_records(giver, taker, kind, moved) for kind in RecordKind)
    work.done.vectors = _vectors(giver, taker, moved)
    return work.done


def compare(giver: Store, taker: Store, *, passed_over: Iterable[str] = ()) -> Compared:
    """Read on both sides what was copied.

    Args:
        giver: Where it was.
        taker: Where it should be now.
        passed_over: The ids of exchanges that did not go over.
    """
    source, target, left = Digest(), Digest(), frozenset(passed_over)
    for session in giver.sessions():
        _add(source, target, session, taker.session(session.id))
    for page in _scanned(giver):
        wanted = [exchange for exchange in page if exchange.id not in left]
        held = taker.get([exchange.id for exchange in wanted])
        for exchange in wanted:
            _add(source, target, exchange, held.get(exchange.id))
    for kind in RecordKind:
        given = iter(giver.records(kind))
        while some := list(islice(given, PAGE)):
            there = {r.id: r for r in taker.records(kind, ids=[r.id for r in some])}
            for record in some:
                _add(source, target, record, there.get(record.id))
    more = taker.totals().exchanges - target.exchanges.count
    return Compared(source, target, more)


def _add(
    source: Digest,
    target: Digest,
    given: Session | Exchange | Record,
    held: Session | Exchange | Record | None,
) -> None:
    source.add(given)
    if held is not None:
        target.add(held)


def _scanned(store: Store) -> Iterator[list[Exchange]]:
    after: str | None = None
    while page := store.scan(after, PAGE):
        yield page
        after = page[-1].id


@dataclass(slots=True)
class _Work:
    """Sessions on their way over."""

    giver: Store
    taker: Store
    moved: Moved
    sift: Sift | None
    done: Copied
    held: dict[str, list[Exchange]] = field(default_factory=dict)
    pieces: set[str] = field(default_factory=set)

    def run(self) -> None:
        sizes = dict(self.giver.counts())
        total, read = sum(sizes.values()), 0
        left = dict(sizes)
        for page in _scanned(self.giver):
            for exchange in page:
                self.held.setdefault(exchange.session, []).append(exchange)
                left[exchange.session] = left.get(exchange.session, 1) - 1
            for name in {exchange.session for exchange in page}:
                if left[name] <= 0 and name not in self.pieces:
                    self._whole(name)
            if self.sift is None and sum(map(len, self.held.values())) > HELD:
                self._spill()
            read += len(page)
            self.moved("exchanges", read, total)
        self._rest()
        for session in self.giver.sessions():
            if session.id in self.pieces or session.id not in sizes:
                self._finish(session)

    def _rest(self) -> None:
        for name in list(self.held):
            if name in self.pieces:
                self._piece(name)
            else:
                self._whole(name)
        for some in self.held.values():
            raise _stray(some[0])

    def _whole(self, name: str) -> None:
        session, exchanges = self.giver.session(name), _in_order(self.held.pop(name))
        if session is None:
            return  # it was forgotten while it was read
        conversation: Transcript | None = Transcript(session, tuple(exchanges))
        if self.sift is not None:
            conversation = self.sift(Transcript(session, tuple(exchanges)))
            kept = {x.id for x in conversation.exchanges} if conversation else set()
            self.done.passed_over |= {x.id for x in exchanges} - kept
        if conversation is not None:
            self.done.exchanges += self._admit(conversation.session, conversation.exchanges)
        self._headed(session)

    def _admit(self, session: Session, exchanges: Sequence[Exchange]) -> int:
        messages = (message.id for exchange in exchanges for message in exchange.messages)
        return self.taker.import_session(session, exchanges, self.giver.originals(messages))

    def _headed(self, session: Session) -> None:
        there = self.taker.session(session.id)
        if there is not None and there.head is None and session.head is not None:
            self._finish(session)

    def _spill(self) -> None:
        for name in list(self.held):
            self.pieces.add(name)
            self._piece(name)

    def _piece(self, name: str) -> None:
        session, waiting = self.giver.session(name), self.held.pop(name)
        if session is None:
            return
        here = {exchange.id for exchange in waiting}
        above = {x.parent for x in waiting if x.parent is not None and x.parent not in here}
        there = self.taker.get(above)
        ready, stay = _rooted(waiting, set(there))
        if ready:
            self.done.exchanges += self._admit(replace(session, head=None), ready)
        if stay:
            self.held[name] = stay

    def _finish(self, session: Session) -> None:
        there = self.taker.session(session.id)
        if there is None or (there.head is None and session.head is not None):
            try:
                self.taker.set_session(session, None)
            except StoreError:
                if self.sift is None:
                    raise  # else its head was passed over
        elif there.head != session.head and self._leads_on(session, there):
            updated = max(there.updated, session.updated)
            self.taker.set_session(replace(there, head=session.head, updated=updated), there.head)

    def _leads_on(self, session: Session, there: Session) -> bool:
        before: str | None = None
        while path := self.giver.recent(session.id, PAGE, before):
            if any(message.id == there.head for x in path for message in x.messages):
                return True
            before = path[0].id
        return False


def _in_order(exchanges: list[Exchange]) -> list[Exchange]:
    # Parents before children, else as they are.
    ready, stay = _rooted(exchanges, set())
    if stay:
        raise _stray(stay[0])
    return ready


def _rooted(exchanges: list[Exchange], there: set[str]) -> tuple[list[Exchange], list[Exchange]]:
    children: dict[str, list[Exchange]] = {}
    ready: list[Exchange] = []
    for exchange in exchanges:
        if exchange.parent is None or exchange.parent in there:
            ready.append(exchange)
        else:
            children.setdefault(exchange.parent, []).append(exchange)
    for exchange in ready:  # grows while it is gone through
        ready += children.pop(exchange.id, [])
    return ready, [exchange for some in children.values() for exchange in some]


def _stray(exchange: Exchange) -> StoreDamagedError:
    return StoreDamagedError(
        f"Exchange {exchange.id!r} follows {exchange.parent!r}, which is not there.",
        hint="`unabridged doctor` tells what is damaged. What went over before it is kept.",
    )


def _records(giver: Store, taker: Store, kind: RecordKind, moved: Moved) -> int:
    given = giver.records(kind)
    added = 0
    for start in range(0, len(given), PAGE):
        page = given[start : start + PAGE]
        held = {r.id for r in taker.records(kind, ids=[r.id for r in page])}
        news = [record for record in page if record.id not in held]
        if news:
            taker.put(news)
            added += len(taker.records(kind, ids=[r.id for r in news]))
        moved(f"{kind.value} records", start + len(page), len(given))
    return added


def _vectors(giver: Store, taker: Store, moved: Moved) -> int:
    # Let vectors go over that were kept because making them costs something.
    if not (isinstance(giver, SupportsVectors) and isinstance(taker, SupportsVectors)):
        return 0
    identity = giver.embedded_by()
    after: str | None = None
    count = 0
    while identity and (page := taker.missing_vectors(identity, PAGE, after)):
        found = giver.vectors(identity, [exchange.id for exchange in page])
        if found:
            taker.put_vectors(identity, found)
        count += len(found)
        after = page[-1].id
        moved("vectors", count, count)
    if count and taker.embedded_by() != identity and not taker.missing_vectors(identity, 1):
        taker.activate_vectors(identity)
    return count
