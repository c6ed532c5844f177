"""From statements to facts: what confirms, what supersedes, and what contradicts without an order.

Derived anew from immutable statements, in the order in which they were said and not in which they
came; what was shared between spaces, by what each space knew (``causes``).
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from unabridged.domain.fact import Fact, FactState
from unabridged.knowledge.attributes import attribute_of
from unabridged.knowledge.causes import is_mixed, matters, runs_of
from unabridged.knowledge.provenance import NOTHING_SHARED, Provenance
from unabridged.knowledge.runs import Run, Slot, close, contradict, slot_of
from unabridged.knowledge.statements import PERSON, Statement, folded


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


def settle(statements: Iterable[Statement], carried: Provenance = NOTHING_SHARED) -> list[Settled]:
    """Derive the facts, the oldest first; withdrawn statements have none.

    Args:
        statements: In any order.
        carried: What came from other spaces. Without anything of it times alone decide.
    """
    kept = [s for s in {s.id: s for s in statements}.values() if s.withdrawn is None]
    if not carried:
        return _in_order([_settled(run, carried) for run in _merged(kept, carried)])
    found: list[Settled] = []
    alone: list[Statement] = []
    away = [s for s in kept if s.id in carried.withdrawn]
    for matter in matters((s for s in kept if s.id not in carried.withdrawn), carried):
        if is_mixed(matter, carried):
            found += [_settled(run, carried) for run in runs_of(matter, carried)]
        else:
            alone += matter
    found += [_settled(run, carried) for run in _merged(alone, carried)]
    found += [_settled(_ended(s, carried), carried) for s in away]
    return _in_order(found)


def _in_order(settled: list[Settled]) -> list[Settled]:
    return sorted(settled, key=lambda s: (s.fact.since, s.members[0].place, s.fact.id))


def _ended(statement: Statement, carried: Provenance) -> Run:
    """A statement that a person took back in another space: it stays in the history."""
    denied = bool(statement.attribute and attribute_of(statement.attribute).denies)
    run = Run(slot_of(statement), folded(statement.value or statement.text), denied, [statement])
    close(run, max(statement.since, carried.withdrawn[statement.id]))
    return run


def _merged(kept: Sequence[Statement], carried: Provenance) -> list[Run]:
    """The runs of statements of one space, by the times at which they were said."""
    by_id = {statement.id: statement for statement in kept}
    slots: defaultdict[Slot, list[Statement]] = defaultdict(list)
    ends: defaultdict[Slot, list[Statement]] = defaultdict(list)
    for statement in kept:
        slots[slot_of(statement)].append(statement)
        old = _nearest(statement, by_id, carried)
        if old is not None and slot_of(old) != slot_of(statement):
            ends[slot_of(old)].append(statement)
    runs: list[Run] = []
    for slot, members in slots.items():
        runs += _runs(slot, members, ends.get(slot, ()))
    owner = {statement.id: run for run in runs for statement in run.members}
    _link_edits(runs, owner, {s.id: _nearest(s, by_id, carried) for s in kept})
    return runs


def _nearest(
    statement: Statement, held: Mapping[str, Statement], carried: Provenance
) -> Statement | None:
    """The newest statement that is here of those that a person edited into one."""
    names = carried.edited_from(statement, held)
    return next((held[name] for name in names if name in held), None)


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
                close(run, event.since)
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
        if not contradict(run, made):
            staying.append(run)
        elif _supersedes(made, run):
            close(run, new.since)
            made.follows = made.follows or run
        else:
            run.against.append(made)
            made.against.append(run)
            staying.append(run)
    return [*staying, made]


def _supersedes(made: Run, run: Run) -> bool:
    """Whether a new run takes the place of another, rather than standing against it."""
    new = made.face
    if new.by == PERSON:
        return True
    if run.by_person:
        return False
    return new.since > run.last.since or new.corrects or (run.denied and run.said != made.said)


def _link_edits(
    runs: Sequence[Run], owner: Mapping[str, Run], edited: Mapping[str, Statement | None]
) -> None:
    """Let what a person edited know what took its place, also where that is in another slot."""
    for run in runs:
        for statement in run.members:
            before = edited[statement.id]
            old = owner.get(before.id) if before else None
            if old is None or old is run:
                continue
            if old.until is None:
                close(old, statement.since)
            run.follows = run.follows or old


def _settled(run: Run, carried: Provenance) -> Settled:
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
