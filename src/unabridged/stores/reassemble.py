"""Reassemble recovered rows into sessions and exchanges, as whole as possible.

It knows no file format: a store passes the intact rows (``Finds``) and gets conversations that any
store admits, with a report of what is missing.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from unabridged.domain.backup_results import Missing, Recovery
from unabridged.domain.blob import Blob
from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.message import Message, Role
from unabridged.domain.record import Record, RecordKind
from unabridged.domain.scope import SpaceId
from unabridged.domain.session import Session, title_from
from unabridged.ports import Store

_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_ULID = 26
LOST_SESSION = "salvaged"
"""The prefix of names of sessions that lost their header."""


@dataclass(frozen=True, slots=True)
class Header:
    """An exchange without messages, the shared message, and the number of its own messages."""

    exchange: Exchange
    opened_by: str | None
    own: int


@dataclass
class Finds:
    """The intact rows of a damaged file.

    Attributes:
        messages: Messages by id: their number in the log, their exchange, the message.
        records: Records by kind and id, without their blobs.
        uses: The digests of the blobs that records use, by kind and id.
        originals: The digests of the originals of messages, by message id.
        named: Exchanges that other rows mention, with their time if known.
        numbers: The number of an exchange's session, in case its name is lost.
        exchanges: The number of exchanges that the file counts; None if unreadable.
        counted: The number of records of each kind that it counts.
        unsure: Whether it may have held more than was found or counted.
    """

    space: SpaceId | None = None
    sessions: dict[str, Session] = field(default_factory=dict)
    headers: dict[str, Header] = field(default_factory=dict)
    messages: dict[str, tuple[int, str, Message]] = field(default_factory=dict)
    records: dict[tuple[RecordKind, str], Record] = field(default_factory=dict)
    uses: dict[tuple[RecordKind, str], list[str]] = field(default_factory=dict)
    blobs: dict[str, Blob] = field(default_factory=dict)
    originals: dict[str, str] = field(default_factory=dict)
    named: dict[str, datetime | None] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    exchanges: int | None = None
    counted: Mapping[str, int] = field(default_factory=dict)
    unsure: bool = False


@dataclass(frozen=True, slots=True)
class Salvaged:
    """The content that can be stored again.

    Attributes:
        conversations: Sessions with their exchanges, parents before children.
        records: Records, with those of their blobs that were found.
        originals: Messages as another program stored or sent them, by message id.
    """

    conversations: list[tuple[Session, list[Exchange]]]
    records: list[Record]
    originals: dict[str, bytes]
    account: Recovery


def assemble(finds: Finds, path: str) -> Salvaged:
    """Reassemble what was found in a damaged file."""
    table = _Table(finds)
    kept = table.kept()
    by_session: dict[str, list[Exchange]] = {}
    for exchange in kept.values():
        by_session.setdefault(exchange.session, []).append(exchange)
    conversations = []
    for name in sorted(by_session.keys() | finds.sessions.keys()):
        order = _ordered(by_session.get(name, []))
        conversations.append((table.session(name, order), order))
    records = [
        replace(record, blobs=tuple(finds.blobs[n] for n in finds.uses[key] if n in finds.blobs))
        for key, record in finds.records.items()
        if all(x in kept for x in record.exchanges)
    ]
    originals = {
        name: finds.blobs[digest].data
        for name, digest in finds.originals.items()
        if digest in finds.blobs
    }
    missing = table.missing()
    held = len(kept) + sum(not one.kept for one in missing)
    gone = sum(finds.counted.values()) - len(records) if finds.counted else 0
    account = Recovery(
        path=path,
        space=finds.space,
        sessions=len(conversations),
        exchanges=len(kept) - sum(one.kept for one in missing),
        incomplete=sum(one.kept for one in missing),
        records=len(records),
        missing=tuple(missing),
        unknown=max(0, (finds.exchanges or 0) - held),
        records_missing=max(0, gone),
        unsure=finds.unsure,
    )
    return Salvaged(conversations, records, originals, account)


class _Table:
    """The finds, with indexes."""

    def __init__(self, finds: Finds) -> None:
        self._finds = finds
        self._by_exchange: dict[str, list[tuple[int, Message]]] = {}
        for seq, owner, message in finds.messages.values():
            self._by_exchange.setdefault(owner, []).append((seq, message))
        for held in self._by_exchange.values():
            held.sort(key=lambda one: one[0])
        self._lost: dict[str, tuple[str, bool]] = {}
        self._groups = _grouped(finds)
        self._sessions = {
            self._groups.root(name): header.exchange.session
            for name, header in finds.headers.items()
        }
        for session in finds.sessions.values():
            at = finds.messages.get(session.head or "")
            if at is not None:
                self._sessions.setdefault(self._groups.root(at[1]), session.id)
        self._kept: dict[str, Exchange] = {}

    def kept(self) -> dict[str, Exchange]:
        """Every exchange whose user message exists, linked to another kept one."""
        names = self._finds.headers.keys() | self._by_exchange.keys()
        for name in sorted(names, key=self._order):
            exchange = self._exchange(name)
            if exchange is not None:
                self._kept[name] = exchange
        for name, exchange in list(self._kept.items()):
            self._kept[name] = self._linked(exchange)
        for name, exchange in list(self._kept.items()):
            self._kept[name] = self._beside(exchange)
        return self._kept

    def missing(self) -> list[Missing]:
        """Incomplete exchanges and those only mentioned, by session and time."""
        known = self._finds.headers.keys() | self._by_exchange.keys()
        for name in self._finds.named.keys() - known:
            self._lost[name] = ("everything", False)
        found = []
        for name, (what, kept) in self._lost.items():
            session = self._session_of(name)
            header = self._finds.sessions.get(session)
            title = header.title if header else ""
            found.append(Missing(name, session, title, self._time_of(name), kept, what))
        last = datetime.max.replace(tzinfo=UTC)
        return sorted(found, key=lambda one: (one.session, one.at or last, one.exchange))

    def session(self, name: str, exchanges: list[Exchange]) -> Session:
        """A session's header, with a head that exists."""
        header = self._finds.sessions.get(name)
        there = {message.id for exchange in exchanges for message in exchange.messages}
        newest = max(exchanges, key=self._reach, default=None)
        head = newest.messages[-1].id if newest else None
        if header is not None:
            return header if header.head in there else replace(header, head=head)
        times = [exchange.at for exchange in exchanges] or [datetime.fromtimestamp(0, UTC)]
        title = title_from(exchanges[0].user.text) if exchanges else ""
        return Session(name, title, min(times), max(times), head)

    def _exchange(self, name: str) -> Exchange | None:
        header = self._finds.headers.get(name)
        own = [message for _, message in self._by_exchange.get(name, ())]
        if header is None:
            return self._without_header(name, own)
        shared = self._shared(header)
        messages = (*shared, *own)
        if len(own) == header.own and bool(shared) == (header.opened_by is not None):
            return replace(header.exchange, messages=messages)
        if not messages or messages[0].role is not Role.USER:
            self._lost[name] = ("the user's message", False)
            return None
        lacking = header.own - len(own)
        self._lost[name] = (f"{lacking} of {header.own} messages", True)
        state = ExchangeState.INCOMPLETE if len(messages) > 1 else ExchangeState.UNANSWERED
        return replace(header.exchange, messages=messages, state=state)

    def _shared(self, header: Header) -> tuple[Message, ...]:
        found = self._finds.messages.get(header.opened_by or "")
        return (found[2],) if found else ()

    def _without_header(self, name: str, own: list[Message]) -> Exchange | None:
        if not own or own[0].role is not Role.USER:
            self._lost[name] = ("the user's message", False)
            return None
        self._lost[name] = ("model, mode and state", True)
        answered = own[-1].role is Role.ASSISTANT
        state = ExchangeState.INCOMPLETE if answered else ExchangeState.UNANSWERED
        session = self._session_of(name)
        before = self._finds.messages.get(own[0].parent or "")
        return Exchange(name, session, before[1] if before else None, state, tuple(own), own[0].at)

    def _linked(self, exchange: Exchange) -> Exchange:
        parent = exchange.parent
        if parent is None or self._is_before(parent, exchange):
            return self._chained(exchange)
        reach = self._order(exchange.id)
        before = [
            other
            for other in self._kept.values()
            if other.session == exchange.session and self._order(other.id) < reach
        ]
        nearest = max(before, key=self._reach, default=None)
        last = nearest.messages[-1].id if nearest else None
        first = replace(exchange.messages[0], parent=last)
        linked = replace(
            exchange,
            parent=nearest.id if nearest else None,
            messages=(first, *exchange.messages[1:]),
        )
        return self._chained(linked)

    def _beside(self, exchange: Exchange) -> Exchange:
        first = exchange.messages[0]
        owner = self._kept.get(self._finds.messages[first.id][1])
        if owner is None or owner.id == exchange.id or owner.session != exchange.session:
            return exchange
        messages = (owner.messages[0], *exchange.messages[1:])
        return replace(exchange, parent=owner.parent, messages=messages)

    def _is_before(self, parent: str, exchange: Exchange) -> bool:
        held = self._kept.get(parent)
        return held is not None and held.session == exchange.session

    def _chained(self, exchange: Exchange) -> Exchange:
        if exchange.id not in self._lost:
            return exchange
        done = [exchange.messages[0]]
        for message in exchange.messages[1:]:
            done.append(replace(message, parent=done[-1].id))
        return replace(exchange, messages=tuple(done))

    def _session_of(self, name: str) -> str:
        header = self._finds.headers.get(name)
        if header is not None:
            return header.exchange.session
        root = self._groups.root(name)
        return self._sessions.get(root) or f"{LOST_SESSION}-{root}"

    def _order(self, name: str) -> tuple[int, str]:
        own = self._by_exchange.get(name)
        return (own[0][0] if own else 0, name)

    def _reach(self, exchange: Exchange) -> tuple[int, str]:
        own = self._by_exchange.get(exchange.id)
        return (own[-1][0] if own else 0, exchange.id)

    def _time_of(self, name: str) -> datetime | None:
        header = self._finds.headers.get(name)
        if header is not None:
            return header.exchange.at
        own = self._by_exchange.get(name)
        return own[0][1].at if own else self._finds.named.get(name) or time_of(name)


