"""Rows of the index: what each exchange's entry is, and which entries no segment holds yet.

Each function runs inside a transaction that the store opened.
"""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from unabridged.domain.exchange import Exchange
from unabridged.index.entry import (
    FIRST,
    Entry,
    Vectors,
    pack_vectors,
    pack_words,
    unpack_vectors,
    unpack_words,
)
from unabridged.retrieval.entries import Reading, said_at, session_number
from unabridged.stores.codec import pack
from unabridged.stores.sqlite.database import Database
from unabridged.stores.sqlite.rows import Row, checked, column, name_of, sealed
from unabridged.stores.sqlite.tally import Tally

_PIECE = np.dtype("<u2")


def place_of(db: Database, exchange_id: str) -> int | None:
    """The place of an exchange, or None where it has none yet."""
    row = db.one("entry of", (column(exchange_id),))
    return None if row is None else int(checked("entry", row, db.path)[0])


def named(db: Database, places: Iterable[int]) -> dict[int, str]:
    """The exchanges at places; those that hold nothing are missing."""
    rows = db.rows("entries at", (pack([int(place) for place in places]).decode(),))
    return {row[0]: name_of(checked("entry", row, db.path)[1]) for row in rows}


def settle(db: Database, exchange: Exchange, count: Tally) -> tuple[int, bool]:
    """Give an exchange its place, and write down where it stands.

    Returns:
        The place, and whether it is new.
    """
    known = place_of(db, exchange.id)
    row = None if exchange.parent is None else db.one("entry of", (column(exchange.parent),))
    above = None if row is None else checked("entry", row, db.path)
    if known is None:
        count.places += 1
        count.entries += 1
    place = count.places if known is None else known
    columns = (
        place,
        column(exchange.id),
        session_number(exchange.session),
        FIRST if above is None else above[0],
        said_at(exchange),
        0 if above is None else above[5] + 1,
    )
    db.run("set entry", sealed("entry", columns))
    return place, known is None


def hold(db: Database, place: int, read: Reading, count: Tally) -> None:
    """Keep what was read of an exchange until it is sealed; nothing of its place is held yet."""
    vectors = None if read.vectors is None else pack_vectors(read.vectors)
    count.pending += 1
    passages = 0 if read.vectors is None else len(read.vectors.scales)
    count.pending_passages += passages
    count.held += 1
    pieces = read.pieces.astype(_PIECE).tobytes()
    columns = (count.held, place, pack_words(read.words), pieces, passages, vectors)
    db.run("add pending", sealed("pending", columns))


def let_go(db: Database, place: int, count: Tally) -> bool:
    """Remove an entry that waits to be sealed; tell whether it did."""
    row = db.one("pending of", (place,))
    if row is not None:
        db.run("remove pending", (place,))
        count.pending -= 1
        count.pending_passages -= row[1]
    return row is not None


def mark_bare(db: Database, place: int, count: Tally, *, bare: bool) -> None:
    """Note whether an entry lacks what the embedder in use would give."""
    known = db.one("is bare", (place,)) is not None
    if bare and not known:
        db.run("add bare", (place,))
        count.bare += 1
    elif known and not bare:
        db.run("remove bare", (place,))
        count.bare -= 1


def held_since(db: Database, revision: int, dimension: int) -> Iterator[tuple[int, Entry]]:
    """What waits to be sealed and came behind a revision, with its own revision."""
    for row in db.rows("pending since", (revision,)):
        yield row[0], _entry(db, row, dimension)


def _entry(db: Database, row: Row, dimension: int) -> Entry:
    _, place, words, pieces, _, vectors = checked("pending", row[:7], db.path)
    session, parent, at, position = row[7:]
    return Entry(
        place=place,
        session=session,
        parent=parent,
        at=at,
        position=position,
        words=unpack_words(words),
        pieces=np.frombuffer(pieces, dtype=_PIECE).astype(np.uint16),
        vectors=None if vectors is None else unpack_vectors(vectors, dimension),
    )


def mask(db: Database, segment: int, places: Sequence[int]) -> None:
    """Let places in a segment count no more."""
    for place in places:
        db.run("add mask", (segment, place))


def masks(db: Database) -> dict[int, NDArray[np.int64]]:
    """The places that count no more, by the number of their segment, ascending."""
    found: dict[int, list[int]] = {}
    for segment, place in db.rows("masks"):
        found.setdefault(segment, []).append(place)
    return {segment: np.array(places, dtype=np.int64) for segment, places in found.items()}


def stored_vectors(
    db: Database, embedder: int, places: Iterable[int], dimension: int
) -> dict[int, Vectors]:
    """Vectors that are kept, by place."""
    rows = db.rows("vectors at", (embedder, pack([int(place) for place in places]).decode()))
    return {row[1]: unpack_vectors(checked("vector", row, db.path)[2], dimension) for row in rows}
