"""The course of reading a space: which exchanges to look at next, and how far it has come.

What is new has larger ids than what was read, as a rule; so reading goes on behind the last id. Where
something else changed (an import brought older ones, some were forgotten, another process read), a
sweep over everything is begun besides, which only looks at what was read. What is new comes first.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.record import Record, RecordKind
from unabridged.ports import Clock, Store

PAGE = 64
"""Exchanges of a page."""

MOST_AWAITED = 200
"""Exchanges without a whole answer that are looked at again, the newest."""

SWEEPS = 2
"""Sweeps of one run at the most: the one that was under way, and one for what changed meanwhile."""

PROGRESS = "readings"
"""The id of the record."""

Page = tuple[Sequence[Exchange], int]
"""Exchanges to look at, and how many are left behind them at the most."""


FORM = 1
"""The form of the record; one of another form is not read, and reading begins anew."""


@dataclass(frozen=True, slots=True)
class CursorState:
    """How far reading has come.

    Attributes:
        scheme: The scheme that it was read under.
        by: Who read.
        changes: The revision of the readings after the last page.
        after: The id up to which exchanges were looked at as they came.
        seen: How many exchanges up to there were seen.
        awaited: Those of them whose answer was not whole, with their number of messages.
        sweep: The id up to which the sweep has come; empty at its beginning, None without one.
        swept: How many exchanges it has seen.
        again: Whether something changed behind it, so that another has to follow.
    """

    scheme: str
    by: str
    changes: int
    after: str | None = None
    seen: int = 0
    awaited: Mapping[str, int] = field(default_factory=dict)
    sweep: str | None = None
    swept: int = 0
    again: bool = False


class LogCursor:
    """Goes through a space, page by page; may be stopped at any page.

    Args:
        store: The space.
        clock: The time.
        scheme: The name of the scheme.
        by: Who reads; another one begins anew.
    """

    def __init__(self, store: Store, clock: Clock, scheme: str, by: str) -> None:
        self._store = store
        self._clock = clock
        self._at = self._load(scheme, by)

    def pages(self) -> Iterator[Page]:
        """Pages to look at; a page counts as done when the next is asked for."""
        self._look()
        if self._at.awaited:
            waiting = self._store.get(self._at.awaited)
            grown = [e for e in waiting.values() if len(e.messages) != self._at.awaited[e.id]]
            if grown:
                yield from self._given(grown, max(0, self._total() - self._at.seen))
            self._done(awaited=_awaited(waiting.values()))
        yield from self._new()
        for _ in range(SWEEPS):
            if self._at.sweep is not None:
                yield from self._sweep()

    def absorb(self, change: Callable[[], None]) -> None:
        """Make a change to the readings that needs no sweep."""
        known = self._revision() == self._at.changes
        change()
        if known:
            self._done()

    def _new(self) -> Iterator[Page]:
        while True:
            # Counted before the scan: what is appended meanwhile is in the scan, or in neither.
            total = self._total()
            page = self._store.scan(self._at.after, PAGE)
            if not page:
                break
            seen = self._at.seen + len(page)
            yield from self._given(page, max(0, total - seen))
            self._done(after=page[-1].id, seen=seen, awaited=self._awaiting(page))
        if self._at.seen != total:
            self._disturbed()

    def _sweep(self) -> Iterator[Page]:
        last = self._at.after or ""
        while page := [e for e in self._store.scan(self._at.sweep or None, PAGE) if e.id <= last]:
            swept = self._at.swept + len(page)
            yield from self._given(page, max(0, self._total() - swept))
            self._done(sweep=page[-1].id, swept=swept, awaited=self._awaiting(page))
        follows = "" if self._at.again else None
        self._done(seen=self._at.swept, sweep=follows, swept=0, again=False)

    def _given(self, page: Sequence[Exchange], left: int) -> Iterator[Page]:
        self._look()
        yield page, left

    def _look(self) -> None:
        # See whether others changed something since the last page.
        if self._revision() != self._at.changes:
            self._disturbed()

    def _awaiting(self, page: Sequence[Exchange]) -> dict[str, int]:
        awaited = sorted({**self._at.awaited, **_awaited(page)}.items())
        return dict(awaited[-MOST_AWAITED:])

    def _disturbed(self) -> None:
        if self._at.sweep is None:
            self._at = replace(self._at, sweep="", swept=0)
        elif self._at.sweep:
            self._at = replace(self._at, again=True)

    def _done(self, **news: Any) -> None:
        progress = replace(self._at, changes=self._revision(), **news)
        if progress != self._at:
            self._at = progress
            self._store.put([_record(progress, self._clock)])

    def _load(self, scheme: str, by: str) -> CursorState:
        for record in self._store.records(RecordKind.PROGRESS, ids=[PROGRESS]):
            body = dict(record.body)
            if body.pop("form", 0) != FORM:
                break
            stored = CursorState(**body)
            if (stored.scheme, stored.by) == (scheme, by):
                return stored
        return CursorState(scheme, by, self._store.last_revision())

    def _revision(self) -> int:
        changes = self._store.changes(self._at.changes)
        if changes.full or RecordKind.READING in changes.kinds:
            return changes.revision
        return self._at.changes

    def _total(self) -> int:
        return self._store.totals().exchanges


def _record(progress: CursorState, clock: Clock) -> Record:
    body = {"form": FORM, **asdict(progress)}
    return Record(RecordKind.PROGRESS, PROGRESS, clock.now(), body)


def _awaited(exchanges: Iterable[Exchange]) -> dict[str, int]:
    return {e.id: len(e.messages) for e in exchanges if e.state is not ExchangeState.COMPLETE}
