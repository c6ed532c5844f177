"""Remove exchanges with all index entries and records, and relink their successors."""

from collections.abc import Iterable
from dataclasses import replace

from unabridged.domain.exchange import Exchange
from unabridged.domain.message import Message, nearest_left
from unabridged.domain.record import RecordKind
from unabridged.domain.session import bears_title
from unabridged.stores.sqlite import (
    blobs,
    change_feed,
    counters,
    read_rows,
    sqlite_errors,
    write_rows,
)
from unabridged.stores.sqlite.counters import Counters
from unabridged.stores.sqlite.database import SqliteConnection
from unabridged.stores.sqlite.rows import (
    Row,
    column,
    exchange_of,
    exchange_row,
    message_of,
    message_row,
    prove_row,
    sealed,
    session_row,
    text_of,
)


def erase(db: SqliteConnection, ids: Iterable[str]) -> list[str]:
    """Remove exchanges; return the ids of those that existed. See ``ports.Store``."""
    db.known.clear()
    count = counters.begin(db)
    gone: dict[str, Exchange] = {}
    for exchange_id in dict.fromkeys(ids):
        found = read_rows.header(db, exchange_id)
        if found is not None:
            gone[exchange_id] = found[0]
            _remove_records(db, exchange_id, count)
            db.run("remove exchange", (column(exchange_id),))
            change_feed.erase(db, exchange_id, count)
            count.exchanges -= 1
    lost: dict[str, Message] = {}
    for exchange_id in gone:
        for row in db.rows("messages of an exchange", (column(exchange_id),)):
            if not _bequeath(db, row):
                message = _lose(db, row, count)
                lost[message.id] = message
    for session_id in {exchange.session for exchange in gone.values()}:
        count.sessions -= not _repair_session(db, session_id, gone, lost, count)
    counters.save(db, count)
    return list(gone)


def _remove_records(db: SqliteConnection, exchange_id: str, count: Counters) -> None:
    for (row,) in db.rows("records drawn from", (column(exchange_id),)):
        found = db.one("record by row", (row,))
        if found is not None:
            kind, name = RecordKind(found[0]), text_of(found[1])
            write_rows.remove_record_row(db, row, kind, name, count)
    write_rows.remove_record(db, RecordKind.CONTEXT, exchange_id, count)


def _bequeath(db: SqliteConnection, row: Row) -> bool:
    heir = db.one("exchanges sharing a message", (row[1],))
    if heir is None:
        return False
    message = message_of(row, db.path)
    found = read_rows.header(db, text_of(heir[0]))
    if found is None:
        raise sqlite_errors.damaged(db.path, f"exchange {heir[0]!r} is missing.")
    header, _, own = found
    db.run("set exchange", exchange_row(header, None, own + 1))
    _rewrite(db, row, header.id, message)
    return True


def _lose(db: SqliteConnection, row: Row, count: Counters) -> Message:
    message = message_of(row, db.path)
    db.run("remove message", (row[0],))
    blobs.release(db, blobs.MESSAGE, message.id)
    count.messages -= 1
    count.tokens -= message.tokens or 0
    return message


def _rewrite(db: SqliteConnection, old: Row, exchange_id: str, message: Message) -> None:
    columns = message_row(old[0], exchange_id, message)[:-2]
    row = sealed("message", (*columns, old[-2]))
    db.run("move message", (row[2], row[3], row[-1], row[0]))


def _repair_session(
    db: SqliteConnection,
    session_id: str,
    gone: dict[str, Exchange],
    lost: dict[str, Message],
    count: Counters,
) -> bool:
    rows = db.rows("exchanges of a session", (column(session_id),))
    header = read_rows.session(db, session_id)
    if header is None:
        raise sqlite_errors.damaged(db.path, f"session {session_id!r} is missing.")
    if not rows:
        db.run("remove session", (column(session_id),))
        db.run("remove change", (change_feed.SESSION, column(session_id)))
        return False
    change_feed.note(db, change_feed.SESSION, session_id, count)
    lifted = {text_of(row[0]) for row in rows if _lift(db, row, gone, lost)}
    for name in sorted(lifted):
        change_feed.note(db, change_feed.MOVED, name, count)
    head = nearest_left(header.head, lost)
    if head is None and header.head is not None:
        newest = read_rows.exchange(db, text_of(rows[-1][0]))
        head = newest.messages[-1].id if newest else None
    title = "" if bears_title(header.title, lost.values()) else header.title
    db.run("set session", session_row(replace(header, head=head, title=title)))
    return True


def _lift(
    db: SqliteConnection, row: Row, gone: dict[str, Exchange], lost: dict[str, Message]
) -> bool:
    prove_row(db.path, db.mac_key, "exchange", row)
    header, opened_by, own = exchange_of(row, db.path)
    parent = header.parent
    while parent is not None and parent in gone:
        parent = gone[parent].parent
    if parent != header.parent:
        db.run("set exchange", exchange_row(replace(header, parent=parent), opened_by, own))
    for found in db.rows("messages of an exchange", (row[0],)):
        if text_of(found[3]) in lost:
            message = message_of(found, db.path)
            lifted = replace(message, parent=nearest_left(message.parent, lost))
            _rewrite(db, found, header.id, lifted)
    return parent != header.parent
