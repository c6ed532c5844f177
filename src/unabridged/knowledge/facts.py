"""The facts of one space: learned about the user, with their sources, and correctable."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from threading import RLock
from typing import TYPE_CHECKING

from unabridged.clock import ends_id
from unabridged.domain.arguments import checks_arguments
from unabridged.domain.exchange import Exchange
from unabridged.domain.fact import SELF, Fact, FactChange, FactState
from unabridged.domain.record import RecordKind
from unabridged.domain.short_repr import counted, short
from unabridged.errors import EmptyMessageError, NotFoundError, StoreClosedError
from unabridged.knowledge.by_session import SessionsByStatement
from unabridged.knowledge.fact_history import (
    are_linked,
    ends_of,
    gone_fact,
    in_places,
    is_edit,
    sources_of,
    steps_of,
    with_value,
)
from unabridged.knowledge.fact_rules import VERSION, extract, understood
from unabridged.knowledge.llm_extraction import ModelDrawer, learn_page, model_extractor
from unabridged.knowledge.origin import Provenance, provenance_of
from unabridged.knowledge.resolve_facts import Settled, resolve_facts
from unabridged.knowledge.statements import (
    Statement,
    changed,
    is_sealed,
    key,
    read,
    to_record,
    withdrawn,
)
from unabridged.log.cursor import LogCursor
from unabridged.log.record_watch import RecordWatch
from unabridged.ports import ChatModel, Clock, Embedder, Store

if TYPE_CHECKING:
    from unabridged.knowledge.fact_relevance import FactCache, RelevantFact

PROGRESS = "facts"
"""The id of the record that stores how far learning has come."""
SHELVES = 16
"""Sessions whose facts are cached at the same time."""
SHORTEST_ID = 4
"""Digits from which a number is read as the beginning of an id."""

Extractor = Callable[[Exchange], Iterable[Statement]]
"""Extracts statements from one exchange, each with a quote from it."""


@dataclass(frozen=True, slots=True)
class _View:
    """The statements as last read, and what was derived from them."""

    revision: int
    statements: dict[str, Statement]
    settled: list[Settled]
    listed: list[Settled]
    by_member: dict[str, Settled]
    carried: Provenance


@checks_arguments
class Facts:
    """The facts of one space. Several processes may open one each; each sees the others' writes.

    Args:
        embedder: Compares meanings for ``bearing``; None to compare words only. Only an instant one
            is used.
    """

    def __init__(self, store: Store, clock: Clock, embedder: Embedder | None = None) -> None:
        self._store = store
        self._watch = RecordWatch(store, RecordKind.FACT, RecordKind.SHARE)
        self._clock = clock
        self._embedder = embedder if embedder is not None and embedder.instant else None
        self._cursor = LogCursor(store, clock, PROGRESS, VERSION)
        self._lock = RLock()
        self._seen: _View | None = None
        self._shelves: dict[str | None, tuple[int, FactCache]] = {}  # the most recent is last
        self._sessions = SessionsByStatement(store)

    def __repr__(self) -> str:  # type: ignore[explicit-override]  # typing.override came with 3.12
        try:
            return short(self, counted(len(self.all()), "fact"))
        except StoreClosedError:
            return short(self, "closed")

    def all(self, state: FactState | str | None = FactState.CURRENT) -> list[Fact]:
        """Return the facts in a state, the oldest first; in all states with None.

        An edited fact keeps the place of the original.
        """
        view = self._view()
        wanted = None if state is None else FactState(state)
        facts = [s.fact for s in view.listed if wanted in (None, s.fact.state)]
        if wanted in (None, FactState.WITHDRAWN):
            facts += [gone_fact(s) for s in view.statements.values() if s.withdrawn]
        return facts

    def pinned(self) -> list[Fact]:
        """Return the facts that every prompt carries, the oldest first."""
        return [fact for fact in self.all() if fact.pinned]

    def get(self, wanted: str) -> Fact:
        """Return a fact by its id, the beginning or end of its id, or its number in ``all()``, from 1.

        Raises:
            NotFoundError: There is none, or several.
        """
        return self._find(wanted).fact

    def history(self, wanted: str) -> tuple[FactChange, ...]:
        """Return the history of a fact, with those that it replaced and that replaced it."""
        found = self._find(wanted)
        view = self._view()
        related = [s for s in view.settled if s.slot == found.slot or are_linked(s, found)]
        steps: list[FactChange] = []
        for settled in related:
            steps += [*steps_of(settled), *ends_of(settled, related)]
        return tuple(sorted(steps, key=lambda step: step.at))

    def sources(self, wanted: str) -> list[str]:
        """Return the ids of a fact's source exchanges."""
        members = self._find(wanted).members
        named = (name for s in members for name in (s.exchange, *s.sources) if name)
        return list(dict.fromkeys(named))

    def disputes(self) -> list[tuple[Fact, ...]]:
        """Return the facts that contradict each other without an order, in groups."""
        by_id = {fact.id: fact for fact in self.all()}
        groups: dict[tuple[str, ...], tuple[Fact, ...]] = {}
        for fact in by_id.values():
            if fact.disputed_by:
                names = tuple(sorted({fact.id, *fact.disputed_by}))
                groups[names] = tuple(by_id[name] for name in names if name in by_id)
        return list(groups.values())

    def bearing(
        self,
        message: str,
        limit: int = 20,
        evidence: Collection[str] = (),
        session: str | None = None,
    ) -> "list[RelevantFact]":
        """Return the current facts that are relevant to a message, best first.

        Args:
            message: The message.
            limit: How many at most; a fact and what contradicts it are returned together or not at
                all.
            evidence: The ids of exchanges that were recalled for the message.
            session: The id of a session: use only facts from it or stated by a person, as if no
                other session existed; None for all.
        """
        return self._laid_out(session).bearing(message, limit, evidence)

    def reaches(self, fact: Fact, session: str | None) -> bool:
        """Return whether a current fact is from a session or stated by a person; None for any."""
        return session is None or fact.id in self._laid_out(session)

    def add(
        self,
        text: str,
        *,
        pinned: bool = False,
        subject: str = SELF,
        attribute: str = "",
        value: str = "",
        aliases: Sequence[str] = (),
    ) -> Fact:
        """Add a fact that a person states; return the one that a person stated alike before.

        Args:
            text: The statement.
            pinned: Whether every prompt carries it; True pins an equal one too.
            subject: Who it is about.
            attribute: What about them; a newer value then replaces an older one. Without it the
                rules look for it in the text.
            value: The value; by default the text.
            aliases: Other words by which people ask for it.

        Raises:
            EmptyMessageError: The text is empty.
        """
        words = text.strip()
        if not words:
            raise EmptyMessageError("There is nothing to remember.", hint="Write a text.")
        told = understood(words) if not attribute.strip() and subject == SELF else None
        statement = Statement(
            id=self._clock.new_id(),
            text=words,
            since=self._clock.now(),
            subject=told.subject if told else subject.strip() or SELF,
            attribute=told.attribute if told else attribute.strip(),
            value=told.value if told else value.strip() if attribute.strip() else "",
            pinned=pinned,
            aliases=tuple(aliases),
        )
        if (known := self._equal(statement)) is not None:
            return self.pin(known) if pinned else self.get(known)
        self._put([statement])
        return self.get(statement.id)

    def _equal(self, statement: Statement) -> str | None:
        # One that was learned does not count: it goes with its exchange, a person's stays.
        for settled in self._view().settled:
            for one in settled.members if settled.fact.state is FactState.CURRENT else ():
                by_person = one.by == statement.by and one.exchange is None and not one.sources
                if by_person and key(one) == key(statement):
                    return one.id if set(statement.aliases) <= set(one.aliases) else None
        return None

    def edit(self, wanted: str, *, text: str | None = None, value: str | None = None) -> Fact:
        """Correct a fact: the old one stays in the history, and a person's replaces it.

        It is removed when the source exchange of the old one is forgotten.

        Args:
            wanted: As for ``get``.
            text: The corrected statement; None to put the value into the old one.
            value: The value; None to use the text.

        Raises:
            EmptyMessageError: The text is empty.
            InputError: The value is not in the text, so the text is needed too.
            NotFoundError: There is none, or several.
        """
        old = self._find(wanted)
        words = (text or "").strip() or with_value(old.fact, (value or "").strip())
        named = bool(old.fact.attribute)
        statement = Statement(
            id=self._clock.new_id(),
            text=words,
            since=self._clock.now(),
            subject=old.fact.subject,
            attribute=old.fact.attribute,
            value=((value or "").strip() or words) if named else "",
            pinned=old.fact.pinned,
            replaces=old.fact.id,
            sources=sources_of(old),
            aliases=next((s.aliases for s in old.members if s.aliases), ()),
        )
        unpinned = [replace(s, pinned=False) for s in old.members if s.pinned]
        self._put([*unpinned, statement])
        return self.get(statement.id)

    def pin(self, wanted: str) -> Fact:
        """Add a fact to every prompt."""
        fact = self.get(wanted)
        if not fact.pinned:
            statement = self._view().statements[fact.id]
            self._put([changed(statement, self._clock.now(), "pinned", pinned=True)])
        return self.get(fact.id)

    def unpin(self, wanted: str) -> Fact:
        """Remove a fact's pin; prompts carry it only when it is relevant."""
        found = self._find(wanted)
        at = self._clock.now()
        related = [s for s in self._view().settled if s.slot == found.slot or are_linked(s, found)]
        pinned = [s for settled in related for s in settled.members if s.pinned]
        self._put([changed(statement, at, "unpinned", pinned=False) for statement in pinned])
        return self.get(found.fact.id)

    def withdraw(self, wanted: str) -> Fact:
        """Withdraw a fact: its text is removed and not learned again from anything said until now.

        So is the text of a person's edits of it. What it had superseded otherwise holds again.

        Returns:
            The fact as it was, with its text for the last time.
        """
        fact = self.drop(wanted)
        self._store.erase(())  # which wipes the bytes
        return fact

    def drop(self, wanted: str) -> Fact:
        """Withdraw a fact as ``withdraw`` does; the caller erases, which wipes the bytes."""
        found = self._find(wanted)
        at = self._clock.now()
        gone = {s.id: s for s in found.members}
        # An edit in another space stays: the withdrawal may resolve the conflict.
        settled = [s for s in self._view().settled if s.fact.id not in found.fact.disputed_by]
        while more := [s for s in settled if is_edit(s, gone) and s.members[0].id not in gone]:
            gone |= {statement.id: statement for each in more for statement in each.members}
        # What remains is written first: it hides the text even if the process is killed in between.
        self._put([withdrawn(statement, at) for statement in gone.values()])
        self._store.delete(RecordKind.FACT, list(gone))
        return found.fact

    def learn(self, exchanges: Iterable[Exchange], extractor: Extractor | None = None) -> int:
        """Learn facts from exchanges; a second run adds nothing.

        Returns:
            How many statements were new.
        """
        draw = extractor or extract
        drawn = {s.id: s for exchange in exchanges for s in draw(exchange)}
        if not drawn:
            return 0
        held = self._view().statements
        seals = [(s.seal, s.withdrawn) for s in held.values() if s.withdrawn and s.seal]
        news = [
            statement
            for statement in drawn.values()
            if statement.id not in held
            and not is_sealed(
                (seal for seal, at in seals if statement.since <= at), *key(statement)
            )
        ]
        if news:
            self._put(news)
        return len(news)

    def learn_pending(self, limit: int = 500, extractor: Extractor | None = None) -> int:
        """Learn facts from exchanges that are still unread, from where the last run stopped.

        Returns:
            How many exchanges were read; 0 if none are left. If the model fails, the rules continue
            alone.
        """
        return learn_page(self._cursor, limit, lambda page: self.learn(page, extractor), extractor)

    def asking(self, model: ChatModel) -> ModelDrawer[Exchange, Statement]:
        """Return what extracts facts with a model too, for ``learn`` and ``learn_pending``."""
        return model_extractor(model)

    def _put(self, statements: Iterable[Statement]) -> None:
        self._store.put([to_record(statement) for statement in statements])

    def _view(self) -> _View:
        with self._lock:
            revision = self._watch.version()
            if self._seen is None or self._seen.revision != revision:
                statements = read(self._store.records(RecordKind.FACT))
                shares = self._store.records(RecordKind.SHARE)
                carried = provenance_of(shares, self._store.space.name)
                settled = resolve_facts(statements.values(), carried)
                members = {s.id: found for found in settled for s in found.members}
                self._seen = _View(
                    revision, statements, settled, in_places(settled), members, carried
                )
            return self._seen

    def _laid_out(self, session: str | None) -> "FactCache":
        from unabridged.knowledge.fact_relevance import FactCache, entries_of  # noqa: PLC0415 - imports numpy

        with self._lock:
            view = self._view()
            held = self._shelves.pop(session, None)
            if held is None or held[0] != view.revision:
                settled = view.settled
                if session is not None:
                    said = self._sessions.within(view.statements.values(), session)
                    settled = resolve_facts(said, view.carried)
                shelf = FactCache(entries_of(settled), self._embedder, held[1] if held else None)
                held = (view.revision, shelf)
            self._shelves[session] = held
            if len(self._shelves) > SHELVES:
                self._shelves.pop(next(iter(self._shelves)))
            return held[1]

    def _find(self, wanted: str) -> Settled:
        view = self._view()
        if wanted in view.by_member:
            return view.by_member[wanted]
        current = [s for s in view.listed if s.fact.state is FactState.CURRENT]
        if wanted.isdecimal() and 1 <= int(wanted) <= len(current):
            return current[int(wanted) - 1]
        is_number = wanted.isdecimal() and len(wanted) < SHORTEST_ID  # a place that is not there
        matches = {
            settled.fact.id: settled
            for name, settled in view.by_member.items()
            if wanted and not is_number and (name.startswith(wanted) or ends_id(wanted, name))
        }
        if len(matches) != 1:
            told = f"Several facts' ids match {wanted!r}." if matches else ""
            raise NotFoundError(
                told or f"There is no fact {wanted!r}.",
                hint="Use its number or its id: unabridged facts list",
            )
        return next(iter(matches.values()))
