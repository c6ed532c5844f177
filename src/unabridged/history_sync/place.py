"""The place of a request: which session it belongs to, and what it follows.

A new conversation is a new session, whatever its program sends before the first message. Exchanges
of a client's list that no model was asked for here are its *opening*. A list that goes another way
behind a short opening is a new conversation; behind an exchange that was answered here, it is a
branch: an edit, or a regenerated answer.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import islice

from unabridged.context.manifest import previous_manifest
from unabridged.context.working_folders import folders
from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.session import Session
from unabridged.forgetting.tombstones import ForgottenIndex
from unabridged.history_sync.normalize_history import (
    NOTHING,
    NormalizedExchange,
    atoms,
    digest_of,
    halves,
)
from unabridged.history_sync.path_index import Node, PathIndex
from unabridged.history_sync.position import (
    LEAST_EVIDENCE,
    NOWHERE,
    LogPosition,
    PositionFinder,
    passing,
)
from unabridged.history_sync.program_ids import ProgramIds
from unabridged.history_sync.program_texts import is_summary
from unabridged.ports import Clock, Store
from unabridged.recording.sessions import current_exchange

AGAIN_WITHIN = timedelta(minutes=30)
"""How long after its session was last changed a first message counts as repeated; later it begins a
session: people say "hi" every day.
"""
SOURCE = "server"
"""The source of sessions whose history a client sent."""
MOST_GAPS, MOST_CUTS = 3, 8
"""How many gaps a list is tried with, and how many cuts within an exchange."""
MOST_SESSIONS = 3
"""The newest sessions of a program's id in which a list is looked for first."""
MOST_OPENING = 8
"""Exchanges of an opening; a longer one is a conversation that was begun elsewhere."""
LEAST_TAIL = 200
"""Characters after an unknown first exchange that must be stored for it to replace older turns."""


class GoneError(Exception):
    """What was found is no longer stored."""


@dataclass(frozen=True, slots=True)
class KnownHistories:
    """Where stored conversations are looked up."""

    store: Store
    index: PathIndex
    forgotten_index: ForgottenIndex
    off_record: str
    ids: ProgramIds
    clock: Clock


@dataclass(frozen=True, slots=True)
class PlaceRequest:
    """A client's request.

    Attributes:
        said: Its exchanges, the last one to be answered.
        named: The session that it names, or None.
        home: That session as stored, or None.
        program_id: The id that its program sends, or None.
        folder: The working folder that it names; empty if it names none.
    """

    said: Sequence[NormalizedExchange]
    named: str | None = None
    home: Session | None = None
    program_id: str | None = None
    folder: str = ""


@dataclass(frozen=True, slots=True)
class RequestPlace:
    """The position of a request.

    Attributes:
        found: How far its history is stored.
        parent: The stored exchange that it follows, or None.
        again: The stored exchange whose user message is answered again, or None.
        grown: The stored exchange whose tool rounds continue, or None.
        session: The session, or None for a new one.
        opening: The stored exchanges with which another session begins like this new one.
        summary: The position of a new summary in its history, or None.
        after: The stored exchange that the summary follows, or None.
    """

    found: LogPosition
    parent: Exchange | None = None
    again: Exchange | None = None
    grown: Exchange | None = None
    session: str | None = None
    opening: tuple[str, ...] = ()
    summary: int | None = None
    after: Exchange | None = None


