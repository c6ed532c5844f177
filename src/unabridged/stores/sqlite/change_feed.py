"""Changes since a revision, and the numbers of exchanges; see ``ports.Store.changes``.

Each function runs inside a transaction of the store.
"""

from collections.abc import Iterable, Iterator
from datetime import UTC

from unabridged.domain.changes import Changes
from unabridged.domain.exchange import Exchange
from unabridged.domain.record import RecordKind
from unabridged.errors import StoreDamagedError
from unabridged.stores.sqlite import counters, read_rows
from unabridged.stores.sqlite.counters import Counters
from unabridged.stores.sqlite.database import SqliteConnection
from unabridged.stores.sqlite.rows import checked, column, name_of, sealed, session_mark

ERASED, MOVED, EMBEDDED, SESSION = "erased", "moved", "embedded", "session"


def begin(
    db: SqliteConnection, exchange: Exchange, count: Counters, *, may_be_erased: bool = True
) -> None:
    """Assign a number to a new exchange."""
    count.numbers += 1
    name, at = column(exchange.id), exchange.at
    said_at = (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()
    columns = (count.numbers, name, session_mark(exchange.session), said_at)
    db.run("add number", (*sealed("numbered", columns), count.revision))
    if may_be_erased:
        db.run("remove change", (ERASED, name))


def extend(db: SqliteConnection, name: str, count: Counters) -> None:
    """Note that an exchange was written; remove its old vectors."""
    db.run("remove vectors of", (number_of(db, name),))
    db.run("set revision", (count.revision, column(name)))


def erase(db: SqliteConnection, name: str, count: Counters) -> None:
    """Note that an exchange was removed."""
    row = db.one("number of an exchange", (column(name),))
    if row is not None:
        db.run("remove vectors of", (row[0],))
        db.run("remove number", (row[0],))
    for what in (MOVED, EMBEDDED):
        db.run("remove change", (what, column(name)))
    note(db, ERASED, name, count)


def note(db: SqliteConnection, what: str, name: str, count: Counters) -> None:
    """Note another change."""
    db.run("set change", (what, column(name), count.revision))


def number_of(db: SqliteConnection, name: str) -> int | None:
    """Return the number of an exchange, or None."""
    row = db.one("number of an exchange", (column(name),))
    return None if row is None else int(checked("numbered", row, db.path)[0])


def changes(db: SqliteConnection, since: int | None) -> Changes:
    """Return the changes since a revision."""
    count = counters.load(db)
    if since == count.revision:
        return Changes(since)
    full = since is None or since > count.revision
    start = -1 if full or since is None else since
    rows = db.rows("written since", (start,))
    written = [checked("numbered", row, db.path) for row in rows]
    found: dict[str, list[str]] = {what: [] for what in (ERASED, MOVED, EMBEDDED, SESSION)}
    for what, name in db.rows("changed since", (start,)):
        found[what].append(name_of(name))
    known = {str(kind) for kind in RecordKind}
    kinds = [kind for kind, at in count.changes.items() if at > start and kind in known]
    return Changes(
        revision=count.revision,
        written=tuple([name_of(row[1]) for row in written]),
        numbers=tuple([row[0] for row in written]),
        erased=tuple(found[ERASED]),
        moved=tuple(found[MOVED]),
        embedded=tuple(found[EMBEDDED]),
        sessions=frozenset(found[SESSION]),
        kinds=frozenset(map(RecordKind, kinds)),
        full=full,
    )


def flaws(db: SqliteConnection) -> Iterator[str]:
    """Yield every mismatch with the exchanges, as text."""
    for row in db.rows("all numbers"):
        checked("numbered", row, db.path)
    without, stray = _unfit(db)
    for names, what in (
        (without, "exchanges have no number"),
        (stray, "numbers have no exchange"),
    ):
        if names:
            yield f"{db.path}: {len(names)} {what}; rebuild it."


def repair(db: SqliteConnection, count: Counters) -> None:
    """Number every exchange that has no number; remove damaged and stray rows."""
    for row in db.rows("all numbers"):
        try:
            checked("numbered", row, db.path)
        except StoreDamagedError:
            db.run("remove number", (row[0],))
    without, stray = _unfit(db)
    for number in stray:
        db.run("remove number", (number,))
    rows = db.rows("all numbers")
    count.numbers = max([count.numbers, *[row[0] for row in rows[-1:]]])
    for name in without:
        found = read_rows.header(db, name)
        if found is not None:
            begin(db, found[0], count)


def _unfit(db: SqliteConnection) -> tuple[list[str], list[int]]:
    without = [name_of(name) for (name,) in db.rows("exchanges without number")]
    return without, [number for (number,) in db.rows("numbers without exchange")]


def embedded(db: SqliteConnection, names: Iterable[str], count: Counters) -> None:
    """Note that vectors of exchanges were stored."""
    for name in names:
        note(db, EMBEDDED, name, count)
