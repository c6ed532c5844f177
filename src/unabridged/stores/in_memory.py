"""The reference store, in dictionaries. Nothing outlives the process.

It defines what other stores must do, and is written to be read.
"""

from collections import Counter as Multiset
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from secrets import token_hex
from threading import RLock

from unabridged.domain.blob import Blob, BlobKind
from unabridged.domain.changes import Changes
from unabridged.domain.exchange import Exchange
from unabridged.domain.message import Message, nearest_left
from unabridged.domain.record import Record, RecordKind
from unabridged.domain.scope import SpaceId
from unabridged.domain.session import Session, bears_title
from unabridged.domain.write import Batch, Totals
from unabridged.errors import HeadMovedError
from unabridged.log.iterate import parents_first
from unabridged.stores import store_errors
from unabridged.stores.memory_changes import MemoryChanges
from unabridged.stores.memory_content import (
    MESSAGE,
    MemoryBlobs,
    MemoryRecords,
    Packed,
    StoredExchange,
    packed,
    size_of,
)


class InMemoryStore:
    """One space in dictionaries; the reference implementation of ``ports.Store``."""

    def __init__(self, space: SpaceId) -> None:
        self._space = space
        self._lock = RLock()
        self._closed = False
        self._sessions: dict[str, Session] = {}
        self._entries: dict[str, StoredExchange] = {}
        self._blobs = MemoryBlobs()
        self._records = MemoryRecords(self._blobs)
        self._generation = token_hex(8)
        self._changes = MemoryChanges()
        self._owners: dict[str, str] = {}
        self._messages: dict[str, Message] = {}
        for kind in RecordKind:
            self._changes.filed(kind)
        self._tokens = self._bytes = 0

    @property
    def space(self) -> SpaceId:
        return self._space

    # --- writing -------------------------------------------------------------------------------

    def append(self, batch: Batch, expect_head: str | None) -> None:
        with self._open():
            session, exchange = batch.session, batch.exchange
            self._expect(session.id, expect_head)
            entry = self._entries.get(exchange.id)
            if exchange.session != session.id or (entry and entry.exchange.session != session.id):
                raise store_errors.wrong_session(exchange.id, session.id)
            if entry is None:
                self._check_new(exchange, batch.opened_by)
            ids = [message.id for message in exchange.messages]
            for place, message_id in enumerate(ids):
                if message_id in self._messages or message_id in ids[:place]:
                    raise store_errors.duplicate(message_id)
            if session.head not in ids:
                self._check_head(session)
            records = packed(batch.records)
            if entry is None:
                entry = StoredExchange(replace(exchange, messages=()), batch.opened_by)
            self._changes.begin()
            self._keep(entry, exchange, batch.originals)
            self._set_session(session)
            self._put(records)

    def import_session(
        self,
        session: Session,
        exchanges: Sequence[Exchange],
        originals: Mapping[str, bytes] | None = None,
    ) -> int:
        with self._open():
            added = self._admissible(session, exchanges)
            known = self._sessions.get(session.id)
            news = {message.id for _, own in added for message in own.messages}
            if known is None and session.head not in news:
                self._check_head(session)
            if known is None or added:
                self._changes.begin()
            for entry, own in added:
                self._keep(entry, own, originals or {})
            if known is None:
                self._set_session(session)
            elif added:
                head = session.head if self._leads_on(session, known, added) else known.head
                updated = max(known.updated, session.updated)
                self._set_session(replace(known, head=head, updated=updated))
            return len(added)

    def set_session(self, session: Session, expect_head: str | None) -> None:
        with self._open():
            self._expect(session.id, expect_head)
            self._check_head(session)
            self._changes.begin()
            self._set_session(session)

    def put(self, records: Iterable[Record]) -> None:
        with self._open():
            given = packed(records)
            self._changes.begin()
            self._put(given)

    def delete(self, kind: RecordKind, ids: Iterable[str]) -> None:
        with self._open():
            self._changes.begin()
            if self._records.drop(kind, ids):
                self._changes.filed(kind)

    def erase(self, ids: Iterable[str]) -> int:
        with self._open():
            gone = {name: self._entries[name] for name in ids if name in self._entries}
            self._changes.begin()
            for exchange_id in gone:
                del self._entries[exchange_id]
                self._changes.erased(exchange_id)
            self._lift_children(gone)
            lost: dict[str, Message] = {}
            for entry in gone.values():
                for message in entry.exchange.messages:
                    if not self._bequeath(message):
                        lost[message.id] = self._lose(message)
            self._lift_messages(lost)
            for session_id in {entry.exchange.session for entry in gone.values()}:
                self._repair_session(session_id, lost)
            for kind in self._records.drop_drawn_from(gone):
                self._changes.filed(kind)
            return len(gone)

    # --- reading -------------------------------------------------------------------------------

    def recent(self, session: str, limit: int, before: str | None = None) -> list[Exchange]:
        with self._open():
            header = self._sessions.get(session)
            if header is None:
                return []
            if before is None:
                step = self._ending(header.head)
            else:
                entry = self._entries.get(before)
                mine = entry is not None and entry.exchange.session == session
                step = entry.exchange.parent if entry and mine else None
            path: list[Exchange] = []
            while step is not None and len(path) < limit:
                path.append(self._view(self._entries[step]))
                step = self._entries[step].exchange.parent
            return path[::-1]

    def get(self, ids: Iterable[str]) -> dict[str, Exchange]:
        with self._open():
            return {name: self._view(self._entries[name]) for name in ids if name in self._entries}

    def scan(self, after: str | None = None, limit: int = 1000) -> list[Exchange]:
        with self._open():
            ids = sorted(name for name in self._entries if after is None or name > after)
            return [self._view(self._entries[name]) for name in ids[: max(limit, 0)]]

    def exchanges_of(self, session: str) -> list[Exchange]:
        with self._open():
            mine = sorted(n for n, e in self._entries.items() if e.exchange.session == session)
            return parents_first([self._view(self._entries[name]) for name in mine])

    def session(self, session_id: str) -> Session | None:
        with self._open():
            return self._sessions.get(session_id)

    def sessions(self, newest: int | None = None) -> list[Session]:
        with self._open():
            order = sorted(self._sessions.values(), key=lambda s: (s.updated, s.id), reverse=True)
            return order if newest is None else order[: max(newest, 0)]

    def counts(self) -> dict[str, int]:
        with self._open():
            return dict(Multiset(entry.exchange.session for entry in self._entries.values()))

    def kinds(self) -> dict[tuple[str, str], int]:
        with self._open():
            held = (entry.exchange for entry in self._entries.values())
            return dict(Multiset((one.state.value, one.model or "") for one in held))

    def records(
        self,
        kind: RecordKind,
        *,
        ids: Sequence[str] | None = None,
        newest: int | None = None,
    ) -> list[Record]:
        with self._open():
            return self._records.records(kind, ids, newest)

    def totals(self) -> Totals:
        with self._open():
            return Totals(
                sessions=len(self._sessions),
                exchanges=len(self._entries),
                messages=len(self._messages),
                tokens=self._tokens,
                bytes=self._bytes,
            )

    def blobs(self, digests: Iterable[str]) -> dict[str, Blob]:
        with self._open():
            return self._blobs.get(digests)

    def originals(self, ids: Iterable[str]) -> dict[str, bytes]:
        with self._open():
            return {
                name: blob.data
                for name in ids
                for blob in self._blobs.of((MESSAGE, name))
                if blob.kind is BlobKind.ORIGINAL
            }

    @property
    def generation(self) -> str:
        return self._generation

    def last_revision(self) -> int:
        with self._open():
            return self._changes.revision

    def changes(self, since: int | None) -> Changes:
        with self._open():
            return self._changes.since(since)

    def close(self) -> None:
        self._closed = True

    def _set_session(self, session: Session) -> None:
        self._sessions[session.id] = session
        self._changes.touched(session.id)

    def _put(self, records: Iterable[Packed]) -> None:
        for kind in self._records.put(records, self._entries):
            self._changes.filed(kind)

    # --- the parts -----------------------------------------------------------------------------

    def _open(self) -> RLock:
        if self._closed:
            raise store_errors.closed()
        return self._lock

    def _expect(self, session_id: str, expect_head: str | None) -> None:
        known = self._sessions.get(session_id)
        found = known.head if known else None
        if found != expect_head:
            raise HeadMovedError(session_id, expect_head, found)

    def _check_new(self, exchange: Exchange, opened_by: str | None) -> None:
        if exchange.parent is not None and not self._holds(exchange.parent, exchange.session):
            raise store_errors.stray_parent(exchange.id, exchange.parent)
        if opened_by is not None and not self._holds(self._owners.get(opened_by), exchange.session):
            raise store_errors.stray_opening(exchange.id, opened_by)
        if opened_by is None and not exchange.messages:
            raise store_errors.empty(exchange.id)

    def _check_head(self, session: Session) -> None:
        if session.head is None:
            return
        if not self._holds(self._owners.get(session.head), session.id):
            raise store_errors.stray_head(session.id, session.head)

    def _holds(self, exchange_id: str | None, session_id: str) -> bool:
        entry = self._entries.get(exchange_id) if exchange_id is not None else None
        return entry is not None and entry.exchange.session == session_id

    def _keep(self, entry: StoredExchange, news: Exchange, originals: Mapping[str, bytes]) -> None:
        entry.exchange = replace(
            entry.exchange,
            messages=entry.exchange.messages + news.messages,
            state=news.state,
            mode=news.mode,
            model=news.model,
        )
        self._entries[news.id] = entry
        self._changes.wrote(news.id)
        for message in news.messages:
            self._messages[message.id] = message
            self._owners[message.id] = news.id
            if message.id in originals:
                blob = Blob(BlobKind.ORIGINAL, originals[message.id])
                self._blobs.use((MESSAGE, message.id), [blob])
            self._tokens += message.tokens or 0
            self._bytes += size_of(message)

    def _admissible(
        self, session: Session, exchanges: Sequence[Exchange]
    ) -> list[tuple[StoredExchange, Exchange]]:
        # Return what is new: an empty entry, and the exchange with its own messages.
        added: list[tuple[StoredExchange, Exchange]] = []
        news: dict[str, Message] = {}
        ids: set[str] = set()
        for exchange in exchanges:
            if exchange.session != session.id:
                raise store_errors.wrong_session(exchange.id, session.id)
            if exchange.id in self._entries or exchange.id in ids:
                continue
            if not exchange.messages:
                raise store_errors.empty(exchange.id)
            parent = exchange.parent
            if parent is not None and parent not in ids and not self._holds(parent, session.id):
                raise store_errors.stray_parent(exchange.id, parent)
            first = exchange.messages[0]
            twin = news.get(first.id) or self._messages.get(first.id)
            shared = first.id if twin == first else None
            own = exchange.messages if shared is None else exchange.messages[1:]
            for message in own:
                if message.id in news or message.id in self._messages:
                    raise store_errors.duplicate(message.id)
                news[message.id] = message
            ids.add(exchange.id)
            entry = StoredExchange(replace(exchange, messages=()), shared)
            added.append((entry, replace(exchange, messages=own)))
        return added

    def _leads_on(
        self, session: Session, known: Session, added: list[tuple[StoredExchange, Exchange]]
    ) -> bool:
        if known.head is None or session.head is None:
            return known.head is None and session.head in self._owners
        step = self._ending(session.head)
        if step not in {own.id for _, own in added}:
            return False
        ours = self._ending(known.head)
        while step is not None and step != ours:
            entry = self._entries[step]
            if entry.opened_by == known.head:
                return True  # The answer to a message that had none.
            step = entry.exchange.parent
        return step is not None

    def _view(self, entry: StoredExchange) -> Exchange:
        if entry.opened_by is None:
            return entry.exchange
        shared = (self._messages[entry.opened_by],)
        return replace(entry.exchange, messages=shared + entry.exchange.messages)

    def _sharing(self, message_id: str) -> list[str]:
        return sorted(n for n, entry in self._entries.items() if entry.opened_by == message_id)

    def _ending(self, head: str | None) -> str | None:
        # Return the exchange of a head: the newest one that ends there, else its owner.
        owner = self._owners.get(head) if head is not None else None
        if head is None or owner is None:
            return None
        for exchange_id in sorted([owner, *self._sharing(head)], reverse=True):
            if self._view(self._entries[exchange_id]).messages[-1].id == head:
                return exchange_id
        return owner

    # --- forgetting ----------------------------------------------------------------------------

    def _lift_children(self, gone: dict[str, StoredExchange]) -> None:
        for entry in self._entries.values():
            parent = entry.exchange.parent
            while parent is not None and parent in gone:
                parent = gone[parent].exchange.parent
            if parent != entry.exchange.parent:
                self._changes.moved(entry.exchange.id)
                entry.exchange = replace(entry.exchange, parent=parent)

    def _bequeath(self, message: Message) -> bool:
        heirs = self._sharing(message.id)
        if not heirs:
            return False
        heir = self._entries[heirs[0]]
        heir.opened_by = None
        heir.exchange = replace(heir.exchange, messages=(message, *heir.exchange.messages))
        self._owners[message.id] = heirs[0]
        return True

    def _lose(self, message: Message) -> Message:
        del self._messages[message.id], self._owners[message.id]
        self._blobs.release((MESSAGE, message.id))
        self._tokens -= message.tokens or 0
        self._bytes -= size_of(message)
        return message

    def _lift_messages(self, lost: dict[str, Message]) -> None:
        for entry in self._entries.values():
            if any(message.parent in lost for message in entry.exchange.messages):
                lifted = tuple(
                    replace(message, parent=nearest_left(message.parent, lost))
                    for message in entry.exchange.messages
                )
                entry.exchange = replace(entry.exchange, messages=lifted)
                self._messages.update((message.id, message) for message in lifted)

    def _repair_session(self, session_id: str, lost: dict[str, Message]) -> None:
        header = self._sessions[session_id]
        left = sorted(n for n, e in self._entries.items() if e.exchange.session == session_id)
        if not left:
            del self._sessions[session_id]
            self._changes.removed(session_id)
            return
        self._changes.touched(session_id)
        head = nearest_left(header.head, lost)
        if head is None and header.head is not None:
            head = self._view(self._entries[left[-1]]).messages[-1].id
        title = "" if bears_title(header.title, lost.values()) else header.title
        self._sessions[session_id] = replace(header, head=head, title=title)
