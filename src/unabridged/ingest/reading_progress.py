"""How far reading has come, as a record."""

from dataclasses import dataclass
from datetime import datetime

from unabridged.domain.record import Record, RecordKind

PROGRESS = "readings"
"""The id of the record."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far reading has come.

    Attributes:
        scheme: The scheme that it was read under.
        by: Who read.
        after: The id up to which every exchange was looked at.
        seen: How many these were.
        awaited: Those of them whose answer was not whole.
    """

    scheme: str
    by: str
    after: str | None = None
    seen: int = 0
    awaited: tuple[str, ...] = ()


def progress_record(progress: Progress, at: datetime) -> Record:
    """The record of how far reading has come."""
    body = {
        "scheme": progress.scheme,
        "by": progress.by,
        "after": progress.after,
        "seen": progress.seen,
        "awaited": list(progress.awaited),
    }
    return Record(RecordKind.PROGRESS, PROGRESS, at, body)


def progress_of(record: Record) -> Progress:
    """What ``progress_record`` wrote."""
    return Progress(**{**record.body, "awaited": tuple(record.body["awaited"])})
