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
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import islice
from threading import RLock

from unabridged.budget.count import Counter
from unabridged.context.manifest import previous_manifest
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
from unabridged.history_sync.normalize_history import (
    NormalizedExchange,
    atoms,
    digest_of,
    halves,
    parted,
)
from unabridged.history_sync.path_index import Node, PathIndex
from unabridged.history_sync.position import (
    LEAST_EVIDENCE,
    NOWHERE,
    LogPosition,
    PositionFinder,
    passing,
)
from unabridged.ports import Clock, Store
from unabridged.recording.record import extend_exchange, originals_of
from unabridged.recording.sessions import counted, current_exchange
from unabridged.space.sessions import check_session_name
from unabridged.space.space import Space
from unabridged.wire.incoming_message import IncomingMessage

AGAIN_WITHIN = timedelta(minutes=30)
"""How long after its session was last changed a first message counts as repeated; later it begins a
session: people say "hi" every day.
"""
SOURCE = "server"
"""The source of sessions whose history a client sent."""
MOST_GAPS, MOST_CUTS = 3, 8
"""How many gaps a list is tried with, and how many cuts within an exchange."""
ATTEMPTS = 5
"""How often a position is looked for while others forget what was found."""
CHAT_LOCKS = 64
"""Locks of chats; chats that share one by chance wait for each other."""


class _GoneError(Exception):
    """What was found is no longer stored."""


