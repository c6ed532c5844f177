"""Derive facts from statements: confirmations, replacements, and conflicts without an order.

Facts are recomputed from immutable statements, in the order in which they were said, not in which
they arrived. A statement from another space counts from its arrival. It ends only statements of its
own space, and a person's edits of it; anything else that it contradicts stays a conflict, until a
person resolves it here.

A *slot* can have one answer. For an attribute with one value at a time it is subject and attribute.
For others it includes the value, and the answer is yes or no. A *run* is a series of statements in
a slot that say the same: it is one fact.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from unabridged.domain.fact import Fact, FactState
from unabridged.knowledge.attributes import attribute_of
from unabridged.knowledge.origin import HERE, NOTHING_SHARED, Provenance
from unabridged.knowledge.statements import PERSON, Statement, folded

Slot = tuple[str, ...]


@dataclass(slots=True)
class StatementRun:
    """A series of statements in one slot that say the same.

    Attributes:
        said: The value, folded.
        members: The statements, the oldest first.
        follows: The run that it replaced.
        against: Runs that contradict it without an order.
    """

    slot: Slot
    said: str
    denied: bool
    members: list[Statement]
    until: datetime | None = None
    follows: "StatementRun | None" = None
    against: list["StatementRun"] = field(default_factory=list)

    @property
    def face(self) -> Statement:
        """The statement that represents the run: a pinned one, a person's, else the oldest."""
        return min(self.members, key=lambda s: (not s.pinned, s.by != PERSON))

    @property
    def last(self) -> Statement:
        """The newest statement."""
        return self.members[-1]

    @property
    def by_person(self) -> bool:
        """Whether a person stated it outright."""
        return any(statement.by == PERSON for statement in self.members)

    @property
    def pinned(self) -> bool:
        """Whether it, or what it replaced, was pinned: a pin is on the matter."""
        run: StatementRun | None = self
        looked_at: list[StatementRun] = []
        while run is not None and not any(run is seen for seen in looked_at):
            if any(statement.pinned for statement in run.members):
                return True
            looked_at.append(run)
            run = run.follows
        return False


def slot_of(statement: Statement) -> Slot:
    """Return the slot of a statement."""
    if not statement.attribute:
        return (statement.id,)
    attribute = attribute_of(statement.attribute)
    base = attribute.denies or attribute.name
    subject = folded(statement.subject)
    return (subject, base) if attribute.single else (subject, base, folded(statement.value))


def contradict(one: StatementRun, other: StatementRun) -> bool:
    """Return whether two runs of a slot contradict: another value, or the same one denied."""
    if one.said == other.said:
        return one.denied != other.denied
    # Not living in one place does not contradict living in another. But where one lives now is
    # newer information than where one did not.
    return not other.denied


def close(run: StatementRun, at: datetime) -> None:
    """End a run; nothing remains to be resolved between it and others."""
    run.until = at
    for other in run.against:
        other.against = [each for each in other.against if each is not run]
    run.against = []


@dataclass(frozen=True, slots=True)
class Settled:
    """A fact with the statements that it was derived from.

    Attributes:
        members: Its statements, the oldest first.
        slot: Statements with the same slot can supersede or contradict it.
    """

    fact: Fact
    members: tuple[Statement, ...]
    slot: Slot


def resolve_facts(
    statements: Iterable[Statement], carried: Provenance = NOTHING_SHARED
) -> list[Settled]:
    """Derive the facts, the oldest first; withdrawn statements have none."""
    kept = [s for s in {s.id: s for s in statements}.values() if s.withdrawn is None]
    ended = [_ended(s, carried) for s in kept if s.id in carried.withdrawn]
    runs = _merged([s for s in kept if s.id not in carried.withdrawn], carried)
    return _in_order([_settled(run, carried) for run in (*runs, *ended)])


def _in_order(settled: list[Settled]) -> list[Settled]:
    return sorted(settled, key=lambda s: (s.fact.since, s.members[0].place, s.fact.id))


def _ended(statement: Statement, carried: Provenance) -> StatementRun:
    run = StatementRun(slot_of(statement), *_says(statement), [statement])
    close(run, max(statement.since, carried.withdrawn[statement.id]))
    return run


def _merged(kept: Sequence[Statement], carried: Provenance) -> list[StatementRun]:
    by_id = {statement.id: statement for statement in kept}
    order = _Order(kept, carried)
    slots: defaultdict[Slot, list[Statement]] = defaultdict(list)
    ends: defaultdict[Slot, list[Statement]] = defaultdict(list)
    edited = {s.id: _nearest(s, by_id, carried) for s in kept}
    own = {s.id: _slot(s, by_id, carried) for s in kept}
    for statement in kept:
        slots[own[statement.id]].append(statement)
        old = edited[statement.id]
        if old is not None and own[old.id] != own[statement.id]:
            ends[own[old.id]].append(statement)
    runs: list[StatementRun] = []
    for slot, members in slots.items():
        runs += _runs(slot, members, ends.get(slot, ()), order)
    owner = {statement.id: run for run in runs for statement in run.members}
    _link_edits(runs, owner, edited, order)
    return runs


