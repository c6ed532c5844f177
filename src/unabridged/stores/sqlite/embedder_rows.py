"""Whose vectors a space is searched with, and what is stored of them as bytes.

Each function runs inside a transaction that the store opened.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from unabridged.domain.vectors import EmbedderInUse
from unabridged.errors import StoreError
from unabridged.stores.json_codec import pack
from unabridged.stores.sqlite import change_feed, counters
from unabridged.stores.sqlite.database import SqliteConnection
from unabridged.stores.sqlite.rows import Row, checked, column, name_of, sealed

NOBODY = -1
"""The number of an embedder that has none."""


@dataclass(frozen=True, slots=True)
class Kept:
    """An embedder whose vectors a file holds, or is searched with.

    Attributes:
        number: By which its vectors are kept.
        stored: Whether its vectors are stored.
    """

    number: int
    identity: str
    dimension: int
    in_use: bool
    stored: bool = True


def known(db: SqliteConnection) -> list[Kept]:
    """Every embedder of the file."""
    rows = [checked("embedder", row, db.path) for row in db.rows("embedders")]
    return [Kept(row[0], name_of(row[1]), row[2], bool(row[3]), bool(row[4])) for row in rows]


def in_use(db: SqliteConnection) -> EmbedderInUse | None:
    """The embedder whose vectors searches use, or None."""
    kept = next((kept for kept in known(db) if kept.in_use), None)
    return None if kept is None else EmbedderInUse(kept.identity, kept.dimension, kept.stored)


def of(db: SqliteConnection, identity: str) -> Kept | None:
    """An embedder by its identity, or None."""
    return next((kept for kept in known(db) if kept.identity == identity), None)


def keep(db: SqliteConnection, kept: Kept) -> None:
    """Write an embedder down."""
    columns = (
        kept.number,
        column(kept.identity),
        kept.dimension,
        int(kept.in_use),
        int(kept.stored),
    )
    db.run("set embedder", sealed("embedder", columns))


def admit(
    db: SqliteConnection, identity: str, dimension: int, *, use: bool, stored: bool = True
) -> Kept:
    """Begin to keep an embedder's vectors."""
    number = 1 + max((kept.number for kept in known(db)), default=0)
    kept = Kept(number, identity, dimension, use, stored)
    keep(db, kept)
    return kept


def begin(db: SqliteConnection, identity: str, dimension: int) -> None:
    """Search with an embedder whose vectors are not stored, if none is in use."""
    if in_use(db) is None:
        admit(db, identity, dimension, use=True, stored=False)
        counters.save(db, counters.begin(db))


def switch(db: SqliteConnection, identity: str, *, stored: bool) -> None:
    """Search with other vectors; see ``ports.SupportsVectors``."""
    count = counters.begin(db)
    counters.save(db, count)
    if not count.exchanges:
        for kept in known(db):
            drop(db, kept)
        return
    chosen = of(db, identity)
    lacks = lacking(db, identity, 1, None)
    if lacks:
        raise StoreError(
            f"Exchange {lacks[0]!r} has not been embedded by {identity!r} yet.",
            hint="Embed the rest first: unabridged reembed goes on where it stopped.",
        )
    if chosen is None:
        raise StoreError(f"There is nothing embedded by {identity!r}.", hint="Embed first.")
    for kept in known(db):
        if kept.number != chosen.number:
            drop(db, kept)
    keep(db, replace(chosen, in_use=True, stored=stored))
    if not stored:
        db.run("clear vectors", (chosen.number,))


def lacking(db: SqliteConnection, identity: str, limit: int, after: str | None) -> list[str]:
    """The exchanges that have no kept vectors of an embedder, in the order of their ids."""
    kept = of(db, identity)
    if kept is not None and not kept.stored:
        return []
    number = NOBODY if kept is None else kept.number
    rows = db.rows("exchanges without vectors", (number, column(after or ""), max(limit, 0)))
    return [name_of(name) for (name,) in rows]


def packed(db: SqliteConnection, identity: str, ids: Iterable[str]) -> dict[str, bytes]:
    """Vectors that are kept, as they are packed; see ``ports.SupportsVectors``."""
    kept = of(db, identity)
    if kept is None:
        return {}
    named = {change_feed.number_of(db, name): name for name in ids}
    numbers = pack([number for number in named if number is not None]).decode()
    rows = [
        checked("vector", row, db.path) for row in db.rows("vectors at", (kept.number, numbers))
    ]
    return {named[number]: bytes(body) for _, number, body in rows}


def drop(db: SqliteConnection, kept: Kept) -> None:
    """Remove everything of an embedder."""
    db.run("clear vectors", (kept.number,))
    db.run("remove centres", (kept.number,))
    db.run("remove embedder", (kept.number,))


def centroids(db: SqliteConnection, identity: str) -> bytes | None:
    """The packed cluster centroids among an embedder's vectors, or None."""
    kept = of(db, identity)
    row = None if kept is None else db.one("centres", (kept.number,))
    return None if row is None else bytes(checked("centres", row, db.path)[1])


def put_centroids(db: SqliteConnection, identity: str, centroids: bytes) -> None:
    """Keep centroids."""
    kept = of(db, identity)
    if kept is not None:
        db.run("set centres", sealed("centres", (kept.number, centroids)))
        counters.save(db, counters.begin(db))


def repair(db: SqliteConnection) -> None:
    """Remove embedders, vectors and centroids that are not what was written."""
    for row in _damaged(db, "embedder", "embedders"):
        drop(db, Kept(row[0], "", 0, in_use=False))
    for row in _damaged(db, "vector", "all vectors"):
        db.run("remove vectors of", (row[1],))
    for row in _damaged(db, "centres", "all centres"):
        db.run("remove centres", (row[0],))


def _damaged(db: SqliteConnection, table: str, statement: str) -> list[Row]:
    found = []
    for row in db.rows(statement):
        try:
            checked(table, row, db.path)
        except StoreError:
            found.append(row)
    return found