class HistorySync:
    """Finds the position of clients' histories in one space."""

    def __init__(self, space: Space) -> None:
        self.store: Store = space.dependencies.store
        self.clock: Clock = space.clock
        self.counter = Counter(space.dependencies.tokenizer)
        self.forgotten_index: ForgottenIndex = space.forgetting.forgotten_index
        self.off_record: str = space.settings.off_record
        self.index = PathIndex(self.store)
        self._foreign: tuple[int, dict[str, str]] = (-1, {})
        self._lock = RLock()  # around the index of paths: one request at a time
        self._chats = [RLock() for _ in range(CHAT_LOCKS)]

    def chat_lock(
        self, drafts: Sequence[IncomingMessage], session: str | None
    ) -> AbstractContextManager[object]:
        """Return a lock that requests of one chat share, from ``sync`` to the begin of a turn.

        A client may ask two models at once: the second request has to find what the first began.
        """
        opening = next((d.text for d in drafts if d.role is Role.USER), "")
        return self._chats[hash(session or opening) % CHAT_LOCKS]

    def sync(
        self, drafts: Sequence[IncomingMessage], session: str | None, *, record: bool
    ) -> SyncedHistory:
        """Find where a client's list is in the log, and import what is new.

        What is imported is durable when this returns. The last user message is stored by the turn
        that answers it. Edits and regenerated answers become branches. What was forgotten is passed
        on and not stored.

        Args:
            drafts: The whole list: system, user, assistant, tool …
            session: The id of the session that the client names, ours or a foreign one. An unknown
                one is begun. None finds the session by the messages.
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
            for _ in range(ATTEMPTS):
                self.index.refresh()
                request = _Request(self, drafts, said, session, home)
                try:
                    return replace(request.synced(record=record), stored=record)
                except _GoneError:
                    self.index.clear()
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
        said: Sequence[NormalizedExchange],
        named: str | None,
        home: Session | None,
    ) -> None:
        self._store = sync.store
        self._clock = sync.clock
        self._counter = sync.counter
        self._before: Sequence[NormalizedExchange] = said[:-1]
        self._asked = said[-1]
        self._drafts = drafts
        self._named, self._home = named, home
        self._forgotten_index = sync.forgotten_index
        self._off_record = sync.off_record
        self._index = sync.index
        self._placer = self._finder(said)

    def _finder(self, said: Sequence[NormalizedExchange]) -> PositionFinder:
        only = self._home.id if self._home else None
        passes = passing(said, self._forgotten_index, self._off_record)
        return PositionFinder(self._index, only, passes)

    def synced(self, *, record: bool) -> SyncedHistory:
        """Find the position, import what is new, and return the position of the request."""
        place = self._place()
        maker = ExchangeBuilder(self._clock, place.session or self._named or self._clock.new_id())
        path = self._path(place.found, maker)
        added = self._added(place, maker)
        known = zip(place.found.path, path, strict=True)
        unstored = [exchange.id for name, exchange in known if name is None]
        unstored += [exchange.id for exchange, passes in added if passes or not record]
        new = [exchange for exchange, passes in added if not passes]
        taken = sum(message.at is maker.at for each in new for message in each.messages)
        if new and record:
            self._admit(new)
        if record:
            self._close(place, maker)
        path += [exchange for exchange, _ in added]
        parent = new[-1] if new else place.parent
        made = self._said(place, maker, path, parent, taken if record else 0)
        return replace(made, unstored=frozenset(unstored))

    def _place(self) -> "_Place":
        if self._named is not None and self._home is None:
            return _Place(NOWHERE)
        found = self._found()
        parent = self._exchange(found.parent.id) if found.parent else None
        here = parent.session if parent else self._home.id if self._home else None
        if found.known < len(self._before):
            return _Place(found, parent, session=here or self._beside())
        behind = parent.id if parent else None
        if (grown := self._grown(behind)) is not None:
            return _Place(found, parent, grown=grown, session=grown.session)
        twins = self._placer.twins(behind, self._asked)
        if all(each.user is None for each in self._before):
            return self._first(found, parent, [t for t in twins if self._is_touched(t.session)])
        again = self._exchange(twins[-1].id) if twins else None
        return _Place(found, parent, again=again, session=here)

    def _found(self) -> LogPosition:
        found = self._placer.place(self._before, self._asked)
        for _ in range(MOST_GAPS):
            if found.known == len(self._before):
                break
            further = self._further(found.known)
            if further is None:
                break
            found = further
        return found

    def _further(self, known: int) -> LogPosition | None:
        for both in islice(halves(self._before[known]), MOST_CUTS):
            before = [*self._before[:known], *both, *self._before[known + 1 :]]
            placer = self._finder([*before, self._asked])
            found = placer.place(before, self._asked)
            if found.known > known + 1:
                self._before, self._placer = before, placer
                return found
        return None

    def _beside(self) -> str | None:
        first = self._before[0]
        twins = self._placer.twins(None, first)
        telling = first.user is not None and len(first.user.text.strip()) >= LEAST_EVIDENCE
        near = [twin for twin in twins if telling or self._is_touched(twin.session)]
        return near[-1].session if near and first.user else None

    def _first(
        self, found: LogPosition, parent: Exchange | None, twins: Sequence[Node]
    ) -> "_Place":
        if twins:
            again = self._exchange(twins[-1].id)
            return _Place(found, parent, again=again, session=again.session)
        if self._home is None:
            return _Place(NOWHERE)
        if self._before:
            return _Place(found, parent, session=self._home.id)
        last = current_exchange(self._store, self._home)
        if last is None:
            return _Place(NOWHERE, session=self._home.id)
        return self._at_head(self._home, last)

    def _at_head(self, home: Session, last: Exchange) -> "_Place":
        grown = self._grown(last.parent)
        again = last if digest_of(atoms([last.user])) == self._asked.opening else None
        if again is not None and last.state is ExchangeState.COMPLETE:
            again = last if self._is_touched(home.id) else None
        if grown is None and again is None:
            return _Place(NOWHERE, last, session=home.id)
        parent = self._exchange(last.parent) if last.parent else None
        return _Place(NOWHERE, parent, again=again, grown=grown, session=home.id)

    def _grown(self, behind: str | None) -> Exchange | None:
        grown = self._placer.grown(behind, self._asked)
        # One that a prompt of our own began is its owner's to continue.
        begun = previous_manifest(self._store, grown.id) if grown else None
        return grown if begun is not None and "client" in begun else None

    def _is_touched(self, session: str) -> bool:
        header = self._store.session(session)
        return header is not None and self._clock.now() - header.updated <= AGAIN_WITHIN

    def _exchange(self, name: str) -> Exchange:
        found = self._index.shelf.get([name]).get(name)
        if found is None:
            raise _GoneError
        return found

    def _path(self, found: LogPosition, maker: ExchangeBuilder) -> list[Exchange]:
        held = self._index.shelf.get(name for name in found.path if name is not None)
        path: list[Exchange] = []
        for n, name in enumerate(found.path):
            if name is None:
                path.append(maker.exchange(self._before[n], None))
            elif name in held:
                path.append(held[name])
            else:
                raise _GoneError
        return path

    def _added(self, place: "_Place", maker: ExchangeBuilder) -> list[tuple[Exchange, bool]]:
        made: list[tuple[Exchange, bool]] = []
        before = place.parent
        for n in range(place.found.known, len(self._before)):
            said = self._before[n]
            if self._placer.passes(n):
                made.append((maker.exchange(said, None), True))
                continue
            twin = None
            if before is place.parent and place.session is not None and said.user is not None:
                every = self._placer.twins(before.id if before else None, said)
                twins = [node for node in every if node.session == place.session]
                twin = self._exchange(twins[-1].id).user if twins else None
            before = counted(maker.exchange(said, before, twin), self._counter)
            made.append((before, False))
        return made

    def _admit(self, new: Sequence[Exchange]) -> None:
        first, last = new[0], new[-1]
        header = self._store.session(first.session)
        if header is None:
            words = next((m.text for e in new for m in e.messages if m.text.strip()), "")
            header = Session(
                id=first.session,
                title=title_from(words),
                created=first.at,
                updated=first.at,
                head=last.messages[-1].id,
                source=SOURCE,
            )
        messages = [message for exchange in new for message in exchange.messages]
        self._store.import_session(header, new, originals_of(messages))

    def _close(self, place: "_Place", maker: ExchangeBuilder) -> None:
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
        place: "_Place",
        maker: ExchangeBuilder,
        path: Sequence[Exchange],
        parent: Exchange | None,
        taken: int,
    ) -> SyncedHistory:
        follows = parent.messages[-1].id if parent else None
        stored = place.grown or place.again
        draft = self._asked.user
        if draft is None:
            raise AssertionError("a request without a user message is refused")
        user = stored.user if stored else maker.message(draft, follows)
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
        )

    def _messages(self, maker: ExchangeBuilder) -> tuple[ClientMessage, ...]:
        exchanges: dict[int, int] = {}
        for n, said in enumerate((*self._before, self._asked)):
            drafts = (said.user, *said.rest) if said.user else said.rest
            exchanges |= {id(draft): n for draft in drafts}
        return tuple(
            ClientMessage(maker.sent(draft), exchanges.get(id(draft)), draft.items)
            for draft in self._drafts
        )


@dataclass(frozen=True, slots=True)
class _Place:
    """The position of a request.

    Attributes:
        found: How far its history is stored.
        parent: The stored exchange that it follows, or None.
        again: The stored exchange whose user message is answered again, or None.
        grown: The stored exchange whose tool rounds continue, or None.
        session: The session, or None for a new one.
    """

    found: LogPosition
    parent: Exchange | None = None
    again: Exchange | None = None
    grown: Exchange | None = None
    session: str | None = None
