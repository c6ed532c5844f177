"""The paths of a space in memory, as digests, to look up a client's history.

Built by reading the store once, a page at a time, and kept current by reading what is new. It may
be out of date for a moment while another program forgets; results are checked in the store.

The exchanges that were read last are cached, so that a long history is not read for each request.
Only complete ones are: they cannot change, except by a forgetting, which clears the cache.
"""

from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.message import Foreign, Image, Part, ToolCall
from unabridged.domain.record import RecordKind
from unabridged.history_sync.normalize_history import NOTHING, answer_of, atoms, digest_of, rest_of
from unabridged.log.record_watch import RecordWatch
from unabridged.ports import Store

PAGE = 1_000
"""Exchanges that are read at once."""
LATE = 256
"""The newest exchanges, read again if some are missing: two programs may write at once."""
CACHE_CHARACTERS = 4_000_000
"""More than a history of 2,000 short messages."""
EXCHANGE_CHARACTERS = 2_400
"""Characters that a cached exchange counts for in addition to its words: the bytes that it takes."""


class Node(NamedTuple):
    """An exchange in the index.

    Attributes:
        id: Its id.
        session: Its session.
        parent: The exchange before it, or None.
        opening: The digest of the user's message.
        rest: The digest of what follows it; empty if it may still grow.
        answer: The digest of the answer alone; empty if there is none.
        asked: Whether a model was asked for it here; a client's earlier turns have no model.
    """

    id: str
    session: str
    parent: str | None
    opening: bytes
    rest: bytes
    answer: bytes
    asked: bool


class _ExchangeCache:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._held: OrderedDict[str, Exchange] = OrderedDict()
        self._size = 0

    def get(self, names: Iterable[str]) -> dict[str, Exchange]:
        """Return exchanges by id; ids that name nothing are missing."""
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
        while self._size > CACHE_CHARACTERS:
            _, gone = self._held.popitem(last=False)
            self._size -= _size(gone)

    def clear(self) -> None:
        """Empty the cache."""
        self._held.clear()
        self._size = 0


def _size(exchange: Exchange) -> int:
    parts = (part for message in exchange.messages for part in message.parts)
    return EXCHANGE_CHARACTERS + sum(map(_length, parts))


def _length(part: Part) -> int:
    if isinstance(part, ToolCall):
        return len(part.arguments)
    if isinstance(part, Foreign):
        return len(part.data)
    return len(part.uri if isinstance(part, Image) else part.text)


