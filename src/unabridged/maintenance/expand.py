"""Opens a condensation: the exact originals that it replaces."""

from collections.abc import Sequence
from datetime import datetime

from unabridged.condense.history_summary import HistorySummary, earlier_from_data
from unabridged.domain.condensation import Condensation, Level, Line
from unabridged.domain.exchange import Exchange
from unabridged.domain.record import Record, RecordKind
from unabridged.domain.results import ExpandedCondensation
from unabridged.errors import NotFoundError
from unabridged.log.iterate import path_of
from unabridged.ports import Store

LEAST_ID = len("c-") + 2
"""Characters after which a prefix of an id is accepted."""


def expand(store: Store, wanted: str, known: Sequence[Condensation]) -> ExpandedCondensation:
    """Open a condensation, stored or of a past prompt.

    A prefix of a stored one's id is enough.

    Raises:
        NotFoundError: There is none, or several.
    """
    near = [one for one in known if one.id.startswith(wanted)] if len(wanted) >= LEAST_ID else []
    if len(near) == 1:
        held = store.get(near[0].covers)
        return ExpandedCondensation(
            near[0], tuple(held[name] for name in near[0].covers if name in held)
        )
    records = [] if near else store.records(RecordKind.OVERVIEW, ids=[wanted])
    if records and not records[0].body.keys().isdisjoint({"block", "lines"}):
        return _shown(store, records[0])
    several = "begins several ids" if near else "names no condensation"
    raise NotFoundError(
        f"{wanted!r} {several}.",
        hint="List them: `unabridged expand`, or condensations() in Python.",
    )


def _shown(store: Store, record: Record) -> ExpandedCondensation:
    if "block" in record.body:
        covered = _in_order(store, record.exchanges)
        lines: tuple[Line, ...] = (Line(str(record.body["block"])),)
    else:
        earlier = earlier_from_data(record.body)
        covered = _before(store, earlier)
        lines = earlier.lines
    at = record.at
    return ExpandedCondensation(_condensation(record, covered, lines, at), tuple(covered))


def _condensation(
    record: Record, covered: Sequence[Exchange], lines: tuple[Line, ...], at: datetime
) -> Condensation:
    return Condensation(
        id=record.id,
        level=Level.EXCHANGES,
        session=covered[0].session if covered else "",
        covers=tuple(exchange.id for exchange in covered),
        since=covered[0].at if covered else at,
        until=covered[-1].at if covered else at,
        lines=lines,
        tokens=0,
        source_tokens=sum(m.tokens or 0 for e in covered for m in e.messages),
        by="prompt",
    )


def _before(store: Store, earlier: HistorySummary) -> list[Exchange]:
    first = store.get([earlier.before]).get(earlier.before) if earlier.before else None
    if first is None:
        return _in_order(store, earlier.drawn)
    path = path_of(store, first.session, first.id)
    inner = _in_order(store, earlier.inner)
    known = {exchange.id for exchange in path}
    return path + [exchange for exchange in inner if exchange.id not in known]


def _in_order(store: Store, ids: Sequence[str]) -> list[Exchange]:
    held = store.get(ids)
    return sorted((held[name] for name in ids if name in held), key=lambda e: (e.at, e.id))
