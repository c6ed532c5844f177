"""The counters of a file: one row, read and written in the same transaction as what it counts."""

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
        seq: The last number that was given to a message.
        revision: The log's revision: one more for each write transaction.
        numbers: The last number that was given to an exchange.
        records: Records by kind.
        changes: The revision at which records were put or removed last, by kind.
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
        """Count a record that came (1) or went (-1)."""
        self.records[kind] = self.records.get(kind, 0) + more
        self.changes[kind] = self.revision

    def row(self) -> tuple[Any, ...]:
        """Give it as the row that keeps it."""
        return sealed("tally", (1, pack(self)))


def load(db: SqliteConnection) -> Counters:
    """Read the counters."""
    row = db.one("tally")
    if row is None:
        raise sqlite_errors.damaged(db.path, "the counters are gone.")
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
