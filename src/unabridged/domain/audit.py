"""The audit log: who reached memory when, and with which operation. It holds no content."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

LOCAL = "local"
"""The caller of a command on this machine."""


class Audit(StrEnum):
    """How an operation is entered in the audit log."""

    READS = "reads"
    """Within a second; equal calls of that second share one entry."""
    ACTS = "acts"
    """Alone, on the disk before the answer."""


class Outcome(StrEnum):
    """How an operation ended."""

    DONE = "done"
    REFUSED = "refused"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One entry.

    Attributes:
        number: Its number in its chain, from 1.
        at: When the operation ended; of several, the first.
        who: The id of the key; or ``token``, ``loopback``, ``stdio`` or ``local``.
        what: The name of the operation.
        space: A keyed digest of the space, hexadecimal; empty for the home.
        outcome: How it ended.
        times: How many calls it covers.
        count: Items that they returned, wrote or removed.
        name: The name of the space, if it is still in the home.
    """

    number: int
    at: datetime
    who: str
    what: str
    space: str
    outcome: Outcome
    times: int
    count: int
    name: str = ""
