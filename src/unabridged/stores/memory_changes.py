"""The change feed of a store in memory: numbers, revisions and changes."""

from typing import TypeVar

from unabridged.domain.changes import Changes
from unabridged.domain.record import RecordKind

T = TypeVar("T")


class MemoryChanges:
    """Stores the revision of the last change of each item."""

    def __init__(self) -> None:
        self.revision = 0
        self._last = 0
        self._numbers: dict[str, int] = {}
        self._written: dict[str, int] = {}
        self._erased: dict[str, int] = {}
        self._moved: dict[str, int] = {}
        self._sessions: dict[str, int] = {}
        self._kinds: dict[RecordKind, int] = {}

    def begin(self) -> None:
        """Begin a write transaction."""
        self.revision += 1

    def wrote(self, exchange: str) -> None:
        """Note that an exchange was started or extended."""
        if exchange not in self._numbers:
            self._last += 1
            self._numbers[exchange] = self._last
            self._erased.pop(exchange, None)
        _note(self._written, exchange, self.revision)

    def erased(self, exchange: str) -> None:
        """Note that an exchange was removed."""
        for held in (self._numbers, self._written, self._moved):
            held.pop(exchange, None)
        _note(self._erased, exchange, self.revision)

    def moved(self, exchange: str) -> None:
        """Note that an exchange has another parent."""
        _note(self._moved, exchange, self.revision)

    def touched(self, session: str) -> None:
        """Note that a session's header changed."""
        _note(self._sessions, session, self.revision)

    def removed(self, session: str) -> None:
        """Drop the id of a session that was removed."""
        self._sessions.pop(session, None)

    def filed(self, kind: RecordKind) -> None:
        """Note that records of a kind were written or deleted."""
        _note(self._kinds, kind, self.revision)

    def since(self, revision: int | None) -> Changes:
        """Return the changes since a revision."""
        if revision == self.revision:
            return Changes(revision)
        full = revision is None or revision > self.revision
        start = -1 if full or revision is None else revision
        written = sorted(
            (self._written[x], self._numbers[x], x) for x in _after(self._written, start)
        )
        return Changes(
            revision=self.revision,
            written=tuple([name for *_, name in written]),
            numbers=tuple([number for _, number, _ in written]),
            erased=tuple(_after(self._erased, start)),
            moved=tuple(_after(self._moved, start)),
            sessions=frozenset(_after(self._sessions, start)),
            kinds=frozenset(_after(self._kinds, start)),
            full=full,
        )


def _note(held: dict[T, int], name: T, revision: int) -> None:
    held.pop(name, None)
    held[name] = revision


def _after(held: dict[T, int], start: int) -> list[T]:
    found: list[T] = []
    for name in reversed(held):
        if held[name] <= start:
            break
        found.append(name)
    return found[::-1]