class PlaceFinder:
    """Finds the place of one request.

    Attributes:
        before: The client's exchanges before its question; cut where the client left some out.
        finder: What looks them up.
    """

    def __init__(self, request: PlaceRequest, stored: KnownHistories) -> None:
        self._request = request
        self._index, self._store, self._clock = stored.index, stored.store, stored.clock
        self._forgotten_index, self._ids = stored.forgotten_index, stored.ids
        self._off_record = stored.off_record
        self._home = request.home
        self._asked = request.said[-1]
        self._only: str | None = request.home.id if request.home else None
        self._summed_up = self._only
        self.before: Sequence[NormalizedExchange] = request.said[:-1]
        self.finder = self._finder(request.said)

    def _finder(self, said: Sequence[NormalizedExchange]) -> PositionFinder:
        return PositionFinder(
            self._index, self._only, passing(said, self._forgotten_index, self._off_record)
        )

    def place(self) -> RequestPlace:
        """Return the place of the request.

        Raises:
            GoneError: What was found was forgotten meanwhile.
        """
        if self._request.named is not None:
            return self._placed() if self._home is not None else RequestPlace(NOWHERE)
        for session in self._named_by_id():
            place = self._placed_in(session)
            if place.session is not None:
                return place
        return self._placed_in(None)

    def _named_by_id(self) -> list[str]:
        program = self._request.program_id
        sessions = self._ids.sessions(program) if program else []
        if not sessions:
            return []
        said = [node for one in self._request.said for node in self._index.opened(one.opening)]
        held = {node.session for node in said}
        found = [session for session in sessions if session in held][:MOST_SESSIONS]
        if any(is_summary(each) for each in self.before):
            # The longest: parts of a program may have conversations of their own under its id.
            size = Counter(node.session for node in self._index.every())
            self._summed_up = max(sessions, key=lambda session: size[session])
            found.append(self._summed_up)
        return found

    def _placed_in(self, session: str | None) -> RequestPlace:
        self._only = session
        self.before = self._request.said[:-1]
        self.finder = self._finder(self._request.said)
        return self._placed()

    def _placed(self) -> RequestPlace:
        found = self._found()
        parent = self.exchange(found.parent.id) if found.parent else None
        here = parent.session if parent else self._home.id if self._home else None
        opens = self._is_opening(found)
        if found.known < len(self.before):
            return self._with_new(found, parent, here, opens=opens)
        opens = opens and self._home is None
        behind = parent.id if parent else None
        if (grown := self._grown(behind)) is not None:
            return RequestPlace(found, parent, grown=grown, session=grown.session)
        twins = self.finder.twins(behind, self._asked)
        if opens or all(each.user is None for each in self.before):
            return self._first(found, parent, [t for t in twins if self._is_repeated(t.session)])
        again = self.exchange(twins[-1].id) if twins else None
        return RequestPlace(found, parent, again=again, session=here)

    def _with_new(
        self, found: LogPosition, parent: Exchange | None, here: str | None, *, opens: bool
    ) -> RequestPlace:
        if opens:
            place = self._summarized(found)
            if place is not None:
                return place
            if parent is not None and self._home is None:
                return self._branched(found, parent)
        return RequestPlace(found, parent, session=here or self._beside())

    def _branched(self, found: LogPosition, parent: Exchange) -> RequestPlace:
        # What follows an edit in an opening tells whose conversation it is.
        answered = self._answered_here(found.known)
        if not answered:
            return self._behind_opening(found, parent)
        if parent.session in answered or self._only is not None:
            return RequestPlace(found, parent, session=parent.session)
        return self._placed_in(answered[-1])

    def _found(self) -> LogPosition:
        found = self.finder.place(self.before, self._asked)
        for _ in range(MOST_GAPS):
            if found.known == len(self.before):
                break
            further = self._further(found.known)
            if further is None:
                break
            found = further
        return found

    def _further(self, known: int) -> LogPosition | None:
        for both in islice(halves(self.before[known]), MOST_CUTS):
            before = [*self.before[:known], *both, *self.before[known + 1 :]]
            finder = self._finder([*before, self._asked])
            found = finder.place(before, self._asked)
            if found.known > known + 1:
                self.before, self.finder = before, finder
                return found
        return None

    # --- openings ------------------------------------------------------------------------------

    def _is_opening(self, found: LogPosition) -> bool:
        chain: list[str] = []
        node = found.parent
        while node is not None and len(chain) <= MOST_OPENING:
            if node.asked:
                return False
            chain.append(node.id)
            node = self._index.node(node.parent) if node.parent else None
        if tuple(reversed(chain)) != found.path or len(chain) > MOST_OPENING:
            return False
        if found.parent is None:
            return True
        root = self._index.node(chain[-1])
        is_cut = self.before[0].user is None and root is not None and root.opening != NOTHING
        return not is_cut and self._is_sent(found.parent.session)

    def _is_sent(self, session: str) -> bool:
        # Else it was imported from an export, or is talked in: a real conversation.
        header = self._store.session(session)
        return header is not None and header.source == SOURCE

    def _answered_here(self, known: int) -> list[str]:
        sessions: dict[str, None] = {}
        for each in self.before[known:]:
            if each.size >= LEAST_EVIDENCE:
                alike = self.finder.alike(each, list(self._index.opened(each.opening)))
                sessions |= {node.session: None for node in alike if node.asked}
        return list(sessions)

    def _behind_opening(self, found: LogPosition, parent: Exchange) -> RequestPlace:
        another = self._ids.is_of_another(parent.session, self._request.program_id)
        if not another and not self._index.is_followed(parent.id):
            return RequestPlace(found, parent, session=parent.session)
        return RequestPlace(NOWHERE, opening=tuple(name for name in found.path if name))

    def _beside(self) -> str | None:
        first = self.before[0]
        if first.user is None:
            return None
        telling = len(first.user.text.strip()) >= LEAST_EVIDENCE
        answered = self._answered_here(1)
        near = [
            twin
            for twin in self.finder.twins(None, first)
            if (telling or self._is_touched(twin.session))
            and not self._ids.is_of_another(twin.session, self._request.program_id)
            and (
                self._home is not None
                or twin.asked
                or not self._is_sent(twin.session)
                or twin.session in answered
            )
        ]
        return near[-1].session if near else None

    def _first(
        self, found: LogPosition, parent: Exchange | None, twins: Sequence[Node]
    ) -> RequestPlace:
        if twins:
            again = self.exchange(twins[-1].id)
            return RequestPlace(found, parent, again=again, session=again.session)
        if self._home is None:
            return RequestPlace(NOWHERE) if parent is None else self._behind_opening(found, parent)
        if self.before:
            return RequestPlace(found, parent, session=self._home.id)
        last = current_exchange(self._store, self._home)
        if last is None:
            return RequestPlace(NOWHERE, session=self._home.id)
        return self._at_head(self._home, last)

    def _at_head(self, home: Session, last: Exchange) -> RequestPlace:
        grown = self._grown(last.parent)
        again = last if digest_of(atoms([last.user])) == self._asked.opening else None
        if again is not None and last.state is ExchangeState.COMPLETE:
            again = last if self._is_touched(home.id) else None
        if grown is None and again is None:
            return RequestPlace(NOWHERE, last, session=home.id)
        parent = self.exchange(last.parent) if last.parent else None
        return RequestPlace(NOWHERE, parent, again=again, grown=grown, session=home.id)

    def _grown(self, behind: str | None) -> Exchange | None:
        grown = self.finder.grown(behind, self._asked)
        # One that a prompt of our own began is its owner's to continue.
        begun = previous_manifest(self._store, grown.id) if grown else None
        return grown if begun is not None and "client" in begun else None

    # --- summaries -----------------------------------------------------------------------------

    def _summarized(self, found: LogPosition) -> RequestPlace | None:
        places = range(found.known, len(self.before))
        marked = [n for n in places if is_summary(self.before[n])]
        at = marked[-1] if marked else found.known
        each = self.before[at]
        behind = {None, found.parent.id if found.parent else None}
        if each.user is None or any(self.finder.twins(name, each) for name in behind):
            return None  # its answer was edited
        place = self._before_tail(at, is_marked=bool(marked))
        if place is None and marked and self._only and self._only == self._summed_up:
            session = self._store.session(self._only)
            last = current_exchange(self._store, session) if session else None
            if last is not None:
                path = LogPosition((None,) * at, self._index.node(last.id))
                place = RequestPlace(path, last, session=last.session, summary=at, after=last)
        return place

    def _before_tail(self, at: int, *, is_marked: bool) -> RequestPlace | None:
        tail = self.before[at + 1 :]
        finder = self._finder([*tail, self._asked])
        found = finder.place(tail, self._asked)
        size = sum(each.size for each in tail[: found.known])
        whole = is_marked or (found.known == len(tail) and size >= LEAST_TAIL)
        first = next((name for name in found.path if name), None)
        if found.parent is None or first is None or size < LEAST_EVIDENCE or not whole:
            return None
        nodes = [self._index.node(name) for name in found.path if name]
        if not any(node is not None and node.asked for node in nodes):
            return None
        head = self.exchange(first)
        after = self.exchange(head.parent) if head.parent else None
        path = (*(None,) * (at + 1), *found.path)
        parent = self.exchange(found.parent.id)
        position = LogPosition(path, found.parent)
        again = None
        if found.known == len(tail):
            twins = self.finder.twins(parent.id, self._asked)
            again = self.exchange(twins[-1].id) if twins else None
        return RequestPlace(
            position, parent, again, session=parent.session, summary=at, after=after
        )

    # --- what is stored ------------------------------------------------------------------------

    def _is_repeated(self, session: str) -> bool:
        another = self._ids.is_of_another(session, self._request.program_id)
        return not another and self._is_touched(session) and self._is_here(session)

    def _is_here(self, session: str) -> bool:
        # The same question in another working folder is another conversation.
        folder = self._request.folder
        return not folder or folders(self._store, [session]).get(session, folder) == folder

    def _is_touched(self, session: str) -> bool:
        header = self._store.session(session)
        return header is not None and self._clock.now() - header.updated <= AGAIN_WITHIN

    def exchange(self, name: str) -> Exchange:
        """Return a stored exchange.

        Raises:
            GoneError: It was forgotten.
        """
        found = self._index.shelf.get([name]).get(name)
        if found is None:
            raise GoneError
        return found