def _slot(statement: Statement, held: Mapping[str, Statement], carried: Provenance) -> Slot:
    if statement.attribute or not carried:
        return slot_of(statement)
    # Free text has no slot of its subject: edits in several spaces share the original's slot.
    return ((statement.id, *carried.edited_from(statement, held))[-1],)


def _nearest(
    statement: Statement, held: Mapping[str, Statement], carried: Provenance
) -> Statement | None:
    names = carried.edited_from(statement, held)
    return next((held[name] for name in names if name in held), None)


class _Order:
    """The order in which statements arrived in a space, and which may end which."""

    def __init__(self, statements: Sequence[Statement], carried: Provenance) -> None:
        self._carried = carried
        self._seen: dict[str, datetime] = {}
        self._edited: dict[str, tuple[str, ...]] = {}
        if not carried:
            return
        held = {statement.id: statement for statement in statements}
        earliest: dict[str, datetime] = {}
        for statement in sorted(statements, key=_time, reverse=True):
            origin = carried.origin_of(statement)
            seen = carried.arrival_of(statement) if origin != HERE else None
            # What one space said keeps its order, even if the older part arrived later.
            seen = min(seen or statement.since, earliest.get(origin, seen or statement.since))
            earliest[origin] = self._seen[statement.id] = seen
            self._edited[statement.id] = carried.edited_from(statement, held)

    def key(self, statement: Statement) -> tuple[object, ...]:
        """Return the sort key of a statement: when it was said here, or arrived."""
        return (self._seen.get(statement.id, statement.since), *_time(statement))

    def may_end(self, new: Statement, run: StatementRun) -> bool:
        """Return whether a statement may end a run; from another space only its own or edits."""
        origin = self._carried.origin_of(new)
        return origin == HERE or all(
            self._carried.origin_of(member) == origin or member.id in self._edited[new.id]
            for member in run.members
        )

    def is_later(self, new: Statement, run: StatementRun) -> bool:
        """Return whether a statement is later than all of a run."""
        if self._carried.origin_of(new) == self._carried.origin_of(run.last):
            return new.since > run.last.since
        return self.key(new)[:1] > self.key(run.last)[:1]


def _time(statement: Statement) -> tuple[datetime, int, str]:
    return (statement.since, statement.place, statement.id)


def _runs(
    slot: Slot, members: Sequence[Statement], ends: Sequence[Statement], order: _Order
) -> list[StatementRun]:
    closing = {id(end) for end in ends}
    events = sorted((*members, *ends), key=order.key)
    runs: list[StatementRun] = []
    current: list[StatementRun] = []
    for event in events:
        if id(event) in closing:
            for run in current:
                if order.may_end(event, run):
                    close(run, event.since)
            current = [run for run in current if run.until is None]
        else:
            current = _taken_in(StatementRun(slot, *_says(event), [event]), current, runs, order)
    return runs


def _says(statement: Statement) -> tuple[str, bool]:
    denied = bool(statement.attribute and attribute_of(statement.attribute).denies)
    return folded(statement.value or statement.text), denied


def _taken_in(
    made: StatementRun, current: list[StatementRun], runs: list[StatementRun], order: _Order
) -> list[StatementRun]:
    new = made.face
    same = next((r for r in current if (r.said, r.denied) == (made.said, made.denied)), None)
    if same is not None:
        same.members.append(new)
        return current
    runs.append(made)
    staying: list[StatementRun] = []
    for run in current:
        if not contradict(run, made):
            staying.append(run)
        elif _supersedes(made, run, order):
            close(run, max(new.since, run.last.since))
            made.follows = made.follows or run
        else:
            run.against.append(made)
            made.against.append(run)
            staying.append(run)
    return [*staying, made]


def _supersedes(made: StatementRun, run: StatementRun, order: _Order) -> bool:
    new = made.face
    if not order.may_end(new, run):
        return False
    if new.by == PERSON:
        return True
    if run.by_person:
        return False
    return order.is_later(new, run) or new.corrects or (run.denied and run.said != made.said)


def _link_edits(
    runs: Sequence[StatementRun],
    owner: Mapping[str, StatementRun],
    edited: Mapping[str, Statement | None],
    order: _Order,
) -> None:
    for run in runs:
        for statement in run.members:
            before = edited[statement.id]
            old = owner.get(before.id) if before else None
            if old is None or old is run or not order.may_end(statement, old):
                continue
            if old.until is None:
                close(old, statement.since)
            run.follows = run.follows or old


def _settled(run: StatementRun, carried: Provenance) -> Settled:
    face = run.face
    fact = Fact(
        id=face.id,
        text=face.text,
        since=run.members[0].since,
        subject=face.subject,
        attribute=face.attribute,
        value=face.value,
        quote=face.quote,
        exchange=face.exchange,
        until=run.until,
        by=face.by,
        state=FactState.CURRENT if run.until is None else FactState.SUPERSEDED,
        pinned=run.until is None and run.pinned,
        supersedes=run.follows.face.id if run.follows else None,
        disputed_by=tuple(sorted(other.face.id for other in run.against)),
        origin=carried.told(face) if carried else None,
    )
    return Settled(fact, tuple(run.members), run.slot)
