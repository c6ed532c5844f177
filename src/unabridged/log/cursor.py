"""The position of a pass over a space, so that it can stop at any page and continue.

Exchanges are read in the order of their ids. An import may add older ones before that position.
So the cursor keeps a sum over the exchanges that were read: of the digests of their sessions. At the end
it compares the sum with that of the whole space. If they differ, it reads from scratch.
Ids and sums stay true when a space is copied or restored; revisions and numbers would not.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from hashlib import blake2b

from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.record import Record, RecordKind
from unabridged.ports import Clock, Store

MOST_AWAITED = 200
"""The newest exchanges without a whole answer that are read again."""

_WRAP = 1 << 64


@dataclass(frozen=True, slots=True)
class CursorState:
    """The position of a pass.

    Attributes:
        version: The version of the pass that read.
        after: The id of the last exchange that was read; None for the beginning.
        sum: Over the exchanges that were read: the sum of the digests of their sessions, in hex.
        seen: How many exchanges were read.
        awaited: Those of them whose answer was not whole, with their number of messages.
    """

    version: str
    after: str | None = None
    sum: str = "0"
    seen: int = 0
    awaited: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class UnreadPage:
    """Exchanges that a pass has not read yet.

    Attributes:
        left: The most exchanges that are left after them.
        then: The position after they were read.
    """

    exchanges: Sequence[Exchange]
    left: int
    then: CursorState


class LogCursor:
    """Returns the exchanges that a pass has not read yet, page by page.

    Two processes may run one pass at once: at worst a page is read twice, so reading it twice must
    add nothing.

    Args:
        name: The pass: the id of its record.
        version: Under another version everything is read again.
        again: Whether an exchange without a whole answer is read again when it has grown.
    """

    def __init__(
        self, store: Store, clock: Clock, name: str, version: str, *, again: bool = False
    ) -> None:
        self._store = store
        self._clock = clock
        self._name = name
        self._version = version
        self._again = again

    def page(self, limit: int) -> UnreadPage | None:
        """Return up to this many exchanges to read next; None if nothing is left."""
        at = self._load()
        exchanges = self._store.scan(at.after, limit)
        if not exchanges:
            if grown := self._grown(at, limit):
                return grown
            if at.sum != _sum_of(self._store.counts()):
                at = CursorState(self._version)
                exchanges = self._store.scan(None, limit)
        if not exchanges:
            return None
        seen = at.seen + len(exchanges)
        then = CursorState(
            self._version,
            after=exchanges[-1].id,
            sum=_moved(at.sum, exchanges, 1),
            seen=seen,
            awaited=_newest({**at.awaited, **_awaited(exchanges)}) if self._again else {},
        )
        return UnreadPage(exchanges, self._left(seen), then)

    def mark(self, page: UnreadPage, made: Iterable[Record] = ()) -> None:
        """Mark a page as read, in one transaction with the records made from it."""
        self._store.put([*made, _record(self._name, self._clock, page.then)])

    def of(self, part: str) -> "LogCursor":
        """Return the cursor of a part of the pass, such as that of one model."""
        name = f"{self._name} {part}"
        return LogCursor(self._store, self._clock, name, self._version, again=self._again)

    @property
    def waits(self) -> bool:
        """Return whether anything was not read yet."""
        return self._load().sum != _sum_of(self._store.counts())

    def _grown(self, at: CursorState, limit: int) -> UnreadPage | None:
        waiting = self._store.get(at.awaited)
        grown = [e for e in waiting.values() if len(e.messages) != at.awaited[e.id]][:limit]
        if not grown:
            return None
        read = {exchange.id for exchange in grown}
        others = {name: at.awaited[name] for name in waiting if name not in read}
        then = replace(at, awaited=_newest({**others, **_awaited(grown)}))
        return UnreadPage(grown, self._left(at.seen), then)

    def _left(self, seen: int) -> int:
        return max(0, self._store.totals().exchanges - seen)

    def _load(self) -> CursorState:
        for record in self._store.records(RecordKind.PROGRESS, ids=[self._name]):
            if record.body.get("version") == self._version:
                return CursorState(**record.body)
        return CursorState(self._version)


def pass_over(store: Store, clock: Clock, gone: Sequence[Exchange]) -> None:
    """Subtract forgotten exchanges from the sums, so that the rest is not read again."""
    names = {exchange.id for exchange in gone}
    changed = []
    for record in store.records(RecordKind.PROGRESS):
        if "sum" not in record.body:
            continue
        at = CursorState(**record.body)
        read = [exchange for exchange in gone if at.after and exchange.id <= at.after]
        then = replace(
            at,
            sum=_moved(at.sum, read, -1),
            seen=at.seen - len(read),
            awaited={name: n for name, n in at.awaited.items() if name not in names},
        )
        changed.append(_record(record.id, clock, then))
    store.put(changed)


def _record(name: str, clock: Clock, state: CursorState) -> Record:
    return Record(RecordKind.PROGRESS, name, clock.now(), asdict(state))


def _awaited(exchanges: Iterable[Exchange]) -> dict[str, int]:
    return {e.id: len(e.messages) for e in exchanges if e.state is not ExchangeState.COMPLETE}


def _newest(awaited: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(awaited.items())[-MOST_AWAITED:])


def _moved(total: str, exchanges: Iterable[Exchange], sign: int) -> str:
    change = sum(_number(exchange.session) for exchange in exchanges)
    return f"{(int(total, 16) + sign * change) % _WRAP:x}"


def _sum_of(counts: Mapping[str, int]) -> str:
    return f"{sum(_number(session) * count for session, count in counts.items()) % _WRAP:x}"


def _number(session: str) -> int:
    digest = blake2b(session.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "big")
