"""History sync: find the position of a client's list of messages in the log.

1. The history is looked up from the beginning of a session, exchange by exchange. If the client
   left out the beginning, or something in the middle, it is looked up anywhere.
2. What is not stored is imported in one transaction: after what is, as a branch, or as a new
   session. What was forgotten passes through.
3. The last user message is new, or already stored at that position: then it is answered again, or
   its tool rounds continue.
"""

from collections.abc import Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from threading import RLock

from unabridged.budget.count import Counter
from unabridged.domain.client_history import ClientMessage, SyncedHistory
from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.message import Role
from unabridged.domain.session import Session, title_from
from unabridged.errors import (
    HeadMovedError,
    InputError,
    NotFoundError,
    StoreBusyError,
)
from unabridged.forgetting.tombstones import ForgottenIndex
from unabridged.history_sync.import_new import ExchangeBuilder
from unabridged.history_sync.normalize_history import parted
from unabridged.history_sync.path_index import PathIndex
from unabridged.history_sync.place import (
    SOURCE,
    GoneError,
    KnownHistories,
    PlaceFinder,
    PlaceRequest,
    RequestPlace,
)
from unabridged.history_sync.position import LogPosition
from unabridged.history_sync.program_folders import folder_of
from unabridged.history_sync.program_ids import ProgramIds
from unabridged.history_sync.program_texts import mark_opening, marks_of, title_words
from unabridged.ports import Clock, Store
from unabridged.recording.record import extend_exchange, originals_of
from unabridged.recording.sessions import counted
from unabridged.space.sessions import check_session_name
from unabridged.space.space import Space
from unabridged.wire.incoming_message import IncomingMessage

ATTEMPTS = 5
"""How often a position is looked for while others forget what was found."""
CHAT_LOCKS = 64
"""Locks of chats; chats that share one by chance wait for each other."""


class HistorySync:
    """Finds the position of clients' histories in one space."""

    def __init__(self, space: Space) -> None:
        self.store: Store = space.dependencies.store
        self.clock: Clock = space.clock
        self.counter = Counter(space.dependencies.tokenizer)
        self.forgotten_index: ForgottenIndex = space.forgetting.forgotten_index
        self.off_record: str = space.settings.off_record
        self.index = PathIndex(self.store)
        self.ids = ProgramIds(self.store)
        self._foreign: tuple[int, dict[str, str]] = (-1, {})
        self._lock = RLock()  # around the index of paths: one request at a time
        self._chats = [RLock() for _ in range(CHAT_LOCKS)]

    def chat_lock(
        self, drafts: Sequence[IncomingMessage], session: str | None, program_id: str | None
    ) -> AbstractContextManager[object]:
        """Return a lock that requests of one chat share, from ``sync`` to the begin of a turn.

        A client may ask two models at once: the second request has to find what the first began.
        """
        opening = next((d.text for d in drafts if d.role is Role.USER), "")
        return self._chats[hash(session or (program_id, opening)) % CHAT_LOCKS]

    def sync(
        self,
        drafts: Sequence[IncomingMessage],
        session: str | None,
        program_id: str | None = None,
        *,
        record: bool,
    ) -> SyncedHistory:
        """Find where a client's list is in the log, and import what is new.

        What is imported is durable when this returns. The last user message is stored by the turn
        that answers it. Edits and regenerated answers become branches. What was forgotten is passed
        on and not stored.

        Args:
            drafts: The whole list: system, user, assistant, tool …
            session: The id of the session that the client names, ours or a foreign one. An unknown
                one is begun. None finds the session by the messages.
            program_id: The id that the client's program sends for its conversation, or None. A list
                that continues no session of this id begins one.
            record: Whether anything may be written.

        Raises:
            InputError: There is no user message to answer.
            NameRefusedError: A session cannot have this name.
            StoreBusyError: What was found was forgotten repeatedly in the meantime.
        """
        said = parted(drafts)
        user = said[-1].user if said else None
        if user is None:
            raise InputError(
                "The request has no user message.",
                hint="Send at least one message with the role user.",
            )
        with self._lock:
            home = self._home(session) if session is not None else None
            folder = folder_of(drafts)
            for _ in range(ATTEMPTS):
                self.index.refresh()
                place = PlaceRequest(said, session, home, program_id, folder)
                request = _Request(self, drafts, place, user)
                try:
                    found = request.synced(record=record)
                except GoneError:
                    self.index.clear()
                    continue
                if record and program_id is not None:
                    self.ids.note(program_id, found.session)
                return replace(found, stored=record)
        raise StoreBusyError(
            "The history that this request continues is being forgotten.", hint="Send it again."
        )

    def _home(self, named: str) -> Session | None:
        check_session_name(named)
        if (held := self.store.session(named)) is not None:
            return held
        count = self.store.totals().sessions
        if self._foreign[0] != count:
            every = self.store.sessions()
            self._foreign = (count, {s.foreign_id: s.id for s in every if s.foreign_id})
        known = self._foreign[1].get(named)
        return self.store.session(known) if known else None


