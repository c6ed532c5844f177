"""Whose vectors a space is searched with, and those that are stored because they cost something.

Each function runs inside a transaction that the store opened.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from unabridged.domain.index_query import EmbedderInUse
from unabridged.errors import StoreError
from unabridged.stores.json_codec import pack
from unabridged.stores.sqlite import change_feed, counters, read_rows
from unabridged.stores.sqlite.database import SqliteConnection
from unabridged.stores.sqlite.rows import Row, checked, column, name_of, sealed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

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
            hint="Embed the rest first: unabridged models reembed continues where it stopped.",
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


def put(
    db: SqliteConnection, identity: str, vectors: "Mapping[str, Sequence[NDArray[np.float32]]]"
) -> None:
    """Keep vectors; those of exchanges that are gone or have other passages now are passed over."""
    import numpy as np  # noqa: PLC0415 - slow to import, as what follows, and rarely needed

    from unabridged.index.indexed_exchange import pack_vectors  # noqa: PLC0415 - as above
    from unabridged.retrieval.analyze import as_vectors  # noqa: PLC0415 - as above
    from unabridged.retrieval.passages import passages  # noqa: PLC0415 - as above

    kept = of(db, identity)
    taken: list[str] = []
    for name, exchange in read_rows.get(db, vectors).items():
        found = passages(exchange)
        number = change_feed.number_of(db, name)
        if number is None or len(found) != len(vectors[name]):
            continue
        dimension = kept.dimension if kept else len(vectors[name][0]) if found else 0
        if kept is None and dimension:
            kept = admit(db, identity, dimension, use=in_use(db) is None)
        if kept is None:
            continue
        made = np.asarray(vectors[name], dtype=np.float32)
        if found and made.shape != (len(found), kept.dimension):
            raise StoreError(
                f"Vectors of {identity!r} have {kept.dimension} numbers here, but others came.",
                hint="The model was replaced: embed by another, then by it again, with reembed.",
            )
        made = made.reshape(len(found), kept.dimension)
        columns = (kept.number, number, pack_vectors(as_vectors(found, made)))
        db.run("set vector", sealed("vector", columns))
        taken.append(name)
    count = counters.begin(db)
    change_feed.embedded(db, taken, count)
    counters.save(db, count)


def given(
    db: SqliteConnection, identity: str, ids: Iterable[str]
) -> "dict[str, Sequence[NDArray[np.float32]]]":
    """Return vectors that are kept, as numbers; see ``ports.SupportsVectors``."""
    import numpy as np  # noqa: PLC0415 - as above

    from unabridged.index.indexed_exchange import unpack_vectors  # noqa: PLC0415 - as above

    kept = of(db, identity)
    if kept is None:
        return {}
    found: dict[str, Sequence[NDArray[np.float32]]] = {}
    for name, body in packed(db, identity, ids).items():
        held = unpack_vectors(body, kept.dimension)
        numbers = held.codes.astype(np.float32) * held.scales[:, None]
        found[name] = list(numbers.astype(np.float32))
    return found


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
