"""The counters of a file: one row, written in the same transaction as the content."""

from dataclasses import dataclass, field
from typing import Any

from unabridged.stores.json_codec import pack, unpack
from unabridged.stores.sqlite import sqlite_errors
from unabridged.stores.sqlite.database import SqliteConnection
from unabridged.stores.sqlite.rows import checked, sealed


@dataclass(slots=True)
class Counters:
    """The counts of a file's content.

    Attributes:
        messages: Messages; one that siblings share counts once.
        tokens: Their tokens, if they were counted.
        seq: The last number of a message.
        revision: The log's revision, increased by each write transaction.
        numbers: The last number of an exchange.
        records: Records by kind.
        changes: The revision of the last change of records, by kind.
    """

    sessions: int = 0
    exchanges: int = 0
    messages: int = 0
    tokens: int = 0
    seq: int = 0
    revision: int = 0
    numbers: int = 0
    records: dict[str, int] = field(default_factory=dict)
    changes: dict[str, int] = field(default_factory=dict)

    def record_changed(self, kind: str, more: int) -> None:
        """Count an added (1) or removed (-1) record."""
        self.records[kind] = self.records.get(kind, 0) + more
        self.changes[kind] = self.revision

    def row(self) -> tuple[Any, ...]:
        """Return the counters as a row."""
        return sealed("tally", (1, pack(self)))


def load(db: SqliteConnection) -> Counters:
    """Return the counters."""
    row = db.one("tally")
    if row is None:
        raise sqlite_errors.damaged(db.path, "the counters are missing.")
    counters = unpack(checked("tally", row, db.path)[1])
    return Counters(**counters)


def begin(db: SqliteConnection) -> Counters:
    """Return the counters for a write transaction, with the next revision."""
    count = load(db)
    count.revision += 1
    return count


def save(db: SqliteConnection, tally: Counters) -> None:
    """Write the counters."""
    db.run("set tally", tally.row())
