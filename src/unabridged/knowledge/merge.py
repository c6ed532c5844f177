"""From statements to facts: what confirms, what supersedes, and what contradicts without an order.

Derived anew from immutable statements, in the order in which they were said and not in which they
came. A *slot* is what can have one answer: for an attribute with one value at a time subject and
attribute; for others the value too, and the answer is yes or no. A *run* is a stretch of statements
in a slot that say the same: it is one fact.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from unabridged.domain.fact import Fact, FactState
from unabridged.knowledge.attributes import attribute_of
from unabridged.knowledge.statements import PERSON, Statement, folded

Slot = tuple[str, ...]


@dataclass(slots=True)
class Run:
    """Statements of one slot that say the same, without another between them.

    Attributes:
        slot: The slot.
        said: What is said: the folded value.
        denied: Whether it is denied.
        members: The statements, the oldest first.
        until: When another took its place, or None.
        follows: The run whose place it took.
        against: Runs that say otherwise without an order between them.
    """

    slot: Slot
    said: str
    denied: bool
    members: list[Statement]
    until: datetime | None = None
    follows: "Run | None" = None
    against: list["Run"] = field(default_factory=list)

    @property
    def face(self) -> Statement:
        """The statement that speaks for all: a pinned one, a person's, else the oldest."""
        return min(self.members, key=lambda s: (not s.pinned, s.by != PERSON))

    @property
    def last(self) -> Statement:
        """The newest statement."""
        return self.members[-1]

    @property
    def by_person(self) -> bool:
        """Whether a person gave it outright."""
        return any(statement.by == PERSON for statement in self.members)

    @property
    def pinned(self) -> bool:
        """Whether it, or what it took the place of, was pinned: a pin is on the matter."""
        run: Run | None = self
        looked_at: list[Run] = []
        while run is not None and not any(run is seen for seen in looked_at):
            if any(statement.pinned for statement in run.members):
                return True
            looked_at.append(run)
            run = run.follows
        return False


@dataclass(frozen=True, slots=True)
class Settled:
    """A fact with the statements that it was derived from.

    Attributes:
        fact: The fact.
        members: Its statements, the oldest first.
        slot: What shares it can supersede or contradict it.
    """

    fact: Fact
    members: tuple[Statement, ...]
    slot: Slot


def settle(statements: Iterable[Statement]) -> list[Settled]:
    """Derive the facts, the oldest first; withdrawn statements have none.

    Args:
        statements: In any order.
    """
    slots: defaultdict[Slot, list[Statement]] = defaultdict(list)
    ends: defaultdict[Slot, list[Statement]] = defaultdict(list)
    kept = {s.id: s for s in statements if s.withdrawn is None}
    for statement in kept.values():
        slots[slot_of(statement)].append(statement)
        old = kept.get(statement.replaces) if statement.replaces else None
        if old is not None and slot_of(old) != slot_of(statement):
            ends[slot_of(old)].append(statement)
    runs: list[Run] = []
    for slot, members in slots.items():
        runs += _runs(slot, members, ends.get(slot, ()))
    owner = {statement.id: run for run in runs for statement in run.members}
    _link_edits(runs, owner)
    settled = [_settled(run) for run in runs]
    return sorted(settled, key=lambda s: (s.fact.since, s.members[0].place, s.fact.id))


def slot_of(statement: Statement) -> Slot:
    """What a statement gives an answer to."""
    if not statement.attribute:
        return (statement.id,)
    attribute = attribute_of(statement.attribute)
    base = attribute.denies or attribute.name
    subject = folded(statement.subject)
    return (subject, base) if attribute.single else (subject, base, folded(statement.value))


def _runs(slot: Slot, members: Sequence[Statement], ends: Sequence[Statement]) -> list[Run]:
    """The runs of one slot.

    Args:
        slot: The slot.
        members: Its statements.
        ends: Statements of other slots by which a person replaced one of these.
    """
    closing = {id(end) for end in ends}
    events = sorted((*members, *ends), key=lambda s: (s.since, s.place, s.id))
    runs: list[Run] = []
    current: list[Run] = []
    for event in events:
        if id(event) in closing:
            for run in current:
                _close(run, event.since)
            current = []
        else:
            current = _taken_in(slot, event, current, runs)
    return runs


def _taken_in(slot: Slot, new: Statement, current: list[Run], runs: list[Run]) -> list[Run]:
    """Let a statement confirm, supersede or contradict what is current; give what is then."""
    said = folded(new.value or new.text)
    denied = bool(new.attribute and attribute_of(new.attribute).denies)
    for run in current:
        if (run.said, run.denied) == (said, denied):
            run.members.append(new)
            return current
    made = Run(slot, said, denied, [new])
    runs.append(made)
    staying: list[Run] = []
    for run in current:
        if not _contradict(run, made):
            staying.append(run)
        elif _supersedes(made, run):
            _close(run, new.since)
            made.follows = made.follows or run
        else:
            run.against.append(made)
            made.against.append(run)
            staying.append(run)
    return [*staying, made]


def _contradict(one: Run, other: Run) -> bool:
    """Whether two runs of a slot cannot both be true: another value, or the same one denied."""
    if one.said == other.said:
        return one.denied != other.denied
    # That one does not live in one place says nothing against living in another; but who says
    # where one lives now says more than who said where not.
    return not other.denied


def _supersedes(made: Run, run: Run) -> bool:
    """Whether a new run takes the place of another, rather than standing against it."""
    new = made.face
    if new.by == PERSON:
        return True
    if run.by_person:
        return False
    return new.since > run.last.since or new.corrects or (run.denied and run.said != made.said)


def _close(run: Run, at: datetime) -> None:
    """End a run; there is nothing left to settle between it and others."""
    run.until = at
    for other in run.against:
        other.against = [each for each in other.against if each is not run]
    run.against = []


def _link_edits(runs: Sequence[Run], owner: dict[str, Run]) -> None:
    """Let what a person edited know what took its place, also where that is in another slot."""
    for run in runs:
        for statement in run.members:
            old = owner.get(statement.replaces) if statement.replaces else None
            if old is None or old is run:
                continue
            if old.until is None:
                _close(old, statement.since)
            run.follows = run.follows or old


def _settled(run: Run) -> Settled:
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
    )
    return Settled(fact, tuple(run.members), run.slot)
