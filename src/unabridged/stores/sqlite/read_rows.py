"""Reads from the log. Each function runs inside a transaction of the store."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from operator import itemgetter
from typing import Any

from unabridged.domain.exchange import Exchange
from unabridged.domain.message import Message
from unabridged.domain.record import Record, RecordKind
from unabridged.domain.session import Session
from unabridged.log.iterate import parents_first
from unabridged.stores.json_codec import pack, unpack
from unabridged.stores.sqlite import blobs, counters, sqlite_errors
from unabridged.stores.sqlite.database import SqliteConnection
from unabridged.stores.sqlite.read_cache import CachedRows
from unabridged.stores.sqlite.rows import (
    Row,
    checked,
    column,
    exchange_of,
    message_of,
    name_of,
    prove_row,
    record_of,
    session_of,
    text_of,
)
from unabridged.stores.sqlite.verify_rows import links_of, prove, prove_stretch

_ALL = -1


def session(db: SqliteConnection, session_id: str) -> Session | None:
    """Return one header, or None."""
    row = db.one("session", (column(session_id),))
    if row is None:
        return None
    prove_row(db.path, db.mac_key, "session", row)
    return session_of(row, db.path)


def sessions(db: SqliteConnection, newest: int | None) -> list[Session]:
    """Return headers, the most recently updated first."""
    limit = _ALL if newest is None else max(newest, 0)
    rows = db.rows("sessions", (limit,))
    for row in rows:
        prove_row(db.path, db.mac_key, "session", row)
    found = [session_of(row, db.path) for row in rows]
    there = counters.load(db).sessions
    if len(found) != (there if newest is None else min(there, limit)):
        raise sqlite_errors.damaged(db.path, f"only {len(found)} of {there} sessions are found.")
    return found


def counts(db: SqliteConnection) -> dict[str, int]:
    """Return the number of exchanges by session, from an index."""
    found = {name_of(name): int(count) for name, count in db.rows("exchanges by session")}
    there = counters.load(db).exchanges
    if sum(found.values()) != there:
        raise sqlite_errors.damaged(
            db.path, f"{sum(found.values())} of {there} exchanges are indexed."
        )
    return found


def kinds(db: SqliteConnection) -> dict[tuple[str, str], int]:
    """Return the number of exchanges by state and model."""
    rows = db.rows("exchanges by state and model")
    return {(name_of(state), name_of(model)): int(count) for state, model, count in rows}


def sizes(db: SqliteConnection) -> dict[str, int]:
    """Return the bytes of content by session, as stored."""
    return {name_of(name): int(size) for name, size in db.rows("sizes of sessions")}


def whole(db: SqliteConnection, row: Row) -> Exchange:
    """Return the exchange of a row with all its messages, not verified by the chain."""
    shared = None if row[3] is None else _message_row(db, row[3])
    return _joined(db, row, db.rows("messages of an exchange", (row[0],)), shared)


def wholes(db: SqliteConnection, rows: Sequence[Row]) -> list[Exchange]:
    """Return the exchanges of rows with all their messages, read at once."""
    messages = _by_owner(db, [row[0] for row in rows])
    return _proven(db, rows, messages, evict=False)[0]  # a scan is of everything, once


def _proven(
    db: SqliteConnection,
    rows: Sequence[Row],
    messages: Mapping[Any, Sequence[Row]],
    *,
    evict: bool = True,
) -> tuple[list[Exchange], dict[int, Row]]:
    shared = {row[3]: _message_row(db, row[3]) for row in rows if row[3] is not None}
    links = links_of(db, chain(chain.from_iterable(messages.values()), shared.values()))
    made_of = [_made_of(row, messages.get(row[0], ()), shared.get(row[3]), links) for row in rows]
    known = {one.header[0]: db.known.of(one) for one in made_of}
    new = [one for one in made_of if known[one.header[0]] is None]
    read: list[Exchange] = []
    for one in new:
        prove_row(db.path, db.mac_key, "exchange", one.header)
        read.append(_joined(db, one.header, one.own, one.shared))
    for one, exchange in zip(new, read, strict=True):
        prove(db, exchange, one.messages, links)
        db.known.keep(one, exchange, evict=evict)
    waiting = iter(read)
    return [known[one.header[0]] or next(waiting) for one in made_of], links


def _made_of(
    header: Row, own: Sequence[Row], shared: Row | None, links: Mapping[int, Row]
) -> CachedRows:
    rows = own if shared is None else (*own, shared)
    return CachedRows(header, tuple(own), shared, tuple([links.get(row[0]) for row in rows]))


def _by_owner(db: SqliteConnection, names: Iterable[Any]) -> dict[Any, list[Row]]:
    plain, odd = _parted(names)
    found = db.rows("messages of exchanges", (plain,))
    for name in odd:
        found += db.rows("messages of an exchange", (name,))
    by_owner: dict[Any, list[Row]] = {}
    for row in sorted(found, key=itemgetter(0)):
        by_owner.setdefault(row[2], []).append(row)
    return by_owner


def _parted(names: Iterable[Any]) -> tuple[str, list[Any]]:
    texts: list[Any] = []
    odd: list[Any] = []
    for name in names:
        held = texts if isinstance(name, str) and "\0" not in name else odd
        held.append(name)
    return pack(texts).decode(), odd


def _joined(db: SqliteConnection, row: Row, rows: Sequence[Row], shared: Row | None) -> Exchange:
    messages = tuple([message_of(found, db.path) for found in rows])
    found, opened_by, own = exchange_of(row, db.path, messages)
    if len(messages) != own or any(held[2] != row[0] for held in rows):
        raise sqlite_errors.damaged(db.path, f"exchange {found.id!r} lacks messages.")
    if opened_by is None or shared is None:
        return found
    return exchange_of(row, db.path, (message_of(shared, db.path), *messages))[0]


def message(db: SqliteConnection, message_id: str) -> Message:
    """Return a message that must exist."""
    return message_of(_message_row(db, column(message_id)), db.path)


def _message_row(db: SqliteConnection, name: Any) -> Row:
    row = db.one("message", (name,))
    if row is None:
        raise sqlite_errors.damaged(db.path, f"message {text_of(name)!r} is missing.")
    return row


def get(db: SqliteConnection, ids: Iterable[str]) -> dict[str, Exchange]:
    """Return exchanges by id, in the order asked for; unknown ids are skipped."""
    names = {name: column(name) for name in ids}
    rows = _headers(db, names.values())
    messages = _by_owner(db, names.values())
    for name, key in names.items():
        if key in messages and key not in rows:
            raise sqlite_errors.damaged(
                db.path, f"exchange {name!r} is missing, but its messages exist."
            )
    wanted = {name: rows[key] for name, key in names.items() if key in rows}
    found, _ = _proven(db, list(wanted.values()), messages)
    return dict(zip(wanted, found, strict=True))


def exchange(db: SqliteConnection, exchange_id: str) -> Exchange | None:
    """Return one exchange, or None if the id is unknown."""
    return get(db, [exchange_id]).get(exchange_id)


def _headers(db: SqliteConnection, names: Iterable[Any]) -> dict[Any, Row]:
    plain, odd = _parted(names)
    rows = db.rows("exchanges", (plain,))
    for name in odd:
        rows += db.rows("exchange", (name,))
    return {row[0]: row for row in rows}


def possible(db: SqliteConnection, statement: str, names: Iterable[str]) -> set[str]:
    """Those of ids that are stored, asked for at once, and those that cannot be asked for so.

    Args:
        db: The connection.
        statement: ``ids of exchanges`` or ``ids of messages``.
        names: The ids.
    """
    plain, odd = _parted(map(column, names))
    return {name_of(name) for (name,) in db.rows(statement, (plain,))} | set(map(name_of, odd))


def owner(db: SqliteConnection, message_id: str) -> str | None:
    """Return the exchange of a message, or None if the id is unknown."""
    row = db.one("owner of a message", (column(message_id),))
    return None if row is None else name_of(row[0])


def header(db: SqliteConnection, exchange_id: str) -> tuple[Exchange, str | None, int] | None:
    """Return an exchange without messages, its shared message, and their number; or None."""
    row = db.one("exchange", (column(exchange_id),))
    if row is None:
        return None
    prove_row(db.path, db.mac_key, "exchange", row)
    return exchange_of(row, db.path)


def ending(db: SqliteConnection, head: str) -> str | None:
    """Return the exchange of a head: the newest one that ends with it, else its owner."""
    of = owner(db, head)
    if of is None:
        return None
    sharing = [name_of(row[0]) for row in db.rows("exchanges sharing a message", (column(head),))]
    for exchange_id in sorted([of, *sharing], reverse=True):
        last = db.one("last message of an exchange", (column(exchange_id),))
        if (head if last is None else text_of(last[0])) == head:
            return exchange_id
    return of


def recent(db: SqliteConnection, session_id: str, limit: int, before: str | None) -> list[Exchange]:
    """Return the last exchanges of the session's path, oldest first."""
    found = session(db, session_id)
    if found is None or limit < 1:
        return []
    if before is None:
        start = None if found.head is None else ending(db, found.head)
        if start is None and found.head is not None:
            raise sqlite_errors.damaged(db.path, f"the head of session {session_id!r} is missing.")
    else:
        known = header(db, before)
        start = known[0].parent if known and known[0].session == session_id else None
    if start is None:
        return []
    return _stretch(db, session_id, _path(db, start, limit), to_the_end=before is None)[::-1]


