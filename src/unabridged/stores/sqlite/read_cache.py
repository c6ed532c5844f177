"""A cache of exchanges that were read and verified.

Rows are always fetched and compared byte for byte with the cached ones. Rows that changed in the
file are read and verified again.
"""

from collections import OrderedDict
from dataclasses import dataclass
from threading import RLock
from typing import Any

from unabridged.domain.exchange import Exchange

MOST_BYTES = 8_000_000
"""The most bytes of content to cache."""
_PARTS = 8
"""The column of a message's row that holds its content."""

Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class CachedRows:
    """The rows of an exchange and of its proof.

    Attributes:
        shared: The row of the message that it shares with a sibling, or None.
        links: The rows of the chain, one for each message; None if there is none.
    """

    header: Row
    own: tuple[Row, ...]
    shared: Row | None
    links: tuple[Row | None, ...]

    @property
    def messages(self) -> tuple[Row, ...]:
        """Return the rows of all its messages."""
        return self.own if self.shared is None else (*self.own, self.shared)

    @property
    def size(self) -> int:
        """Return the approximate bytes of the content."""
        parts = (row[_PARTS] for row in self.messages)
        return sum(len(part) for part in parts if isinstance(part, bytes | str))


class ReadCache:
    """Caches exchanges by their rows; drops the least recently used first. Thread-safe."""

    def __init__(self, most: int = MOST_BYTES) -> None:
        self._most = most
        self._held = 0
        self._exchanges: OrderedDict[object, tuple[CachedRows, Exchange]] = OrderedDict()
        self._lock = RLock()

    def __len__(self) -> int:
        return len(self._exchanges)

    def of(self, rows: CachedRows) -> Exchange | None:
        """Return the exchange of exactly these rows, or None."""
        name = rows.header[0]
        with self._lock:
            found = self._exchanges.get(name)
            if found is None:
                return None
            if found[0] != rows:
                self._drop(name)
                return None
            self._exchanges.move_to_end(name)
            return found[1]

    def keep(self, rows: CachedRows, exchange: Exchange) -> None:
        """Cache an exchange that was read from rows and verified."""
        name = rows.header[0]
        with self._lock:
            self._drop(name)
            self._exchanges[name] = (rows, exchange)
            self._held += rows.size
            while self._held > self._most:
                self._drop(next(iter(self._exchanges)))

    def clear(self) -> None:
        """Drop everything, since something was forgotten."""
        with self._lock:
            self._exchanges.clear()
            self._held = 0

    def _drop(self, name: object) -> None:
        gone = self._exchanges.pop(name, None)
        if gone is not None:
            self._held -= gone[0].size
