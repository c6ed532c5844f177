"""What every store does, in the words of the domain."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from unabridged.domain.blob import Blob
from unabridged.domain.changes import Changes
from unabridged.domain.exchange import Exchange
from unabridged.domain.record import Record, RecordKind
from unabridged.domain.scope import SpaceId
from unabridged.domain.session import Session
from unabridged.domain.write import Batch, Totals


class Store(Protocol):
    """One space, on whatever it is kept. Every method may raise ``StoreError``."""

    @property
    def space(self) -> SpaceId:
        """The space that it holds."""
        ...

    def append(self, batch: Batch, expect_head: str | None) -> None:
        """Write a batch in one transaction; when it returns, the batch survives a power cut.

        Raises:
            HeadMovedError: The session's head is not ``expect_head``; nothing was written.
            DuplicateIdError: A message id is taken; nothing was written.
        """
        ...

    def import_session(
        self,
        session: Session,
        exchanges: Sequence[Exchange],
        originals: Mapping[str, bytes] | None = None,
    ) -> int:
        """Take over a conversation from elsewhere in one transaction.

        Exchanges whose ids the space holds already are passed over, so doing it twice adds
        nothing. A session that is new gets the header as given; one that is known keeps its title
        and takes the given head only if it had none or gained exchanges behind its head.

        Args:
            session: The header, with its head.
            exchanges: Whole exchanges, parents before children.
            originals: Messages as another program stored or sent them (JSON), by message id;
                those of messages that are not added are passed over.

        Returns:
            How many exchanges were added.
        """
        ...

    def set_session(self, session: Session, expect_head: str | None) -> None:
        """Change a session's header: its title, or its head to another branch; or create it.

        Raises:
            HeadMovedError: As for ``append``.
        """
        ...

    def recent(self, session: str, limit: int, before: str | None = None) -> list[Exchange]:
        """The last exchanges on the session's current path, oldest first.

        Args:
            session: The session's id; one that is unknown gives nothing.
            limit: At most so many.
            before: Begin with the parent of this exchange instead of with the head's.
        """
        ...

    def get(self, ids: Iterable[str]) -> dict[str, Exchange]:
        """Whole exchanges by id; ids that name nothing are missing from the answer."""
        ...

    def scan(self, after: str | None = None, limit: int = 1000) -> list[Exchange]:
        """Exchanges of all sessions and branches in the order of their ids.

        Args:
            after: Begin behind this id; None for the first page.
            limit: At most so many.
        """
        ...

    def session(self, session_id: str) -> Session | None:
        """One session's header, or None."""
        ...

    def sessions(self, newest: int | None = None) -> list[Session]:
        """Sessions, the most recently updated first.

        Args:
            newest: Only so many; None for all.
        """
        ...

    def counts(self) -> Mapping[str, int]:
        """How many exchanges each session holds, all branches; empty sessions are missing."""
        ...

    def put(self, records: Iterable[Record]) -> None:
        """Write records in one transaction; one of the same kind and id is replaced.

        One that was drawn from an exchange that is not there is passed over: it was forgotten while
        the record was made. The same holds for records of a batch.
        """
        ...

    def records(
        self,
        kind: RecordKind,
        *,
        ids: Sequence[str] | None = None,
        newest: int | None = None,
    ) -> list[Record]:
        """Records of a kind in the order of their ids.

        Args:
            kind: The kind.
            ids: Only these.
            newest: Only so many, the last in order.
        """
        ...

    def delete(self, kind: RecordKind, ids: Iterable[str]) -> None:
        """Remove records; ids that name nothing are passed over."""
        ...

    def blobs(self, digests: Iterable[str]) -> dict[str, Blob]:
        """Return blobs by digest; digests that name nothing are missing from the answer."""
        ...

    def originals(self, ids: Iterable[str]) -> dict[str, bytes]:
        """Return the originals of messages by message id; messages without one are missing."""
        ...

    @property
    def generation(self) -> str:
        """A random id, given when the space was created, and a new one when it was restored."""
        ...

    def last_revision(self) -> int:
        """Return the log's revision now."""
        ...

    def changes(self, since: int | None) -> Changes:
        """Return what changed since a revision; cheap where nothing did.

        Args:
            since: A revision of this log that was seen before; None for everything there is.
        """
        ...

    def erase(self, ids: Iterable[str]) -> int:
        """Remove exchanges with every index entry and every record drawn from them, bytes and all.

        Children of a forgotten exchange take its parent; a session whose head was forgotten takes
        the last message before it; a session left empty goes too.

        Returns:
            How many exchanges were removed.
        """
        ...

    def totals(self) -> Totals:
        """How much the space holds."""
        ...

    def close(self) -> None:
        """Let go of files and connections; a second call does nothing."""
        ...
