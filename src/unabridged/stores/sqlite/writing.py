"""What is written to the log. Each runs inside a write transaction that the store opened."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import apsw

from unabridged.domain.batch import Batch
from unabridged.domain.exchange import Exchange
from unabridged.domain.record import Record, RecordKind
from unabridged.domain.session import Session
from unabridged.errors import HeadMovedError
from unabridged.stores import refusals
from unabridged.stores.sqlite import archiving, change_feed, faults, reading, tally
from unabridged.stores.sqlite.database import Database
from unabridged.stores.sqlite.rows import (
    column,
    exchange_row,
    message_row,
    record_row,
    session_row,
)
from unabridged.stores.sqlite.tally import Tally


def append(db: Database, batch: Batch, expect_head: str | None) -> bool:
    """Write a batch, and tell whether its exchange is new; see ``ports.Store``."""
    session, exchange = batch.session, batch.exchange
    count = tally.begin(db)
    stored = _expect(db, session.id, expect_head, count)
    known = reading.header(db, exchange.id)
    if exchange.session != session.id or (known and known[0].session != session.id):
        raise refusals.wrong_session(exchange.id, session.id)
    if known is None:
        _check_new(db, exchange, batch.opened_by)
        _add_exchange(db, exchange, batch.opened_by, count)
    else:
        _extend(db, known, exchange)
        _add_messages(db, exchange, count)
        change_feed.extend(db, exchange.id, count)
    if not exchange.messages or session.head != exchange.messages[-1].id:
        check_head(db, session)
    _set_session(db, session, count)
    archiving.follow(db, stored, session)
    put(db, batch.records, count)
    tally.save(db, count)
    return known is None


def admit(db: Database, session: Session, exchanges: Sequence[Exchange]) -> list[str]:
    """Take over a conversation and give the ids of what was new; see ``ports.Store``."""
    count = tally.begin(db)
    known = reading.session(db, session.id)
    added = [exchange.id for exchange in exchanges if _admit_one(db, session, exchange, count)]
    if known is None:
        check_head(db, session)
        count.sessions += 1
        _set_session(db, session, count)
        archiving.follow(db, None, session)
    elif added:
        head = session.head if _leads_on(db, session, known, set(added)) else known.head
        updated = max(known.updated, session.updated)
        _set_session(db, replace(known, head=head, updated=updated), count)
    else:
        return []
    tally.save(db, count)
    return added


def amend(db: Database, session: Session, expect_head: str | None) -> None:
    """Write a header; see ``ports.Store``."""
    count = tally.begin(db)
    known = _expect(db, session.id, expect_head, count)
    check_head(db, session)
    _set_session(db, session, count)
    archiving.follow(db, known, session)
    tally.save(db, count)


def put(db: Database, records: Iterable[Record], count: Tally) -> None:
    """Write records; see ``ports.Store``."""
    for record in records:
        if not all(db.one("is exchange", (column(name),)) for name in record.exchanges):
            continue
        remove_record(db, record.kind, record.id, count)
        cursor = db.run("add record", record_row(record))
        row = cursor.connection.last_insert_rowid()
        for exchange_id in record.exchanges:
            db.run("add lineage", (column(exchange_id), row))
        count.record_changed(str(record.kind), 1)


def remove_record(db: Database, kind: RecordKind, record_id: str, count: Tally) -> None:
    """Remove a record, if it is there."""
    row = db.one("record row", (str(kind), column(record_id)))
    if row is not None:
        remove_record_row(db, row[0], str(kind), count)


def remove_record_row(db: Database, row: int, kind: str, count: Tally) -> None:
    """Remove the record of a row, and what says where it was drawn from."""
    db.run("remove lineage", (row,))
    db.run("remove record", (row,))
    count.record_changed(kind, -1)


def check_head(db: Database, session: Session) -> None:
    """Refuse a head that is no message of the session."""
    if session.head is None:
        return
    if not _holds(db, reading.owner(db, session.head), session.id):
        raise refusals.stray_head(session.id, session.head)


def _set_session(db: Database, session: Session, count: Tally) -> None:
    db.run("set session", session_row(session))
    change_feed.note(db, change_feed.SESSION, session.id, count)


def _expect(db: Database, session_id: str, expect_head: str | None, count: Tally) -> Session | None:
    """Refuse a head that moved; count a session that is new. Gives the header as it is stored."""
    known = reading.session(db, session_id)
    found = known.head if known else None
    if found != expect_head:
        raise HeadMovedError(session_id, expect_head, found)
    count.sessions += known is None
    return known


def _check_new(db: Database, exchange: Exchange, opened_by: str | None) -> None:
    if exchange.parent is not None and not _holds(db, exchange.parent, exchange.session):
        raise refusals.stray_parent(exchange.id, exchange.parent)
    if opened_by is not None and not _holds(db, reading.owner(db, opened_by), exchange.session):
        raise refusals.stray_opening(exchange.id, opened_by)
    if opened_by is None and not exchange.messages:
        raise refusals.empty(exchange.id)


def _holds(db: Database, exchange_id: str | None, session_id: str) -> bool:
    found = None if exchange_id is None else reading.header(db, exchange_id)
    return found is not None and found[0].session == session_id


def _add_exchange(db: Database, exchange: Exchange, opened_by: str | None, count: Tally) -> None:
    db.run("set exchange", exchange_row(exchange, opened_by, len(exchange.messages)))
    count.exchanges += 1
    change_feed.begin(db, exchange, count)
    _add_messages(db, exchange, count)


def _extend(db: Database, known: tuple[Exchange, str | None, int], news: Exchange) -> None:
    header, opened_by, own = known
    changed = replace(header, state=news.state, mode=news.mode, model=news.model)
    db.run("set exchange", exchange_row(changed, opened_by, own + len(news.messages)))


def _add_messages(db: Database, exchange: Exchange, count: Tally) -> None:
    for message in exchange.messages:
        count.seq += 1
        try:
            db.run("add message", message_row(count.seq, exchange.id, message))
        except apsw.ConstraintError:
            if reading.owner(db, message.id) is not None:
                raise refusals.duplicate(message.id) from None
            raise faults.damaged(db.path, "the numbers of the log are taken.") from None
        count.messages += 1
        count.tokens += message.tokens or 0


def _admit_one(db: Database, session: Session, exchange: Exchange, count: Tally) -> bool:
    if exchange.session != session.id:
        raise refusals.wrong_session(exchange.id, session.id)
    if reading.header(db, exchange.id) is not None:
        return False
    if not exchange.messages:
        raise refusals.empty(exchange.id)
    if exchange.parent is not None and not _holds(db, exchange.parent, session.id):
        raise refusals.stray_parent(exchange.id, exchange.parent)
    first = exchange.messages[0]
    shared = None
    if reading.owner(db, first.id) is not None and reading.message(db, first.id) == first:
        shared = first.id
        exchange = replace(exchange, messages=exchange.messages[1:])
    _add_exchange(db, exchange, shared, count)
    return True


def _leads_on(db: Database, session: Session, known: Session, added: set[str]) -> bool:
    """Tell whether the head that came lies behind the one we have, on an exchange just added."""
    if session.head is None or reading.owner(db, session.head) is None:
        return False
    if known.head is None:
        return True
    step = reading.ending(db, session.head)
    if step not in added:
        return False
    ours = reading.ending(db, known.head)
    while step is not None and step != ours:
        found = reading.header(db, step)
        if found and found[1] == known.head:
            return True  # The answer to a message that had none.
        step = found[0].parent if found else None
    return step is not None
