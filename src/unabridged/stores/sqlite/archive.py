"""Archived sessions: their messages lie compressed in their rows, and are read as any other."""

from unabridged.domain.session import Session
from unabridged.stores.sqlite.database import SqliteConnection
from unabridged.stores.sqlite.rows import checked, column, compressed, name_of, sealed, unpacked


def follow(db: SqliteConnection, before: Session | None, after: Session) -> None:
    """Compress or restore a session's messages where its header says so now, and did not before.

    Raises:
        StoreDamagedError: A message is not what was written.
    """
    was = before is not None and before.archived is not None
    now = after.archived is not None
    if was == now:
        return
    for (number,) in db.rows("numbers of a session", (column(after.id),)):
        row = db.one("message of a number", (number,))
        if row is None:
            continue
        columns = checked("message", row, db.path)
        parts = (compressed if now else unpacked)(columns[-1])
        if parts != columns[-1]:
            *_, packed, digest = sealed("message", (*columns[:-1], parts))
            db.run("repack message", (packed, digest, number))


def sizes(db: SqliteConnection) -> dict[str, int]:
    """Bytes of content by session, as they lie in the rows."""
    return {name_of(name): int(size) for name, size in db.rows("sizes of sessions")}