class PathIndex:
    """Finds exchanges by their text and position; ``shelf`` reads and caches them."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._watch = RecordWatch(store, RecordKind.TOMBSTONE)
        self._compactions = RecordWatch(store, RecordKind.COMPACTION)
        self._compacted: int | None = None
        self.summaries: frozenset[str] = frozenset()
        """The exchanges that are summaries in place of older turns."""
        self.shelf = _ExchangeCache(store)
        self._nodes: dict[str, Node] = {}
        self._behind: dict[str, _Names] = {}
        self._opened: dict[bytes, _Names] = {}
        self._first: list[str] = []
        self._answers: set[bytes] = set()
        self._open: dict[str, str] = {}
        self._newest: deque[str] = deque(maxlen=LATE)
        self._last: str | None = None
        self._seen: tuple[int, int] | None = None
        self._forgotten: int | None = None

    def refresh(self) -> None:
        """Read what was stored since the last time; everything the first time."""
        forgotten = self._watch.version()
        if forgotten != self._forgotten:
            self.clear()
            self._forgotten = forgotten
        compacted = self._compactions.version()
        if compacted != self._compacted:
            held = self._store.records(RecordKind.COMPACTION)
            self.summaries, self._compacted = frozenset(record.id for record in held), compacted
        totals = self._store.totals()
        if self._seen == (totals.exchanges, totals.messages):
            return
        # A store that is asked for more than there is counts all that it holds.
        self._read(self._last, totals.exchanges - len(self._nodes))
        if len(self._nodes) != totals.exchanges:
            totals = self._store.totals()
        if len(self._nodes) < totals.exchanges and self._newest:
            self._read(min(self._newest))  # others wrote at the same time, with ids a little older
        if len(self._nodes) != totals.exchanges and self._nodes:
            self.clear()  # much older ids were imported, or something is gone
            self._forgotten = forgotten
            self._read(None)
        self._seen = (totals.exchanges, totals.messages)

    def clear(self) -> None:
        """Drop everything; the next ``refresh`` reads it again."""
        self.shelf.clear()
        self._nodes.clear()
        self._behind.clear()
        self._opened.clear()
        self._first.clear()
        self._answers.clear()
        self._open.clear()
        self._newest.clear()
        self._last, self._seen, self._forgotten = None, None, None

    def _read(self, after: str | None, most: int | None = None) -> None:
        size = PAGE if most is None else min(PAGE, most)
        while size > 0 and (page := self._store.scan(after, size)):
            for exchange in page:
                if exchange.id not in self._nodes:
                    self._enter(exchange)
            after = page[-1].id
            if len(page) < size:
                break
            if most is not None:
                most -= size
                size = min(PAGE, most)
        self._last = max(filter(None, (self._last, after)), default=None)

    def _enter(self, exchange: Exchange) -> None:
        node = self.settle(exchange)
        self._newest.append(node.id)
        _add(self._opened, node.opening, node.id)
        if node.parent is None:
            self._first.append(node.id)
        else:
            _add(self._behind, node.parent, node.id)

    def settle(self, exchange: Exchange) -> Node:
        """Update an exchange to its stored state; its answer may have arrived."""
        node = _node(exchange, self._nodes)
        self._nodes[node.id] = node
        if node.answer:
            self._answers.add(node.answer)
        if exchange.state is ExchangeState.OPEN:
            self._open[node.id] = node.session
        else:
            self._open.pop(node.id, None)
        return node

    def is_followed(self, exchange_id: str) -> bool:
        """Return whether any exchange follows one."""
        return exchange_id in self._behind

    def is_answered_by(self, answer: bytes) -> bool:
        """Return whether any exchange has an answer of this digest."""
        return answer in self._answers

    def open_in(self, session: str) -> list[str]:
        """Return the exchanges of a session that were open when last looked at."""
        return [name for name, home in self._open.items() if home == session]

    def node(self, exchange_id: str) -> Node | None:
        """Return one exchange, or None."""
        return self._nodes.get(exchange_id)

    def behind(self, parent: str | None, opening: bytes) -> Iterator[Node]:
        """Return the exchanges with a user message that follow one (None: first ones)."""
        if parent is None:
            return (node for node in self.opened(opening) if node.parent is None)
        return (node for node in self.following(parent) if node.opening == opening)

    def following(self, parent: str | None) -> Iterator[Node]:
        """Return those that follow an exchange; the first ones of all sessions for None."""
        names = self._first if parent is None else _names(self._behind.get(parent))
        return (self._nodes[name] for name in names)

    def opened(self, opening: bytes) -> Iterator[Node]:
        """Return the exchanges that begin with a user message, anywhere."""
        return (self._nodes[name] for name in _names(self._opened.get(opening)))

    def every(self) -> Iterable[Node]:
        """Return every exchange."""
        return self._nodes.values()

    def is_below(self, node: Node, above: set[str]) -> bool:
        """Return whether an exchange follows one of others, at any distance."""
        parent = node.parent
        while parent is not None:
            if parent in above:
                return True
            known = self._nodes.get(parent)
            parent = known.parent if known else None
        return False


_Names = str | list[str]
"""One id, or several: most keys have one."""
_Key = TypeVar("_Key", str, bytes)


def _add(into: dict[_Key, _Names], key: _Key, name: str) -> None:
    held = into.get(key)
    if isinstance(held, list):
        held.append(name)
    else:
        into[key] = name if held is None else [held, name]


def _names(held: _Names | None) -> Sequence[str]:
    if held is None:
        return ()
    return [held] if isinstance(held, str) else held


def _node(exchange: Exchange, known: dict[str, Node]) -> Node:
    rest, answer = b"", b""
    if exchange.state is ExchangeState.COMPLETE:
        said = rest_of(exchange)
        rest = digest_of(said)
        last = answer_of(said)
        answer = b"" if last is None else rest if len(said) == 1 else digest_of([last])
    first = exchange.user
    opening = digest_of(atoms([first])) if first.parts else NOTHING
    parent = known.get(exchange.parent) if exchange.parent else None
    # Ids and digests are held once: a parent's strings are shared with its children.
    session = parent.session if parent else exchange.session
    name = parent.id if parent else exchange.parent
    return Node(exchange.id, session, name, opening, rest, answer, exchange.model is not None)
