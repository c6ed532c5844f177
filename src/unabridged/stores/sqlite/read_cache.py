"""A cache of proved exchanges, so that the same rows are not proved again.

Rows are always fetched and compared byte for byte with those of the cached exchange: rows changed
in the file are read and proved again.
"""

from collections import OrderedDict
from dataclasses import dataclass
from threading import RLock
from typing import Any

from unabridged.domain.exchange import Exchange

MOST_BYTES = 8_000_000
"""The most bytes of content in the cache."""
_PARTS = 8
"""The content column of a message's row."""

Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class CachedRows:
    """All rows that an exchange was made from and proved by.

    Attributes:
        shared: The row of a message shared with a sibling, or None.
        links: The chain's rows, one for each message; None if there is no chain.
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
        """Approximate bytes of the content."""
        parts = (row[_PARTS] for row in self.messages)
        return sum(len(part) for part in parts if isinstance(part, bytes | str))


class ReadCache:
    """Exchanges by their rows; drops the least recently used. Thread-safe."""

    def __init__(self, most: int = MOST_BYTES) -> None:
        self._most = most
        self._held = 0
        self._exchanges: OrderedDict[object, tuple[CachedRows, Exchange]] = OrderedDict()
        self._lock = RLock()

    def __len__(self) -> int:
        return len(self._exchanges)

    def of(self, rows: CachedRows) -> Exchange | None:
        """Return the cached exchange of exactly these rows, or None."""
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
        """Add an exchange that was read from rows and proved."""
        name = rows.header[0]
        with self._lock:
            self._drop(name)
            if rows.size > self._most:
                return  # it would displace everything and not stay itself
            self._exchanges[name] = (rows, exchange)
            self._held += rows.size
            while self._held > self._most:
                self._drop(next(iter(self._exchanges)))

    def clear(self) -> None:
        """Clear the cache, since something was forgotten."""
        with self._lock:
            self._exchanges.clear()
            self._held = 0

    def _drop(self, name: object) -> None:
        gone = self._exchanges.pop(name, None)
        if gone is not None:
            self._held -= gone[0].size
