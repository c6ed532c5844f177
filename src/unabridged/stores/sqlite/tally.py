"""The counters of a file: one row, read and written in the same transaction as what it counts."""

from dataclasses import dataclass, field
from typing import Any

from unabridged.stores.codec import pack, unpack
from unabridged.stores.sqlite import faults
from unabridged.stores.sqlite.database import Database
from unabridged.stores.sqlite.rows import checked, sealed


@dataclass(slots=True)
class Tally:
    """How much a file holds.

    Attributes:
        sessions: Sessions.
        exchanges: Exchanges.
        messages: Messages; one that siblings share counts once.
        tokens: Their tokens, where they were counted.
        seq: The last number that was given to a message.
        indexed: Messages in the text index.
        terms: Terms in the text index.
        records: Records by kind.
    """

    sessions: int = 0
    exchanges: int = 0
    messages: int = 0
    tokens: int = 0
    seq: int = 0
    indexed: int = 0
    terms: int = 0
    records: dict[str, int] = field(default_factory=dict)

    def row(self) -> tuple[Any, ...]:
        """Give it as the row that keeps it."""
        return sealed("tally", (1, pack(self)))


def load(db: Database) -> Tally:
    """Read the counters.

    Raises:
        StoreDamagedError: They are gone or not what was written.
    """
    row = db.one("tally")
    if row is None:
        raise faults.damaged(db.path, "the counters are gone.")
    return Tally(**unpack(checked("tally", row, db.path)[1]))


def save(db: Database, tally: Tally) -> None:
    """Write the counters."""
    db.run("set tally", tally.row())