def _stretch(
    db: SqliteConnection,
    session_id: str,
    rows: Sequence[Row],
    *,
    to_the_end: bool,
    from_the_first: bool = False,
) -> list[Exchange]:
    exchanges, links = _proven(db, rows, _by_owner(db, [row[0] for row in rows]))
    prove_stretch(db, session_id, links, to_the_end=to_the_end, from_the_first=from_the_first)
    return exchanges


def _path(db: SqliteConnection, start: str, limit: int) -> list[Row]:
    bound = min(limit, counters.load(db).exchanges)
    names = db.rows("path upwards", (column(start), bound))
    if not names or (names[-1][1] is not None and len(names) < bound):
        raise sqlite_errors.damaged(db.path, f"the path from exchange {start!r} is broken.")
    rows = _headers(db, [name for name, _ in names])
    wanted = [column(start), *[parent for _, parent in names]]
    if any(
        name not in rows or name != next_ for (name, _), next_ in zip(names, wanted, strict=False)
    ):
        raise sqlite_errors.damaged(db.path, f"the path from exchange {start!r} leads elsewhere.")
    return [rows[name] for name, _ in names]


def scan(db: SqliteConnection, after: str | None, limit: int) -> list[Exchange]:
    """Return exchanges in the order of their ids."""
    bound = max(limit, 0)
    if after is None:
        rows = db.rows("exchanges from the first", (bound,))
    else:
        rows = db.rows("exchanges after", (column(after), bound))
    if len(rows) < bound:
        _all_there(db)
    return wholes(db, rows)


