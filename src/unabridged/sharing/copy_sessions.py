"""Copy records from one space into another: facts, requirements, annotations, condensations.

Incoming records are checked like a model's output: their exchanges must be there, their quotes must
be in the user's words, and their bodies must be readable.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from itertools import chain

import msgspec

from unabridged.annotations.annotation_records import told_apart
from unabridged.budget.calibration import Calibration
from unabridged.condense.session_view import view_of
from unabridged.domain import share
from unabridged.domain.exchange import Exchange
from unabridged.domain.record import Record, RecordKind
from unabridged.forgetting.receipts import receipt_of
from unabridged.knowledge import requirement_records, statements
from unabridged.ports import Store

PAGE = 200
"""Records that are read together."""

CARRIED = (
    RecordKind.FACT,
    RecordKind.REQUIREMENT,
    RecordKind.READING,
    RecordKind.CONDENSATION,
    RecordKind.OPENING,
    RecordKind.COMPACTION,
    RecordKind.RUN,
    RecordKind.CALIBRATION,
    RecordKind.TOMBSTONE,
    RecordKind.RECEIPT,
    RecordKind.SHARE,
)
"""Kinds that are copied. Progress (``PROGRESS``) is not: the other space determines it again."""
CONTEXTS = (RecordKind.OVERVIEW, RecordKind.CONTEXT, RecordKind.FOLDER)
"""The sources of ``why``, which are large, and working folders, which a share has no use for: copied
only on request.
"""


def leaving(
    store: Store, *, contexts: bool = False, session: str | None = None
) -> Iterator[Record]:
    """Yield the records to copy with conversations.

    ``contexts``: also those of prepared contexts. ``session``: only those whose sources are all
    exchanges of this session.
    """
    mine = None if session is None else {x.id for x in store.exchanges_of(session)}
    kinds = (*CARRIED, *CONTEXTS) if contexts else CARRIED
    for record in chain.from_iterable(_kind(store, kind) for kind in kinds):
        if mine is None or (record.exchanges and mine.issuperset(record.exchanges)):
            yield record


def take(store: Store, records: Iterable[Record]) -> int:
    """Import records; return how many.

    Existing ones stay unchanged. Records that are unreadable, or unsupported by the exchanges of
    this space, are dropped.
    """
    taken = 0
    for page in _pages(records):
        held = _held(store, page)
        known = store.get({name for record in page for name in record.exchanges})
        fit = [r for r in page if (r.kind, r.id) not in held and _bears(r, known)]
        if fit:
            store.put(fit)
            taken += len(fit)
    return taken


def _kind(store: Store, kind: RecordKind) -> Iterator[Record]:
    if kind is not RecordKind.CONTEXT:
        yield from store.records(kind)
        return
    after: str | None = None  # one for each exchange: a page at a time
    while page := store.scan(after, PAGE):
        yield from store.records(kind, ids=[exchange.id for exchange in page])
        after = page[-1].id


def _pages(records: Iterable[Record]) -> Iterator[list[Record]]:
    page: list[Record] = []
    for record in records:
        if len(page) == PAGE or any((r.kind, r.id) == (record.kind, record.id) for r in page):
            yield page
            page = []
        page.append(record)
    if page:
        yield page


def _held(store: Store, page: Iterable[Record]) -> set[tuple[RecordKind, str]]:
    wanted: dict[RecordKind, list[str]] = {}
    for record in page:
        wanted.setdefault(record.kind, []).append(record.id)
    found = (store.records(kind, ids=ids) for kind, ids in wanted.items())
    return {(record.kind, record.id) for record in chain.from_iterable(found)}


def _bears(record: Record, known: Mapping[str, Exchange]) -> bool:
    if record.kind not in _READ or not known.keys() >= set(record.exchanges):
        return False
    if record.kind in _ABOUT and not record.exchanges:
        return False
    try:
        read = _READ[record.kind](record)
        msgspec.convert(msgspec.to_builtins(read), type(read))
        _check_times(read)
    except _UNREADABLE:
        return False
    return record.kind not in _DRAWN or _is_said(record, known)


def _is_said(record: Record, known: Mapping[str, Exchange]) -> bool:
    quote, exchange = record.body.get("quote"), record.body.get("exchange")
    if exchange is not None and exchange not in record.exchanges:
        return False
    return not quote or any(str(quote) in known[name].user.text for name in record.exchanges)


_ABOUT = frozenset(
    {RecordKind.READING, RecordKind.CONTEXT, RecordKind.OPENING, RecordKind.COMPACTION}
)
_DRAWN = frozenset({RecordKind.FACT, RecordKind.REQUIREMENT})
_UNREADABLE = (
    msgspec.MsgspecError,
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    ArithmeticError,
    RecursionError,
)
"""Errors from reading a foreign body."""


def _check_times(value: object) -> None:
    if isinstance(value, datetime) and value.tzinfo is None:
        raise ValueError("a time without a zone")
    if isinstance(value, Mapping):
        value = tuple(value.values())
    elif is_dataclass(value):
        value = tuple(getattr(value, field.name) for field in fields(value))
    if isinstance(value, tuple):
        for each in value:
            _check_times(each)


def _run(record: Record) -> dict[str, int]:
    body = record.body
    checked = body["coherence"] or {"before": 0, "after": 0}
    figures = {**body["condensed"], "before": checked["before"], "after": checked["after"]}
    if not isinstance(body["session"], str) or not all(type(n) is int for n in figures.values()):
        raise TypeError("a run whose figures are no numbers")
    return figures


class _Tombstone(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of a tombstone, as ``forgetting.tombstones`` writes it."""

    version: int
    key: str
    alone: tuple[str, ...]
    behind: tuple[str, ...]
    exchanges: tuple[str, ...]


class _Compaction(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of a compaction, as ``history_sync.program_texts`` writes it."""

    through: str | None


def _context(record: Record) -> str:
    if not isinstance(record.body["manifest"], Mapping):
        raise TypeError("a context without its manifest")
    return record.id


_READ: Mapping[RecordKind, Callable[[Record], object]] = {
    RecordKind.FACT: statements.from_record,
    RecordKind.REQUIREMENT: requirement_records.from_record,
    RecordKind.READING: lambda record: told_apart([record]),
    RecordKind.CONDENSATION: view_of,
    RecordKind.RUN: _run,
    RecordKind.CALIBRATION: lambda record: Calibration.from_body(record.body),
    RecordKind.TOMBSTONE: lambda record: msgspec.convert(record.body, _Tombstone),
    RecordKind.RECEIPT: receipt_of,
    RecordKind.SHARE: share.from_record,
    RecordKind.OVERVIEW: lambda record: record.id,
    RecordKind.CONTEXT: _context,
    RecordKind.OPENING: lambda record: record.id,
    RecordKind.COMPACTION: lambda record: msgspec.convert(record.body, _Compaction),
}
"""The reader of each kind; it raises for what it cannot read."""
