"""Determine the content of a share by reading both spaces, without changing them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from unabridged.domain.fact import FactState
from unabridged.domain.record import Record, RecordKind
from unabridged.domain.results import Transcript
from unabridged.domain.share import SharedFact, ShareSide, ShareTransfer, held_by
from unabridged.forgetting.tombstones import ForgottenIndex
from unabridged.forgetting.without_forgotten import forgotten_in, without
from unabridged.knowledge.origin import provenance_of
from unabridged.knowledge.resolve_facts import resolve_facts
from unabridged.knowledge.statements import Statement, is_sealed, key, read, to_record
from unabridged.ports import Store


@dataclass(frozen=True, slots=True)
class ShareSelection:
    """The selection to share.

    Attributes:
        sessions: The ids of sessions, which include every branch and their records.
        all_facts: Whether to include every current fact.
        beside: The ids of additional facts that nobody named.
        pins: Whether pins stay pinned.
    """

    sessions: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    all_facts: bool = False
    beside: tuple[str, ...] = ()
    pins: bool = False


@dataclass(frozen=True, slots=True)
class ShareContent:
    """The content of a share.

    Attributes:
        facts: The records of facts that are new there, or have better sources.
        carry: All that the share would hold there.
        exchanges: Exchanges that are new there.
        passed_over: Exchanges that were forgotten there.
        refused: Facts that were withdrawn there.
    """

    conversations: tuple[Transcript, ...]
    facts: tuple[Record, ...]
    carry: ShareTransfer
    exchanges: int
    passed_over: int
    refused: int

    @property
    def titles(self) -> tuple[str, ...]:
        """The titles of the sessions."""
        return tuple(conversation.session.title for conversation in self.conversations)

    @property
    def texts(self) -> tuple[str, ...]:
        """The words of the facts."""
        return tuple(str(record.body["text"]) for record in self.facts if record.body.get("text"))


def pack(
    giver: Store,
    taker: Store,
    forgotten_index: ForgottenIndex,
    wanted: ShareSelection,
    at: datetime,
) -> ShareContent:
    """Return what to copy from one space to another, except what was forgotten there."""
    carried = provenance_of(giver.records(RecordKind.SHARE), giver.space.name)
    shares = held_by(taker.records(RecordKind.SHARE), ShareSide.TAKEN)
    foreign = {name for share in shares for name in share.exchange_ids}
    whole = _conversations(giver, wanted.sessions)
    going: list[Transcript] = []
    present: set[str] = set()
    passed_over = 0
    for conversation in whole:
        ids = [exchange.id for exchange in conversation.exchanges]
        held = set(taker.get(ids))
        gone = forgotten_in(conversation, forgotten_index) - held
        rest = without(conversation, gone) if gone else conversation
        going += [rest] if rest is not None else []
        present |= held
        passed_over += len(gone)
    origins: dict[str, list[str]] = {}
    names = [exchange.id for c in going for exchange in c.exchanges]
    for name in names:
        if name not in present or name in foreign:
            origin = carried.exchanges.get(name) or giver.space.name
            origins.setdefault(origin, []).append(name)
    asked = [exchange.id for c in whole for exchange in c.exchanges]
    sorting = _Facts((giver, taker), forgotten_index, wanted, frozenset(asked), frozenset(names))
    sorting.sort({name for share in shares for name in share.fact_ids}, foreign)
    carry = ShareTransfer(
        at,
        {origin: tuple(ids) for origin, ids in origins.items()},
        sorting.came,
        sorting.withdrawn,
    )
    new = len(set(names) - present)
    facts = tuple(sorting.records)
    return ShareContent(tuple(going), facts, carry, new, passed_over, sorting.refused)


def _conversations(store: Store, sessions: Sequence[str]) -> list[Transcript]:
    found = ((store.session(name), tuple(store.exchanges_of(name))) for name in sessions)
    return [Transcript(session, exchanges) for session, exchanges in found if session and exchanges]


class _Facts:
    """The statements of one space, sorted for another.

    ``asked`` are the exchanges of the selected sessions, ``going`` those of them that are copied,
    or are already there.
    """

    def __init__(
        self,
        ends: tuple[Store, Store],
        forgotten_index: ForgottenIndex,
        wanted: ShareSelection,
        asked: frozenset[str],
        going: frozenset[str],
    ) -> None:
        giver, taker = self._giver, self._taker = ends
        self._forgotten_index = forgotten_index
        self._carried = provenance_of(giver.records(RecordKind.SHARE), giver.space.name)
        self._wanted, self._asked, self._going = wanted, asked, going
        self._own = read(giver.records(RecordKind.FACT))
        self._held = read(taker.records(RecordKind.FACT))
        self.records: list[Record] = []
        self.came: dict[str, SharedFact] = {}
        self.withdrawn: dict[str, datetime] = {}
        self.refused = 0

    def sort(self, shared: Collection[str], spoken: Collection[str]) -> None:
        """Sort them, given the statements and exchanges that a share brought to the receiver."""
        live = {name: s for name, s in self._own.items() if s.withdrawn is None}
        named = self._chosen(live)
        chosen = [live[name] for name in live if name in named]
        own = {
            name
            for name, s in self._held.items()
            if name not in shared and s.exchange not in spoken
        }
        refused = [(s.seal, s.withdrawn) for s in self._held.values() if s.withdrawn and s.seal]
        there = self._there(chosen)
        for statement in chosen:
            known = self._held.get(statement.id)
            seals = [seal for seal, at in refused if statement.since <= at]
            if self._was_forgotten(statement, known, seals):
                self.refused += 1
            elif statement.id in own:
                continue  # the receiver's own
            elif (form := self._form(statement, there)) is not None:
                self._take(statement, form, known)
        self._sort_withdrawn()

    def _was_forgotten(
        self, statement: Statement, known: Statement | None, seals: Sequence[str]
    ) -> bool:
        if known is not None:
            return known.withdrawn is not None
        away = _rests(statement) - self._going
        return is_sealed(seals, *key(statement)) or any(
            map(self._forgotten_index.was_forgotten, away)
        )

    def _chosen(self, live: Mapping[str, Statement]) -> set[str]:
        wanted = self._wanted
        found = {name for name, s in live.items() if _rests(s) and self._asked >= _rests(s)}
        if not (wanted.all_facts or wanted.facts or wanted.beside):
            return found
        named = {*wanted.facts, *wanted.beside}
        for settled in resolve_facts(live.values(), self._carried):
            members = {member.id for member in settled.members}
            holds = wanted.all_facts and settled.fact.state is FactState.CURRENT
            if holds or not named.isdisjoint(members):
                found |= members
        return found

    def _there(self, chosen: Sequence[Statement]) -> set[str]:
        rested = {name for statement in chosen for name in _rests(statement)}
        return set(self._taker.get(rested - self._going)) | (rested & self._going)

    def _form(self, statement: Statement, there: Collection[str]) -> Statement | None:
        rests = _rests(statement)
        if rests <= set(there):
            return statement
        named = {*self._wanted.facts, *self._wanted.beside}
        if rests <= self._asked and not (self._wanted.all_facts or named):
            return None
        return loosened(statement)

    def _take(self, statement: Statement, form: Statement, known: Statement | None) -> None:
        source = statement.exchange or next(iter(statement.sources), None)
        self.came[statement.id] = SharedFact(
            self._carried.origin_of(statement) or self._giver.space.name,
            self._carried.source_of(statement) or source,
            self._carried.edited_from(statement, self._own),
        )
        if known is None:
            pinned = form.pinned and self._wanted.pins
            self.records.append(to_record(replace(form, pinned=pinned)))
        elif _rests(form) and not _rests(known):
            grounded = replace(form, pinned=known.pinned, changes=known.changes)
            self.records.append(to_record(grounded))

    def _sort_withdrawn(self) -> None:
        any_fact = bool(self._wanted.all_facts or self._wanted.facts)
        away = {s.id: s.withdrawn for s in self._own.values() if s.withdrawn}
        for name, at in {**self._carried.withdrawn, **away}.items():
            statement, known = self._own.get(name), self._held.get(name)
            if statement is None:
                continue
            hangs = bool(_rests(statement)) and self._asked >= _rests(statement)
            if known is not None and known.withdrawn is None and (hangs or any_fact):
                self.withdrawn[name] = at
            elif (
                known is None and hangs and statement.withdrawn and self._going >= _rests(statement)
            ):
                # Without its seal: it blocks only this one statement, and nothing that is said
                # there.
                self.records.append(to_record(replace(statement, seal="")))


def loosened(statement: Statement) -> Statement:
    """Return a statement without its source exchange, which is not copied, and its words."""
    return replace(statement, exchange=None, sources=(), quote="")


def _rests(statement: Statement) -> frozenset[str]:
    named = (statement.exchange, *statement.sources)
    return frozenset(name for name in named if name)
