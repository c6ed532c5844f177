"""A cache of proved exchanges, so that the same rows are not proved again.

Rows are always fetched and compared byte for byte with those of the cached exchange: rows changed
in the file are read and proved again. All files of a process share one bound, so that a server's
memory does not grow with the spaces that are open.
"""

from collections import OrderedDict
from dataclasses import dataclass
from threading import RLock
from typing import Any

from unabridged.domain.exchange import Exchange

MOST_BYTES = 24_000_000
"""The most bytes that cached exchanges take, in all files together."""
_EXCHANGE_BYTES, _MESSAGE_BYTES = 1_000, 1_500
"""What an exchange and a message take in addition to their content, which is held twice: as a row
and as text."""
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
        """Approximate bytes that it takes, together with its exchange."""
        rows = self.messages
        content = sum(len(row[_PARTS]) for row in rows if isinstance(row[_PARTS], bytes | str))
        return _EXCHANGE_BYTES + _MESSAGE_BYTES * len(rows) + 2 * content


class CacheBound:
    """The bound that caches share; the least recently used exchange of any of them is dropped."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.held = 0
        self.exchanges: OrderedDict[tuple[ReadCache, object], tuple[CachedRows, Exchange]] = (
            OrderedDict()
        )
        self.lock = RLock()

    def drop(self, key: "tuple[ReadCache, object]") -> None:
        """Drop an exchange, if it is held."""
        if (gone := self.exchanges.pop(key, None)) is not None:
            self.held -= gone[0].size


_PROCESS = CacheBound(MOST_BYTES)


def start_over() -> None:
    """Begin an empty cache in a child process: a thread of the parent may have held its lock."""
    _PROCESS.lock = RLock()
    _PROCESS.exchanges.clear()
    _PROCESS.held = 0


class ReadCache:
    """The exchanges of one file by their rows. Thread-safe.

    Args:
        bound: What it shares with the caches of other files.
    """

    def __init__(self, bound: CacheBound = _PROCESS) -> None:
        self._bound = bound

    def __len__(self) -> int:
        with self._bound.lock:
            return sum(1 for cache, _ in self._bound.exchanges if cache is self)

    def of(self, rows: CachedRows) -> Exchange | None:
        """Return the cached exchange of exactly these rows, or None."""
        key = (self, rows.header[0])
        with self._bound.lock:
            found = self._bound.exchanges.get(key)
            if found is None:
                return None
            if found[0] != rows:
                self._bound.drop(key)
                return None
            self._bound.exchanges.move_to_end(key)
            return found[1]

    def keep(self, rows: CachedRows, exchange: Exchange, *, evict: bool = True) -> None:
        """Add an exchange that was read from rows and proved.

        Args:
            rows: What it was made from.
            exchange: The exchange.
            evict: Whether others are dropped where there is no room; else it is not added.
        """
        bound, key = self._bound, (self, rows.header[0])
        with bound.lock:
            bound.drop(key)
            room = bound.most if evict else bound.most - bound.held
            if rows.size > room:
                return
            bound.exchanges[key] = (rows, exchange)
            bound.held += rows.size
            while bound.held > bound.most:
                bound.drop(next(iter(bound.exchanges)))

    def clear(self) -> None:
        """Clear the cache: something was forgotten, or the file is closed."""
        with self._bound.lock:
            for key in [key for key in self._bound.exchanges if key[0] is self]:
                self._bound.drop(key)
