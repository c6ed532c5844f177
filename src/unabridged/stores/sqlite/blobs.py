"""Blobs and their uses. Each function runs inside a transaction of the store."""

from collections.abc import Iterable, Iterator, Mapping

from unabridged.domain.blob import Blob, BlobKind
from unabridged.errors import StoreDamagedError
from unabridged.stores.json_codec import unpack
from unabridged.stores.sqlite import sqlite_errors
from unabridged.stores.sqlite.database import SqliteConnection
from unabridged.stores.sqlite.rows import (
    blob_of,
    blob_row,
    blob_use_row,
    checked,
    column,
    name_of,
)

MESSAGE = "message"
"""The kind of a message that uses a blob; records have their own kinds."""


def use(db: SqliteConnection, user_kind: str, user_id: str, blobs: Iterable[Blob]) -> None:
    """Store blobs with their use, each blob once."""
    for blob in blobs:
        row = blob_row(blob)
        db.run("add blob", row)
        db.run("add blob use", blob_use_row(user_kind, user_id, row[0]))


def release(db: SqliteConnection, user_kind: str, user_id: str) -> None:
    """Remove the uses of a message or record, and blobs without another use."""
    names = [row[2] for row in db.rows("blob uses", (user_kind, column(user_id)))]
    if not names:
        return
    db.run("remove blob uses", (user_kind, column(user_id)))
    for name in names:
        db.run("remove blob without use", (name,))


def get(db: SqliteConnection, digests: Iterable[str]) -> dict[str, Blob]:
    """Return blobs by digest; unknown ones are missing."""
    rows = ((name, db.one("blob", (name,))) for name in dict.fromkeys(digests))
    return {name: blob_of(row, db.path) for name, row in rows if row is not None}


def known(db: SqliteConnection, digests: Iterable[str]) -> dict[str, Blob]:
    """Return blobs that must exist."""
    wanted = dict.fromkeys(digests)
    found = get(db, wanted)
    gone = next((name for name in wanted if name not in found), None)
    if gone is not None:
        raise sqlite_errors.damaged(db.path, f"the blob {gone!r} is missing.")
    return found


def originals(db: SqliteConnection, ids: Iterable[str]) -> dict[str, bytes]:
    """Return the originals of messages by message id; messages without one are missing."""
    found: dict[str, bytes] = {}
    for message_id in dict.fromkeys(ids):
        rows = db.rows("blob uses", (MESSAGE, column(message_id)))
        names = [checked("blob_use", row, db.path)[2] for row in rows]
        for blob in known(db, names).values():
            if blob.kind is BlobKind.ORIGINAL:
                found[message_id] = blob.data
    return found


def flaws(db: SqliteConnection) -> Iterator[str]:
    """Compare blobs, their uses and their users."""
    stored = {name for (name,) in db.rows("all blob ids")}
    for name in sorted(stored):
        try:
            known(db, [name])
        except StoreDamagedError as error:
            yield str(error)
    used: set[str] = set()
    yield from _flaws_of_uses(db, used)
    for name in sorted(stored - used):
        yield f"{db.path}: nothing uses the blob {name!r}."
    for name in sorted(used - stored):
        yield f"{db.path}: the blob {name!r} is missing."


def _flaws_of_uses(db: SqliteConnection, used: set[str]) -> Iterator[str]:
    wanted = set(_uses_of_records(db))
    for row in db.rows("all blob uses"):
        try:
            user_kind, user_id, name = checked("blob_use", row, db.path)
        except StoreDamagedError as error:
            yield str(error)
            continue
        used.add(name)
        if user_kind == MESSAGE:
            if db.one("owner of a message", (user_id,)) is None:
                yield f"{db.path}: the message {name_of(user_id)!r} uses a blob and is missing."
        elif (user_kind, user_id, name) in wanted:
            wanted.discard((user_kind, user_id, name))
        else:
            yield f"{db.path}: {user_kind} {name_of(user_id)!r} does not use the blob {name!r}."
    for user_kind, user_id, name in sorted(wanted, key=str):
        yield f"{db.path}: {user_kind} {name_of(user_id)!r} lacks its use of the blob {name!r}."


def rebuild(db: SqliteConnection) -> None:
    """Rebuild the uses of records from their rows, and remove unused blobs."""
    db.run("clear blob uses of records")
    for user_kind, user_id, name in _uses_of_records(db):
        db.run("add blob use", blob_use_row(user_kind, name_of(user_id), name))
    db.run("clear blobs without use")


def _uses_of_records(db: SqliteConnection) -> Iterator[tuple[str, str | bytes, str]]:
    for row in db.rows("all records"):
        kind, record_id, _, _, _, names = checked("record", row[1:], db.path)
        for name in unpack(names):
            yield kind, record_id, name


def originals_of(originals: Mapping[str, bytes], message_id: str) -> list[Blob]:
    """Return the original of a message as a blob, or nothing."""
    data = originals.get(message_id)
    return [] if data is None else [Blob(BlobKind.ORIGINAL, data)]
