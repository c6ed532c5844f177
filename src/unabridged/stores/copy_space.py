"""Copy what one store holds into another, and compare the two.

A session goes over in one transaction. Copying again adds what is missing, and nothing twice.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice

from unabridged.domain.exchange import Exchange
from unabridged.domain.record import Record, RecordKind
from unabridged.domain.results import Transcript
from unabridged.domain.session import Session
from unabridged.errors import StoreDamagedError
from unabridged.ports import Store, SupportsVectors
from unabridged.stores.space_digest import PAGE, Digest

Moved = Callable[[str, int, int], None]
"""Told what goes on, how many exchanges or records were done, and of how many."""
Sift = Callable[[Transcript], Transcript | None]
"""Gives what of a conversation may go over: what was forgotten does not come again."""


@dataclass(slots=True)
class Copied:
    """What went over.

    Attributes:
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
    """What was copied, read again on both sides: the digests, and how much more the target holds."""

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

    The giver is only read. Of each session, what ``sift`` returns goes over.

    Raises:
        StoreDamagedError: The giver holds exchanges that hang on nothing.
        StoreError: Whatever the stores raise; what went over is kept, and copying again goes on.
    """
    done = Copied(began_empty=not taker.totals().sessions)
    total, read = giver.totals().exchanges, 0
    for listed in reversed(giver.sessions()):
        session = giver.session(listed.id)
        if session is None:
            continue  # it was forgotten meanwhile
        conversation = Transcript(session, tuple(giver.exchanges_of(session.id)))
        _copy_session(giver, taker, conversation, sift, done)
        read += len(conversation.exchanges)
        moved("exchanges", read, total)
    done.records = sum(_records(giver, taker, kind, moved) for kind in RecordKind)
    done.vectors = _vectors(giver, taker, moved)
    return done


def _copy_session(
    giver: Store, taker: Store, whole: Transcript, sift: Sift | None, done: Copied
) -> None:
    there = {exchange.id for exchange in whole.exchanges}
    for exchange in whole.exchanges:
        if exchange.parent is not None and exchange.parent not in there:
            raise StoreDamagedError(
                f"Exchange {exchange.id!r} follows {exchange.parent!r}, which is not there.",
                hint="`unabridged doctor` shows what is damaged. What was copied before it is kept.",
            )
    conversation = sift(whole) if sift is not None and there else whole
    kept = conversation.exchanges if conversation else ()
    done.passed_over |= there - {exchange.id for exchange in kept}
    if conversation is not None:
        messages = (message.id for exchange in kept for message in exchange.messages)
        originals = giver.originals(messages)
        done.exchanges += taker.import_session(conversation.session, kept, originals)


def compare(giver: Store, taker: Store, *, passed_over: Iterable[str] = ()) -> Compared:
    """Read on both sides what was copied, except the exchanges that were passed over."""
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