class _Request:
    """One request while its position is looked for."""

    def __init__(
        self,
        sync: HistorySync,
        drafts: Sequence[IncomingMessage],
        request: PlaceRequest,
        user: IncomingMessage,
    ) -> None:
        self._store = sync.store
        self._clock = sync.clock
        self._counter = sync.counter
        self._asked = request.said[-1]
        self._drafts = drafts
        self._draft = user
        self._request = request
        self._index = sync.index
        stored = KnownHistories(
            sync.store, sync.index, sync.forgotten_index, sync.off_record, sync.ids, sync.clock
        )
        self._finder = PlaceFinder(request, stored)

    def synced(self, *, record: bool) -> SyncedHistory:
        """Find the position, import what is new, and return the position of the request."""
        place = self._finder.place()
        session = place.session or self._request.named or self._clock.new_id()
        maker = ExchangeBuilder(self._clock, session)
        path = self._path(place.found, maker)
        added = self._added(place, maker)
        known = zip(place.found.path, path, strict=True)
        unstored = {exchange.id for name, exchange in known if name is None}
        unstored |= {exchange.id for exchange, passes in added if passes or not record}
        new = [exchange for exchange, passes in added if not passes]
        parent = new[-1] if new else place.parent
        at, summary = place.summary, None
        if at is not None and at < len(path) and not self._finder.finder.passes(at):
            made = maker.exchange(self._finder.before[at], place.after)
            unstored.discard(path[at].id)
            path[at] = summary = counted(made, self._counter)
            unstored |= set() if record else {summary.id}
            new = [summary, *new]
        taken = sum(message.at is maker.at for each in new for message in each.messages)
        if new and record:
            self._admit(new, place, summary)
        if record:
            self._close(place, maker)
        path += [exchange for exchange, _ in added]
        found = self._said(place, maker, path, parent, taken if record else 0)
        return replace(found, unstored=frozenset(unstored))

    def _path(self, found: LogPosition, maker: ExchangeBuilder) -> list[Exchange]:
        held = self._index.shelf.get(name for name in found.path if name is not None)
        path: list[Exchange] = []
        for n, name in enumerate(found.path):
            if name is None:
                path.append(maker.exchange(self._finder.before[n], None))
            elif name in held:
                path.append(held[name])
            else:
                raise GoneError
        return path

    def _added(self, place: RequestPlace, maker: ExchangeBuilder) -> list[tuple[Exchange, bool]]:
        made: list[tuple[Exchange, bool]] = []
        before = place.parent
        for n in range(place.found.known, len(self._finder.before)):
            said = self._finder.before[n]
            if self._finder.finder.passes(n):
                made.append((maker.exchange(said, None), True))
                continue
            twin = None
            if before is place.parent and place.session is not None and said.user is not None:
                every = self._finder.finder.twins(before.id if before else None, said)
                twins = [node for node in every if node.session == place.session]
                twin = self._finder.exchange(twins[-1].id).user if twins else None
            before = counted(maker.exchange(said, before, twin), self._counter)
            made.append((before, False))
        return made

    def _admit(
        self, new: Sequence[Exchange], place: RequestPlace, summary: Exchange | None
    ) -> None:
        first, last = new[0], new[-1]
        header = self._store.session(first.session)
        if header is None:
            header = Session(
                id=first.session,
                title=title_from(title_words(new, len(place.opening))),
                created=first.at,
                updated=first.at,
                head=last.messages[-1].id,
                source=SOURCE,
                foreign_id=self._request.program_id,
            )
        messages = [message for exchange in new for message in exchange.messages]
        self._store.import_session(header, new, originals_of(messages))
        if marks := marks_of(new, len(place.opening), summary.id if summary else None):
            self._store.put(marks)
        if place.opening:
            mark_opening(self._store, self._index, place.opening)

    def _close(self, place: RequestPlace, maker: ExchangeBuilder) -> None:
        going = place.grown.id if place.grown else None
        passed = {name for name in place.found.path if name is not None}
        names = self._index.open_in(place.session) if place.session else []
        for exchange in self._store.get(name for name in names if name != going).values():
            said = len(exchange.messages) > 1
            left = bool(exchange.messages[-1].calls) or exchange.id in passed
            if exchange.state is not ExchangeState.OPEN or not left:
                continue
            state = ExchangeState.INCOMPLETE if said else ExchangeState.UNANSWERED
            # Another request may have continued it, or forgotten it.
            with suppress(HeadMovedError, NotFoundError):
                extend_exchange(self._store, exchange, (), state=state, at=maker.at)

    def _said(
        self,
        place: RequestPlace,
        maker: ExchangeBuilder,
        path: Sequence[Exchange],
        parent: Exchange | None,
        taken: int,
    ) -> SyncedHistory:
        follows = parent.messages[-1].id if parent else None
        stored = place.grown or place.again
        user = stored.user if stored else maker.message(self._draft, follows)
        return SyncedHistory(
            session=maker.session,
            new_session=self._store.session(maker.session) is None,
            path=tuple(path),
            user=user,
            messages=self._messages(maker),
            parent=parent.id if parent else None,
            follows=follows,
            retry_of=place.again.id if place.again and not place.grown else None,
            open=place.grown,
            new_rounds=maker.new_rounds(self._asked.rest, place.grown),
            taken=taken,
            folder=self._request.folder,
        )

    def _messages(self, maker: ExchangeBuilder) -> tuple[ClientMessage, ...]:
        exchanges: dict[int, int] = {}
        for n, said in enumerate((*self._finder.before, self._asked)):
            drafts = (said.user, *said.rest) if said.user else said.rest
            exchanges |= {id(draft): n for draft in drafts}
        return tuple(
            ClientMessage(maker.sent(draft), exchanges.get(id(draft)), draft.items)
            for draft in self._drafts
        )
