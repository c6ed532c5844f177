"""Forgetting: an exchange goes with every index entry and record, and what followed it moves up."""

from collections.abc import Iterable
from dataclasses import replace

from unabridged.domain.exchange import Exchange
from unabridged.domain.message import Message
from unabridged.domain.record import RecordKind
from unabridged.stores.forgetting import bears_title
from unabridged.stores.sqlite import change_feed, faults, reading, tally, writing
from unabridged.stores.sqlite.database import Database
from unabridged.stores.sqlite.rows import (
    Row,
    column,
    exchange_of,
    exchange_row,
    message_of,
    message_row,
    sealed,
    session_row,
    text_of,
)
from unabridged.stores.sqlite.seal import prove_row
from unabridged.stores.sqlite.tally import Tally


def forget(db: Database, ids: Iterable[str]) -> list[str]:
    """Remove exchanges and give the ids of those that were there; see ``ports.Store``."""
    db.known.clear()
    count = tally.begin(db)
    gone: dict[str, Exchange] = {}
    for exchange_id in dict.fromkeys(ids):
        found = reading.header(db, exchange_id)
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
        count.sessions -= not _mend_session(db, session_id, gone, lost, count)
    tally.save(db, count)
    return list(gone)


def _remove_records(db: Database, exchange_id: str, count: Tally) -> None:
    for (row,) in db.rows("records drawn from", (column(exchange_id),)):
        found = db.one("record by row", (row,))
        if found is not None:
            writing.remove_record_row(db, row, found[0], count)
    writing.remove_record(db, RecordKind.CONTEXT, exchange_id, count)


def _bequeath(db: Database, row: Row) -> bool:
    """Give a message to a surviving exchange that shares it, if there is one."""
    heir = db.one("exchanges sharing a message", (row[1],))
    if heir is None:
        return False
    message = message_of(row, db.path)
    found = reading.header(db, text_of(heir[0]))
    if found is None:
        raise faults.damaged(db.path, f"exchange {heir[0]!r} is gone.")
    header, _, own = found
    db.run("set exchange", exchange_row(header, None, own + 1))
    _rewrite(db, row, header.id, message)
    return True


def _lose(db: Database, row: Row, count: Tally) -> Message:
    message = message_of(row, db.path)
    db.run("remove message", (row[0],))
    count.messages -= 1
    count.tokens -= message.tokens or 0
    return message


def _rewrite(db: Database, old: Row, exchange_id: str, message: Message) -> None:
    """Give a message another place; its content stays as it lies there, compressed or not."""
    columns = message_row(old[0], exchange_id, message)[:-2]
    row = sealed("message", (*columns, old[-2]))
    db.run("move message", (row[2], row[3], row[-1], row[0]))


def _mend_session(
    db: Database,
    session_id: str,
    gone: dict[str, Exchange],
    lost: dict[str, Message],
    count: Tally,
) -> bool:
    """Lift what followed the forgotten, mend the header; tell whether the session is still there."""
    rows = db.rows("exchanges of a session", (column(session_id),))
    header = reading.session(db, session_id)
    if header is None:
        raise faults.damaged(db.path, f"session {session_id!r} is gone.")
    change_feed.note(db, change_feed.SESSION, session_id, count)
    if not rows:
        db.run("remove session", (column(session_id),))
        return False
    lifted = {text_of(row[0]) for row in rows if _lift(db, row, gone, lost)}
    for name in sorted(lifted):
        change_feed.note(db, change_feed.MOVED, name, count)
    head = _before(header.head, lost)
    if head is None and header.head is not None:
        newest = reading.exchange(db, text_of(rows[-1][0]))
        head = newest.messages[-1].id if newest else None
    title = "" if bears_title(header.title, lost.values()) else header.title
    db.run("set session", session_row(replace(header, head=head, title=title)))
    return True


def _lift(db: Database, row: Row, gone: dict[str, Exchange], lost: dict[str, Message]) -> bool:
    """Let an exchange follow what is left; tell whether it follows another one now."""
    prove_row(db, db.signet, "exchange", row)
    header, opened_by, own = exchange_of(row, db.path)
    parent = header.parent
    while parent is not None and parent in gone:
        parent = gone[parent].parent
    if parent != header.parent:
        db.run("set exchange", exchange_row(replace(header, parent=parent), opened_by, own))
    for found in db.rows("messages of an exchange", (row[0],)):
        if text_of(found[3]) in lost:
            message = message_of(found, db.path)
            lifted = replace(message, parent=_before(message.parent, lost))
            _rewrite(db, found, header.id, lifted)
    return parent != header.parent


def _before(message_id: str | None, lost: dict[str, Message]) -> str | None:
    """Give the last message at or before this one that was not lost."""
    while message_id is not None and message_id in lost:
        message_id = lost[message_id].parent
    return message_id
