"""Vectors that cost something to make, as numbers.

Each function runs inside a transaction that the store opened.
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from unabridged.errors import StoreError
from unabridged.index.indexed_exchange import Vectors, pack_vectors, unpack_vectors
from unabridged.retrieval.analyze import as_vectors
from unabridged.retrieval.passages import passages
from unabridged.stores.sqlite import change_feed, counters, embedder_rows, read_rows
from unabridged.stores.sqlite.database import SqliteConnection
from unabridged.stores.sqlite.rows import sealed


def put(
    db: SqliteConnection, identity: str, vectors: Mapping[str, Sequence[NDArray[np.float32]]]
) -> None:
    """Keep vectors; those of exchanges that are gone or have other passages now are passed over."""
    kept = embedder_rows.of(db, identity)
    taken: dict[str, Vectors] = {}
    for name, exchange in read_rows.get(db, vectors).items():
        found = passages(exchange)
        number = change_feed.number_of(db, name)
        if number is None or len(found) != len(vectors[name]):
            continue
        dimension = kept.dimension if kept else len(vectors[name][0]) if found else 0
        if kept is None and dimension:
            kept = embedder_rows.admit(
                db, identity, dimension, use=embedder_rows.in_use(db) is None
            )
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
        columns = (kept.number, number, pack_vectors(taken[name]))
        db.run("set vector", sealed("vector", columns))
    count = counters.begin(db)
    change_feed.embedded(db, taken, count)
    counters.save(db, count)


def given(
    db: SqliteConnection, identity: str, ids: Iterable[str]
) -> dict[str, Sequence[NDArray[np.float32]]]:
    """Vectors that are kept, as numbers; see ``ports.SupportsVectors``."""
    kept = embedder_rows.of(db, identity)
    if kept is None:
        return {}
    found = embedder_rows.packed(db, identity, ids)
    return {name: _numbers(unpack_vectors(body, kept.dimension)) for name, body in found.items()}


def _numbers(held: Vectors) -> list[NDArray[np.float32]]:
    numbers = held.codes.astype(np.float32) * held.scales[:, None]
    return list(numbers.astype(np.float32))