def exchanges_of(db: SqliteConnection, session_id: str) -> list[Exchange]:
    """Return every exchange of a session, parents before children."""
    rows = db.rows("exchanges of a session", (column(session_id),))
    every = _stretch(db, session_id, rows, to_the_end=True, from_the_first=True)
    found = parents_first(every)
    if len(found) < len(every):
        raise sqlite_errors.damaged(db.path, f"the exchanges of {session_id!r} form a cycle.")
    return found


def _all_there(db: SqliteConnection) -> None:
    row = db.one("how many exchanges lie there")
    there = counters.load(db).exchanges
    if row is None or row[0] != there:
        raise sqlite_errors.damaged(
            db.path, f"only {row and row[0]} of {there} exchanges are found."
        )


def records(
    db: SqliteConnection, kind: RecordKind, ids: Sequence[str] | None, newest: int | None
) -> list[Record]:
    """Return records of a kind in the order of their ids."""
    if ids is not None:
        return _records_of(db, kind, ids, newest)
    limit = _ALL if newest is None else max(newest, 0)
    rows = db.rows("newest records", (str(kind), limit))
    there = counters.load(db).records.get(str(kind), 0)
    if len(rows) != (there if newest is None else min(there, limit)):
        raise sqlite_errors.damaged(
            db.path, f"only {len(rows)} of {there} {kind} records are found."
        )
    for row in rows:
        prove_row(db.path, db.mac_key, "record", row)
    return _with_blobs(db, [record_of(row, db.path) for row in reversed(rows)])


def _records_of(
    db: SqliteConnection, kind: RecordKind, ids: Iterable[str], newest: int | None
) -> list[Record]:
    plain, odd = _parted(map(column, dict.fromkeys(ids)))
    rows = db.rows("records", (str(kind), plain))
    for name in odd:
        rows += db.rows("record", (str(kind), name))
    for row in rows:
        prove_row(db.path, db.mac_key, "record", row)
    found = sorted((record_of(row, db.path) for row in rows), key=lambda one: one[0].id)
    if newest is not None:
        found = found[max(len(found) - newest, 0) :] if newest > 0 else []
    return _with_blobs(db, found)


def _with_blobs(db: SqliteConnection, found: Sequence[tuple[Record, list[str]]]) -> list[Record]:
    held = blobs.known(db, chain.from_iterable(names for _, names in found))
    return [
        replace(record, blobs=tuple(held[name] for name in names)) if names else record
        for record, names in found
    ]


def meta(db: SqliteConnection, name: str) -> Any:
    """Return a value of the file's metadata."""
    row = db.one("meta", (name,))
    if row is None:
        raise sqlite_errors.damaged(db.path, f"its metadata lacks {name!r}.")
    return unpack(checked("meta", row, db.path)[1])
