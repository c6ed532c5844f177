"""Finished requests by the client's key, so that a repeated one is not done twice.

Only ids and figures are kept, no text: forgetting need not look here.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from threading import RLock
from typing import Any

from unabridged.domain.record import Record, RecordKind
from unabridged.ports import Clock, Store

LASTS = timedelta(hours=24)
"""How long a key is remembered."""
LOCKS = 64
"""Locks among which the keys are spread."""
_SWEPT_BY = "00"
"""The prefix of keys that trigger the removal of expired ones: one of 256."""


@dataclass(frozen=True, slots=True)
class Done:
    """What a request did, or began to do.

    Attributes:
        at: When it was begun.
        digest: Computed from the whole request, to notice another one under the same key.
        what: The ids and figures of what it wrote, or will write.
        done: Whether it is finished; else it was begun, and perhaps killed.
    """

    at: datetime
    digest: str
    what: Mapping[str, Any]
    done: bool


class Idempotency:
    """The repeatable requests of one space."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._locks = [RLock() for _ in range(LOCKS)]

    def one_at_a_time(self, key: str) -> RLock:
        """Return the lock that serializes the requests of one key."""
        return self._locks[hash(key) % LOCKS]

    def get(self, key: str) -> Done | None:
        """Return what the request of a key did; None if it is new or older than a day."""
        held = self._store.records(RecordKind.REQUEST, ids=[key])
        if not held or self._is_old(held[0]):
            return None
        body = held[0].body
        return Done(held[0].at, body["digest"], body["what"], body["done"])

    def put(self, key: str, digest: str, what: Mapping[str, Any], *, done: bool) -> None:
        """Remember a request, durable when this returns.

        Args:
            key: The client's key, combined with its identity.
            digest: Computed from the whole request.
            what: The ids and figures of what it writes.
            done: Whether it is finished.
        """
        body = {"digest": digest, "what": dict(what), "done": done}
        self._store.put([Record(RecordKind.REQUEST, key, self._clock.now(), body)])

    def drop(self, key: str) -> None:
        """Drop a request that did nothing."""
        self._store.delete(RecordKind.REQUEST, [key])

    def clean_up(self, key: str) -> int:
        """Drop requests older than a day; look only with one key of 256.

        Args:
            key: The key of the current request.

        Returns:
            How many were removed.
        """
        if not key.startswith(_SWEPT_BY):
            return 0
        old = [r.id for r in self._store.records(RecordKind.REQUEST) if self._is_old(r)]
        if old:
            self._store.delete(RecordKind.REQUEST, old)
        return len(old)

    def _is_old(self, record: Record) -> bool:
        return self._clock.now() - record.at > LASTS
