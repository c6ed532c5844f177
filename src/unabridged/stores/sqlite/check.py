"""Check a file, and rebuild its indexes from the rows."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace

from unabridged.errors import StoreDamagedError, StoreError
from unabridged.stores.json_codec import unpack
from unabridged.stores.sqlite import blobs, change_feed, counters, read_rows, verify_file
from unabridged.stores.sqlite.counters import Counters
from unabridged.stores.sqlite.database import SqliteConnection
from unabridged.stores.sqlite.rows import checked, column, message_of

_PAGE = 500


def check(db: SqliteConnection) -> list[str]:
    """Return every damage of pages, rows, digests, counters and index entries."""
    return [
        said
        for look in (_pages, _rows, _lineage, blobs.flaws, change_feed.flaws, _chain)
        for said in _said(db, look)
    ]


def _said(db: SqliteConnection, look: Callable[[SqliteConnection], Iterator[str]]) -> list[str]:
    found: list[str] = []
    try:
        with db.translated():
            found.extend(look(db))
    except StoreError as error:
        found.append(str(error))
    return found


def _pages(db: SqliteConnection) -> Iterator[str]:
    for (said,) in db.rows("quick check"):
        if said != "ok":
            yield f"{db.path}: {said}"


def _rows(db: SqliteConnection) -> Iterator[str]:
    count = Counters(records={})
    kept = counters.load(db)
    for name in ("space", "uuid", "generation"):
        try:
            read_rows.meta(db, name)
        except StoreDamagedError as error:
            yield str(error)
    try:
        count.sessions = len(read_rows.sessions(db, None))
    except StoreDamagedError as error:
        yield str(error)
    yield from _exchanges(db, count)
    for row in db.rows("messages from", (-1,)):
        try:
            message = message_of(row, db.path)
        except StoreDamagedError as error:
            yield str(error)
            continue
        count.messages += 1
        count.tokens += message.tokens or 0
    for row in db.rows("all records"):
        try:
            kind = checked("record", row[1:], db.path)[0]
        except StoreDamagedError as error:
            yield str(error)
            continue
        count.records[kind] = count.records.get(kind, 0) + 1
    yield from _differences(db, kept, count)


def _exchanges(db: SqliteConnection, count: Counters) -> Iterator[str]:
    rows = db.rows("exchanges from the first", (_PAGE,))
    while rows:
        for row in rows:
            count.exchanges += 1
            try:
                exchange = read_rows.whole(db, row)
                if exchange.parent and read_rows.header(db, exchange.parent) is None:
                    yield f"{db.path}: exchange {exchange.id!r} follows a missing one."
            except StoreDamagedError as error:
                yield str(error)
        rows = db.rows("exchanges after", (rows[-1][0], _PAGE))


def _differences(db: SqliteConnection, kept: Counters, found: Counters) -> Iterator[str]:
    for name in ("sessions", "exchanges", "messages", "tokens"):
        if getattr(kept, name) != getattr(found, name):
            yield f"{db.path}: {getattr(kept, name)} {name} counted, but {getattr(found, name)} found."
    held = {kind: number for kind, number in kept.records.items() if number}
    if held != found.records:
        yield f"{db.path}: {held} records counted, but {found.records} found."


def _lineage(db: SqliteConnection) -> Iterator[str]:
    wanted: Counter[tuple[str | bytes | None, int]] = Counter()
    for row in db.rows("all records"):
        for name in set(unpack(checked("record", row[1:], db.path)[4])):
            wanted[column(name), row[0]] += 1
    if wanted != Counter((name, row) for name, row in db.rows("lineage")):
        yield f"{db.path}: the index of the records' exchanges is wrong; rebuild it."


def _chain(db: SqliteConnection) -> Iterator[str]:
    if db.mac_key is not None:
        yield from verify_file.flaws(db, db.mac_key)


def rebuild(db: SqliteConnection) -> None:
    """Rebuild every counter and index within the file from the rows."""
    kept = counters.load(db) if db.one("tally") else Counters()
    count = replace(kept, exchanges=0, sessions=0, messages=0, tokens=0, records={})
    db.run("reindex")
    for row in db.rows("messages from", (-1,)):
        message = message_of(row, db.path)
        count.messages += 1
        count.tokens += message.tokens or 0
        count.seq = max(count.seq, row[0])
    count.exchanges = (db.one("how many exchanges") or (0,))[0]
    count.sessions = len(db.rows("sessions", (-1,)))
    db.run("clear lineage")
    for row in db.rows("all records"):
        columns = checked("record", row[1:], db.path)
        count.records[columns[0]] = count.records.get(columns[0], 0) + 1
        for name in unpack(columns[4]):
            db.run("add lineage", (column(name), row[0]))
    blobs.rebuild(db)
    count.revision += 1
    change_feed.repair(db, count)
    counters.save(db, count)
