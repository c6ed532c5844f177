"""Writes to the log. Each function runs inside a write transaction of the store."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import apsw

from unabridged.domain.changes import Written
from unabridged.domain.exchange import Exchange
from unabridged.domain.record import Record, RecordKind
from unabridged.domain.results import Transcript
from unabridged.domain.session import Session
from unabridged.domain.write import Batch
from unabridged.errors import HeadMovedError
from unabridged.stores import store_errors
from unabridged.stores.sqlite import blobs, change_feed, counters, read_rows, sqlite_errors
from unabridged.stores.sqlite.counters import Counters
from unabridged.stores.sqlite.database import SqliteConnection
from unabridged.stores.sqlite.rows import (
    checked,
    column,
    compressed,
    exchange_row,
    message_row,
    record_row,
    sealed,
    session_row,
    unpacked,
)


def append(db: SqliteConnection, batch: Batch, expect_head: str | None) -> bool:
    """Write a batch, and return whether its exchange is new; see ``ports.Store``."""
    session, exchange = batch.session, batch.exchange
    count = counters.begin(db)
    stored = _expect(db, session.id, expect_head, count)
    known = read_rows.header(db, exchange.id)
    if exchange.session != session.id or (known and known[0].session != session.id):
        raise store_errors.wrong_session(exchange.id, session.id)
    if known is None:
        _check_new(db, exchange, batch.opened_by)
        _add_exchange(db, exchange, batch.opened_by, count, batch.originals)
    else:
        _extend(db, known, exchange)
        _add_messages(db, exchange, count, batch.originals)
        change_feed.extend(db, exchange.id, count)
    if not exchange.messages or session.head != exchange.messages[-1].id:
        check_head(db, session)
    _set_session(db, stored, session, count)
    put(db, batch.records, count)
    counters.save(db, count)
    return known is None


def import_sessions(db: SqliteConnection, batch: Iterable[Transcript]) -> list[Written]:
    """Import conversations and return what was new of each; see ``ports.Store``."""
    count = counters.begin(db)
    given = list(batch)
    stored = _Stored.of(db, given)
    written = [_import_session(db, each, count, stored) for each in given]
    if any(one is not None for one in written):
        counters.save(db, count)
    return [Written(count.revision, one or {}) for one in written]


@dataclass(frozen=True, slots=True)
class _Stored:
    """What an import need not ask for one by one.

    Attributes:
        exchanges: Ids of the exchanges that may be stored; others are not.
        messages: The same of first messages.
        erased: Whether any exchange was ever erased.
        placed: Sessions and exchanges that are in them, so that parents need not be read.
    """

    exchanges: set[str]
    messages: set[str]
    erased: bool
    placed: set[tuple[str, str]] = field(default_factory=set)

    @classmethod
    def of(cls, db: SqliteConnection, batch: Iterable[Transcript]) -> "_Stored":
        exchanges = [exchange for each in batch for exchange in each.exchanges]
        firsts = [exchange.messages[0].id for exchange in exchanges if exchange.messages]
        return cls(
            read_rows.possible(db, "ids of exchanges", [exchange.id for exchange in exchanges]),
            read_rows.possible(db, "ids of messages", firsts),
            db.one("is erased") is not None,
        )


def _import_session(
    db: SqliteConnection, given: Transcript, count: Counters, stored: _Stored
) -> dict[str, Exchange] | None:
    # Return what was added; None if nothing was written.
    session = given.session
    known = read_rows.session(db, session.id)
    added = {
        exchange.id: exchange
        for exchange in given.exchanges
        if _admit_one(db, given, exchange, count, stored)
    }
    if known is None:
        check_head(db, session)
        count.sessions += 1
        _set_session(db, None, session, count)
    elif added:
        head = session.head if _leads_on(db, session, known, set(added)) else known.head
        updated = max(known.updated, session.updated)
        _set_session(db, known, replace(known, head=head, updated=updated), count)
    else:
        return None
    return added


def set_session(db: SqliteConnection, session: Session, expect_head: str | None) -> None:
    """Write a header; see ``ports.Store``."""
    count = counters.begin(db)
    known = _expect(db, session.id, expect_head, count)
    check_head(db, session)
    _set_session(db, known, session, count)
    counters.save(db, count)


def put(db: SqliteConnection, records: Iterable[Record], count: Counters) -> None:
    """Write records; see ``ports.Store``."""
    for record in records:
        if not all(db.one("is exchange", (column(name),)) for name in record.exchanges):
            continue
        remove_record(db, record.kind, record.id, count)
        cursor = db.run("add record", record_row(record))
        row = cursor.connection.last_insert_rowid()
        for exchange_id in record.exchanges:
            db.run("add lineage", (column(exchange_id), row))
        blobs.use(db, str(record.kind), record.id, record.blobs)
        count.record_changed(str(record.kind), 1)


def remove_record(db: SqliteConnection, kind: RecordKind, record_id: str, count: Counters) -> None:
    """Remove a record, if it is there."""
    row = db.one("record row", (str(kind), column(record_id)))
    if row is not None:
        remove_record_row(db, row[0], kind, record_id, count)


def remove_record_row(
    db: SqliteConnection, row: int, kind: RecordKind, record_id: str, count: Counters
) -> None:
    """Remove the record of a row, its sources and its uses of blobs."""
    db.run("remove lineage", (row,))
    db.run("remove record", (row,))
    blobs.release(db, str(kind), record_id)
    count.record_changed(str(kind), -1)


def check_head(db: SqliteConnection, session: Session) -> None:
    """Check that the head is a message of the session."""
    if session.head is None:
        return
    if not _holds(db, read_rows.owner(db, session.head), session.id):
        raise store_errors.stray_head(session.id, session.head)


def _set_session(
    db: SqliteConnection, before: Session | None, after: Session, count: Counters
) -> None:
    db.run("set session", session_row(after))
    change_feed.note(db, change_feed.SESSION, after.id, count)
    was = before is not None and before.archived is not None
    if was != (after.archived is not None):
        _repack(db, after)


def _repack(db: SqliteConnection, session: Session) -> None:
    # An archived session's messages are compressed in their rows, and are read like any other.
    for (number,) in db.rows("numbers of a session", (column(session.id),)):
        row = db.one("message of a number", (number,))
        if row is None:
            continue
        columns = checked("message", row, db.path)
        parts = (unpacked if session.archived is None else compressed)(columns[-1])
        if parts != columns[-1]:
            *_, packed, digest = sealed("message", (*columns[:-1], parts))
            db.run("repack message", (packed, digest, number))


def _expect(
    db: SqliteConnection, session_id: str, expect_head: str | None, count: Counters
) -> Session | None:
    known = read_rows.session(db, session_id)
    found = known.head if known else None
    if found != expect_head:
        raise HeadMovedError(session_id, expect_head, found)
    count.sessions += known is None
    return known


def _check_new(db: SqliteConnection, exchange: Exchange, opened_by: str | None) -> None:
    if exchange.parent is not None and not _holds(db, exchange.parent, exchange.session):
        raise store_errors.stray_parent(exchange.id, exchange.parent)
    if opened_by is not None and not _holds(db, read_rows.owner(db, opened_by), exchange.session):
        raise store_errors.stray_opening(exchange.id, opened_by)
    if opened_by is None and not exchange.messages:
        raise store_errors.empty(exchange.id)


def _holds(db: SqliteConnection, exchange_id: str | None, session_id: str) -> bool:
    found = None if exchange_id is None else read_rows.header(db, exchange_id)
    return found is not None and found[0].session == session_id


def _add_exchange(
    db: SqliteConnection,
    exchange: Exchange,
    opened_by: str | None,
    count: Counters,
    originals: Mapping[str, bytes],
    *,
    may_be_erased: bool = True,
) -> None:
    db.run("add exchange", exchange_row(exchange, opened_by, len(exchange.messages)))
    count.exchanges += 1
    change_feed.begin(db, exchange, count, may_be_erased=may_be_erased)
    _add_messages(db, exchange, count, originals)


def _extend(db: SqliteConnection, known: tuple[Exchange, str | None, int], news: Exchange) -> None:
    header, opened_by, own = known
    changed = replace(header, state=news.state, mode=news.mode, model=news.model)
    db.run("set exchange", exchange_row(changed, opened_by, own + len(news.messages)))


def _add_messages(
    db: SqliteConnection, exchange: Exchange, count: Counters, originals: Mapping[str, bytes]
) -> None:
    for message in exchange.messages:
        count.seq += 1
        try:
            db.run("add message", message_row(count.seq, exchange.id, message))
        except apsw.ConstraintError:
            if read_rows.owner(db, message.id) is not None:
                raise store_errors.duplicate(message.id) from None
            raise sqlite_errors.damaged(db.path, "the numbers of the log are taken.") from None
        blobs.use(db, blobs.MESSAGE, message.id, blobs.originals_of(originals, message.id))
        count.messages += 1
        count.tokens += message.tokens or 0


def _admit_one(
    db: SqliteConnection,
    given: Transcript,
    exchange: Exchange,
    count: Counters,
    stored: _Stored,
) -> bool:
    session = given.session
    if exchange.session != session.id:
        raise store_errors.wrong_session(exchange.id, session.id)
    if exchange.id in stored.exchanges and read_rows.header(db, exchange.id) is not None:
        return False
    if not exchange.messages:
        raise store_errors.empty(exchange.id)
    if exchange.parent is not None and (session.id, exchange.parent) not in stored.placed:
        if not _holds(db, exchange.parent, session.id):
            raise store_errors.stray_parent(exchange.id, exchange.parent)
        stored.placed.add((session.id, exchange.parent))
    stored.placed.add((session.id, exchange.id))
    first = exchange.messages[0]
    shared = None
    if (
        first.id in stored.messages
        and read_rows.owner(db, first.id) is not None
        and read_rows.message(db, first.id) == first
    ):
        shared = first.id
        exchange = replace(exchange, messages=exchange.messages[1:])
    _add_exchange(db, exchange, shared, count, given.originals, may_be_erased=stored.erased)
    stored.exchanges.add(exchange.id)
    stored.messages.update(message.id for message in exchange.messages)
    return True


def _leads_on(db: SqliteConnection, session: Session, known: Session, added: set[str]) -> bool:
    if session.head is None or read_rows.owner(db, session.head) is None:
        return False
    if known.head is None:
        return True
    step = read_rows.ending(db, session.head)
    if step not in added:
        return False
    ours = read_rows.ending(db, known.head)
    while step is not None and step != ours:
        found = read_rows.header(db, step)
        if found and found[1] == known.head:
            return True  # The answer to a message that had none.
        step = found[0].parent if found else None
    return step is not None