class _Groups:
    """Groups of linked exchanges, each of one session (disjoint sets)."""

    def __init__(self) -> None:
        self._above: dict[str, str] = {}

    def root(self, name: str) -> str:
        """Return the representative of a group: the first by name."""
        top = name
        while (above := self._above.get(top, top)) != top:
            top = above
        while name != top:
            name, self._above[name] = self._above.get(name, name), top
        return top

    def join(self, one: str, other: str) -> None:
        """Join the groups of two exchanges."""
        first, second = sorted((self.root(one), self.root(other)))
        self._above[second] = first


def _grouped(finds: Finds) -> _Groups:
    groups = _Groups()
    for _, owner, message in finds.messages.values():
        before = finds.messages.get(message.parent or "")
        if before is not None:
            groups.join(owner, before[1])
    for name, header in finds.headers.items():
        if header.exchange.parent is not None:
            groups.join(name, header.exchange.parent)
    firsts: dict[int, str] = {}
    for name, number in finds.numbers.items():
        groups.join(name, firsts.setdefault(number, name))
    return groups


def time_of(name: str) -> datetime | None:
    """Return the time in an id if it is a ULID of a plausible year, else None.

    Format: https://github.com/ulid/spec
    """
    if len(name) != _ULID or any(char not in _CROCKFORD for char in name):
        return None
    value = 0
    for char in name[:10]:
        value = value * 32 + _CROCKFORD.index(char)
    try:
        return datetime.fromtimestamp(value / 1000, UTC)
    except (OverflowError, ValueError, OSError):
        return None


def _ordered(exchanges: list[Exchange]) -> list[Exchange]:
    waiting = {exchange.id: exchange for exchange in exchanges}
    behind: dict[str, list[Exchange]] = {}
    ready: list[Exchange] = []
    for one in exchanges:
        if one.parent in waiting:
            behind.setdefault(str(one.parent), []).append(one)
        else:
            ready.append(one)
    order: list[Exchange] = []
    while waiting:
        if not ready:
            ready.append(replace(next(iter(waiting.values())), parent=None))
        one = ready.pop(0)
        if waiting.pop(one.id, None) is not None:
            order.append(one)
            ready += behind.get(one.id, ())
    return order


def write(recovered: Salvaged, store: Store) -> None:
    """Write recovered content into a store; repeating it adds nothing."""
    for session, exchanges in recovered.conversations:
        store.import_session(session, exchanges, recovered.originals)
    for kind in RecordKind:
        held = {record.id for record in store.records(kind)}
        store.put(r for r in recovered.records if r.kind is kind and r.id not in held)
