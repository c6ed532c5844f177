"""The shelf: exchanges that were read last, so that a long history is not read for each request.

Only what has its answer stands here: it cannot change, but by a forgetting, which clears the shelf.
"""

from collections import OrderedDict
from collections.abc import Iterable

from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.message import Image, Part, ToolCall
from unabridged.ports import Store

MOST = 8_000_000
"""Characters that are held."""
EACH = 400
"""Characters that an exchange counts for beside its words."""


class ExchangeCache:
    """Reads exchanges, and holds those that were read last.

    Args:
        store: The space.
        most: Characters that are held.
    """

    def __init__(self, store: Store, most: int = MOST) -> None:
        self._store = store
        self._most = most
        self._held: OrderedDict[str, Exchange] = OrderedDict()
        self._size = 0

    def get(self, names: Iterable[str]) -> dict[str, Exchange]:
        """Whole exchanges by id; ids that name nothing are missing from the answer."""
        wanted = list(names)
        found = {name: self._held[name] for name in wanted if name in self._held}
        if len(found) < len(wanted):
            found |= self._store.get([name for name in wanted if name not in found])
        for name, exchange in found.items():
            if exchange.state is ExchangeState.COMPLETE:
                self._hold(name, exchange)
        return found

    def _hold(self, name: str, exchange: Exchange) -> None:
        if name in self._held:
            self._held.move_to_end(name)
            return
        self._held[name] = exchange
        self._size += _size(exchange)
        while self._size > self._most:
            _, gone = self._held.popitem(last=False)
            self._size -= _size(gone)

    def clear(self) -> None:
        """Hold nothing any more."""
        self._held.clear()
        self._size = 0


def _size(exchange: Exchange) -> int:
    return EACH + sum(_length(part) for message in exchange.messages for part in message.parts)


def _length(part: Part) -> int:
    if isinstance(part, ToolCall):
        return len(part.arguments)
    return len(part.uri if isinstance(part, Image) else part.text)
