"""Whose vectors the index holds, and changing from one embedder to another.

Each function runs inside a transaction that the store opened.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unabridged.errors import StoreError
from unabridged.index.centres import Centres, pack_centres, unpack_centres
from unabridged.index.entry import Vectors, pack_vectors
from unabridged.retrieval.entries import as_vectors
from unabridged.retrieval.passages import passages
from unabridged.stores.sqlite import entries, reading
from unabridged.stores.sqlite.database import Database
from unabridged.stores.sqlite.rows import checked, column, name_of, sealed

NOBODY = -1
"""The number of an embedder that has none."""


@dataclass(frozen=True, slots=True)
class Kept:
    """An embedder whose vectors a file holds.

    Attributes:
        number: By which its vectors are kept.
        identity: Its name and version.
        dimension: Numbers in a vector.
        in_use: Whether searches use its vectors.
    """

    number: int
    identity: str
    dimension: int
    in_use: bool


def known(db: Database) -> list[Kept]:
    """Every embedder of the file."""
    rows = [checked("embedder", row, db.path) for row in db.rows("embedders")]
    return [Kept(row[0], name_of(row[1]), row[2], bool(row[3])) for row in rows]


def in_use(db: Database) -> Kept | None:
    """The embedder whose vectors searches use, or None."""
    return next((kept for kept in known(db) if kept.in_use), None)


def of(db: Database, identity: str) -> Kept | None:
    """An embedder by its identity, or None."""
    return next((kept for kept in known(db) if kept.identity == identity), None)


def keep(db: Database, kept: Kept) -> None:
    """Write an embedder down."""
    columns = (kept.number, column(kept.identity), kept.dimension, int(kept.in_use))
    db.run("set embedder", sealed("embedder", columns))


def admit(db: Database, identity: str, dimension: int, *, use: bool) -> Kept:
    """Begin to keep an embedder's vectors."""
    number = 1 + max((kept.number for kept in known(db)), default=0)
    kept = Kept(number, identity, dimension, use)
    keep(db, kept)
    return kept


def lacking(db: Database, identity: str, limit: int, after: str | None) -> list[str]:
    """The exchanges that have no kept vectors of an embedder, in the order of their ids."""
    kept = of(db, identity)
    number = NOBODY if kept is None else kept.number
    rows = db.rows("exchanges without vectors", (number, column(after or ""), max(limit, 0)))
    return [name_of(name) for (name,) in rows]


def put(
    db: Database, identity: str, vectors: Mapping[str, Sequence[NDArray[np.float32]]]
) -> dict[str, Vectors]:
    """Keep vectors; see ``ports.SupportsVectors``.

    Returns:
        Those that were kept: exchanges that are gone or have other passages now are passed over.
    """
    kept = of(db, identity)
    taken: dict[str, Vectors] = {}
    for name, exchange in reading.get(db, vectors).items():
        found = passages(exchange)
        place = entries.place_of(db, name)
        if place is None or len(found) != len(vectors[name]):
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
        taken[name] = as_vectors(found, made)
        columns = (kept.number, place, pack_vectors(taken[name]))
        db.run("set vector", sealed("vector", columns))
    return taken


def given(
    db: Database, identity: str, ids: Iterable[str]
) -> dict[str, Sequence[NDArray[np.float32]]]:
    """Vectors that are kept, as numbers; see ``ports.SupportsVectors``."""
    kept = of(db, identity)
    if kept is None:
        return {}
    places = {entries.place_of(db, name): name for name in ids}
    known = [place for place in places if place is not None]
    found = entries.stored_vectors(db, kept.number, known, kept.dimension)
    return {places[place]: _numbers(held) for place, held in found.items()}


def _numbers(held: Vectors) -> list[NDArray[np.float32]]:
    numbers = held.codes.astype(np.float32) * held.scales[:, None]
    return list(numbers.astype(np.float32))


def drop(db: Database, kept: Kept) -> None:
    """Remove everything of an embedder."""
    db.run("clear vectors", (kept.number,))
    db.run("remove centres", (kept.number,))
    db.run("remove embedder", (kept.number,))


def centres(db: Database, kept: Kept | None) -> Centres | None:
    """The centres among an embedder's vectors, or None."""
    row = None if kept is None else db.one("centres", (kept.number,))
    if kept is None or row is None:
        return None
    return unpack_centres(checked("centres", row, db.path)[1], kept.dimension)


def set_centres(db: Database, kept: Kept, made: Centres) -> None:
    """Keep centres."""
    db.run("set centres", sealed("centres", (kept.number, pack_centres(made))))
