"""The counters of a file: one row, written in the transaction that changes them."""

from dataclasses import dataclass, field
from typing import Any

from unabridged.stores.json_codec import pack, unpack
from unabridged.stores.sqlite import sqlite_errors
from unabridged.stores.sqlite.database import SqliteConnection
from unabridged.stores.sqlite.rows import checked, sealed


@dataclass(slots=True)
class Counters:
    """How much a file holds.

    Attributes:
        messages: Messages; one that siblings share counts once.
        tokens: Their tokens, if they were counted.
        seq: The last number of a message.
        revision: The log's revision: plus one for each write transaction.
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
        """Count a record that was added (1) or removed (-1)."""
        self.records[kind] = self.records.get(kind, 0) + more
        self.changes[kind] = self.revision

    def row(self) -> tuple[Any, ...]:
        """Return the counters as a row."""
        return sealed("tally", (1, pack(self)))


def load(db: SqliteConnection) -> Counters:
    """Read the counters."""
    row = db.one("tally")
    if row is None:
        raise sqlite_errors.damaged(db.path, "the counters are missing.")
    counters = unpack(checked("tally", row, db.path)[1])
    return Counters(**counters)


def begin(db: SqliteConnection) -> Counters:
    """Read the counters for a write transaction, which is the log's next revision."""
    count = load(db)
    count.revision += 1
    return count


def save(db: SqliteConnection, tally: Counters) -> None:
    """Write the counters."""
    db.run("set tally", tally.row())
