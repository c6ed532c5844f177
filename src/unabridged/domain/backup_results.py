"""Results of backups, restores, recovery and archiving."""

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
        at: When it began; everything acknowledged before is in it.
        home: Whether it was made of a whole home, settings included.
        version: The version of Unabridged that made it.
        left_out: Spaces missing from a backup of a home because they are damaged: name and reason.
        trouble: Why it cannot be read; empty if it can.
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
class BackupRead:
    """When a backup of the home was last read whole, and what was found.

    Attributes:
        read: When it was read: every byte, digest and row; if not since, when it was made.
        trouble: Why it could not be read; empty if it could.
        due: Whether that is longer ago than ``backup_verify_every``.
        earlier: Whether an interrupted run had read it, which this one continued.
    """

    path: str
    bytes: int
    read: datetime
    trouble: str = ""
    due: bool = False
    earlier: bool = False


@dataclass(frozen=True, slots=True)
class RestoreResult:
    """A space that was restored.

    Attributes:
        quarantine: Where the replaced space is now; None if there was none.
        there: Whether the same space was already there, so that nothing was done.
        forgotten: Whether something was left out because it was forgotten since.
    """

    space: SpaceId
    exchanges: int
    quarantine: str | None = None
    there: bool = False
    forgotten: bool = False


@dataclass(frozen=True, slots=True)
class RewrittenBackup:
    """A backup that held what was forgotten since.

    Attributes:
        path: Its file.
        exchanges: Exchanges that were removed from it.
        messages: Their messages.
        spaces: Names of spaces that were removed whole.
        removed: Whether nothing was left, so that the file was removed.
        trouble: Why it could not be read, and is as it was; empty if it was rewritten.
    """

    path: str
    exchanges: int
    messages: int
    spaces: tuple[str, ...] = ()
    removed: bool = False
    trouble: str = ""


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
    """An exchange that could not be recovered whole.

    Attributes:
        session: Its session, if known; else empty.
        at: When it began, if known.
        kept: Whether the rest of it was kept, as an incomplete exchange.
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
    """What recovery took out of a damaged file.

    Attributes:
        path: The damaged file.
        space: Its space, or None if that is unreadable.
        exchanges: Exchanges recovered whole.
        incomplete: Exchanges recovered in part.
        missing: What could not be recovered whole, as far as the file shows it.
        unknown: Further exchanges that the file counts and of which nothing is left.
        records_missing: Records that the file counts and that are lost.
        unsure: Whether the file may have held more: parts of its texts and counts are unreadable.
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
        """Exchanges that were not recovered whole."""
        return len(self.missing) + self.unknown
