"""What keeping safe tells: of backups, of what was salvaged, of what was moved out of the active set."""

from dataclasses import dataclass
from datetime import datetime

from unabridged.domain.scope import SpaceId


@dataclass(frozen=True, slots=True)
class BackupResult:
    """A space in a backup."""

    space: SpaceId
    store: str
    sessions: int
    exchanges: int
    messages: int


@dataclass(frozen=True, slots=True)
class Backup:
    """One backup.

    Attributes:
        at: When it was begun; what was acknowledged before is in it.
        home: Whether it was made of a whole home, settings included.
        version: The version of Unabridged that made it.
        left_out: Spaces that a backup of a home lacks since they are damaged: name and reason.
        trouble: Why it cannot be read; empty for a readable one.
    """

    path: str
    at: datetime | None
    bytes: int
    spaces: tuple[BackupResult, ...] = ()
    home: bool = False
    version: str = ""
    left_out: tuple[tuple[str, str], ...] = ()
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class RestoreResult:
    """A space that was restored.

    Attributes:
        quarantine: Where what it replaced lies now; None where there was nothing.
        there: Whether it was there already, as it is in the backup, and nothing was done.
    """

    space: SpaceId
    exchanges: int
    quarantine: str | None = None
    there: bool = False


@dataclass(frozen=True, slots=True)
class StorageUse:
    """How much of a space is active, against its limits.

    Attributes:
        sessions: Active sessions.
        archived: Archived sessions.
        bytes: Bytes of content of the active ones.
        max_sessions: The most sessions that stay active; None for all.
        max_bytes: The most bytes of content that stay active; None for all.
    """

    sessions: int
    archived: int
    bytes: int
    max_sessions: int | None = None
    max_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Missing:
    """An exchange that could not be salvaged whole.

    Attributes:
        session: The session that it belongs to, as far as is known; else empty.
        at: When it was begun, as far as is known.
        kept: Whether what is left of it was kept, as an incomplete exchange.
        what: What is missing, in words.
    """

    exchange: str
    session: str
    title: str
    at: datetime | None
    kept: bool
    what: str


@dataclass(frozen=True, slots=True)
class Recovery:
    """What a salvage took out of a damaged file.

    Attributes:
        path: The damaged file.
        space: The space that it holds, or None where it cannot tell.
        exchanges: Exchanges taken whole.
        incomplete: Exchanges of which a part was taken.
        missing: What could not be taken whole, as far as the file still tells.
        unknown: Further exchanges that were counted and of which nothing is left.
        records_missing: Records that were counted and are gone.
        unsure: Whether more may have been in it: neither its words nor its counts are all readable.
    """

    path: str
    space: SpaceId | None
    sessions: int
    exchanges: int
    incomplete: int
    records: int
    missing: tuple[Missing, ...] = ()
    unknown: int = 0
    records_missing: int = 0
    unsure: bool = False

    @property
    def lost(self) -> int:
        """Exchanges that were not taken whole."""
        return len(self.missing) + self.unknown
