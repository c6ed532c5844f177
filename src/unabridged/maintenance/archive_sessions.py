"""Archives the oldest sessions when limits leave no room. Nothing is deleted.

An archived session is still searched, shown and listed; its store keeps it compressed. A new
message makes it active again.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from unabridged.domain.backup_results import StorageUse
from unabridged.domain.message import part_to_dict
from unabridged.domain.results import MaintenanceProgress
from unabridged.domain.session import Session
from unabridged.errors import HeadMovedError
from unabridged.log.iterate import everything
from unabridged.ports import Clock, Store, SupportsSizes


@dataclass(frozen=True, slots=True)
class ArchiveLimits:
    """How much of a space stays active.

    None is no limit.
    """

    sessions: int | None = None
    bytes: int | None = None


class SessionArchiver:
    """Moves sessions out of the active set of a space, and back."""

    def __init__(self, store: Store, clock: Clock, limits: ArchiveLimits) -> None:
        self._store = store
        self._clock = clock
        self._limits = limits

    @property
    def has_limits(self) -> bool:
        """Whether any session is ever archived."""
        return self._limits != ArchiveLimits()

    def due(self, current: str | None = None) -> list[Session]:
        """Return the active sessions beyond the limits, the oldest first.

        Args:
            current: The session in use: it stays, and counts first.
        """
        if not self.has_limits:
            return []
        active = [one for one in self._store.sessions() if one.archived is None]
        active.sort(key=lambda one: one.id != current)  # stable: then the newest first
        kept = len(active) if self._limits.sessions is None else self._limits.sessions
        if self._limits.bytes is not None:
            kept = min(kept, _fitting(active, self._sizes(), self._limits.bytes))
        return active[max(1, kept) :][::-1]

    def run(self, current: str | None = None) -> Iterator[MaintenanceProgress]:
        """Archive what is due, one session after the other."""
        due = self.due(current)
        for done, session in enumerate(due, 1):
            self.archive(session)
            yield MaintenanceProgress("archive", done, len(due) - done)

    def archive(self, session: Session) -> bool:
        """Move a session out of the active set; False if it was not in it or just got a message."""
        if session.archived is not None:
            return False
        return self._amend(replace(session, archived=self._clock.now()))

    def restore(self, session: Session) -> bool:
        """Make a session active again; False if it was, or just got a message."""
        return session.archived is not None and self._amend(replace(session, archived=None))

    def use(self) -> StorageUse:
        """Return how much is active, and the limits."""
        sessions = self._store.sessions()
        active = {one.id for one in sessions if one.archived is None}
        sizes = self._sizes()
        return StorageUse(
            sessions=len(active),
            archived=len(sessions) - len(active),
            bytes=sum(size for name, size in sizes.items() if name in active),
            max_sessions=self._limits.sessions,
            max_bytes=self._limits.bytes,
        )

    def _amend(self, session: Session) -> bool:
        try:
            self._store.set_session(session, session.head)
        except HeadMovedError:
            return False
        return True

    def _sizes(self) -> Mapping[str, int]:
        if isinstance(self._store, SupportsSizes):
            return self._store.sizes()
        sizes: dict[str, int] = {}
        for exchange in everything(self._store):
            for message in exchange.messages:
                data = json.dumps([part_to_dict(part) for part in message.parts])
                sizes[exchange.session] = sizes.get(exchange.session, 0) + len(data)
        return sizes


def _fitting(sessions: list[Session], sizes: Mapping[str, int], room: int) -> int:
    total = 0
    for number, session in enumerate(sessions):
        total += sizes.get(session.id, 0)
        if total > room:
            return number
    return len(sessions)
