"""Causes: what becomes of statements that were made in several spaces.

Times of different spaces say nothing of each other: who said something later may not have known what
was said elsewhere. So a statement takes the place of one from another space only if its own space
knew that one when it was made. Whatever else contradicts stands beside it, and is shown. Among
statements of one space their times decide, as ever.

A statement that was carried brings what its space knew along (``over``). One that was made here
knew what had arrived here before. Knowing is transitive: whoever knows a statement knows what it
knew. This is the happened-before relation (Lamport, 1978), kept for one matter at a time.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from unabridged.knowledge.attributes import attribute_of
from unabridged.knowledge.provenance import HERE, Provenance
from unabridged.knowledge.runs import Run, close, contradict, slot_of
from unabridged.knowledge.statements import PERSON, Statement, folded

_NEVER = datetime.max.replace(tzinfo=UTC)


def matters(statements: Iterable[Statement], carried: Provenance) -> list[list[Statement]]:
    """Group statements that can supersede or contradict each other: by slot, and by edits.

    Args:
        statements: The statements.
        carried: Where they are from.
    """
    leaders: dict[object, object] = {}

    def leader(name: object) -> object:
        while (above := leaders.setdefault(name, name)) != name:
            leaders[name] = leaders[above]
            name = above
        return name

    given = list(statements)
    held = {one.id: one for one in given}
    for one in given:
        for other in (one.id, *carried.edited_from(one, held)):
            leaders[leader(other)] = leader(slot_of(one) if other == one.id else one.id)
    groups: defaultdict[object, list[Statement]] = defaultdict(list)
    for one in given:
        groups[leader(one.id)].append(one)
    return list(groups.values())


def is_mixed(matter: Sequence[Statement], carried: Provenance) -> bool:
    """Whether statements of several spaces are among those of one matter."""
    return len({carried.origin_of(statement) for statement in matter}) > 1


class Causes:
    """What was known when each statement of one matter was made.

    What a statement's space knew is a number with a bit for each statement, so that thousands of one
    matter cost little.

    Args:
        matter: The statements.
        carried: Where they are from.
    """

    def __init__(self, matter: Sequence[Statement], carried: Provenance) -> None:
        self._carried = carried
        held = {s.id: s for s in matter}
        self._edited = {s.id: carried.edited_from(s, held) for s in matter}
        self._origins = {s.id: carried.origin_of(s) for s in matter}
        self._by_time = sorted(matter, key=_time)
        names = {s.id: None for s in self._by_time}
        self._here = (1 << len(names)) - 1
        for statement in self._by_time:
            names |= dict.fromkeys(carried.over.get(statement.id, ()))
        self._names = list(names)
        self._bits = {name: 1 << place for place, name in enumerate(self._names)}
        self._known = self._closed()

    def knew(self, one: Statement, other: Statement) -> bool:
        """Whether the space of one statement knew the other when it was made."""
        return bool(self._known[one.id] & self._bits[other.id])

    def known_elsewhere(self, statement: Statement, held: Collection[str]) -> list[str]:
        """What its space knew of other spaces' statements; of its own, those that are held.

        Args:
            statement: The statement.
            held: Statements that whoever is told holds without knowing where they are from.
        """
        known, origin = self._known[statement.id], self._origins[statement.id]
        told = []
        for place, name in enumerate(self._names):
            own = name in self._origins and self._origins[name] == origin
            if known >> place & 1 and (name in held or not own):
                told.append(name)
        return sorted(told)

    def edited_from(self, statement: Statement) -> tuple[str, ...]:
        """What a person edited into a statement, the newest first, here or not."""
        return self._edited[statement.id]

    def same_origin(self, one: Statement, other: Statement) -> bool:
        """Whether two statements are of one space."""
        return self._origins[one.id] == self._origins[other.id]

    def overrides(self, one: Statement, other: Statement) -> bool:
        """Whether a statement takes the place of one that says otherwise."""
        if other.id in self._edited[one.id]:
            return True
        if not self.knew(one, other) or (
            self.knew(other, one) and not self.same_origin(one, other)
        ):
            return False
        if one.by == PERSON:
            return True
        if other.by == PERSON:
            return False
        if not self.same_origin(one, other):
            return True
        return one.since > other.since or one.corrects or (_denies(other) and _says(one, other))

    def ordered(self) -> list[Statement]:
        """The statements, each behind what it knew; else by time."""
        found: list[Statement] = []
        waiting: list[Statement] = []
        done = 0
        for statement in self._by_time:
            waiting.append(statement)
            while ready := next((s for s in waiting if not self._lacks(s, done)), None):
                waiting.remove(ready)
                found.append(ready)
                done |= self._bits[ready.id]
        return [*found, *waiting]  # a clock that was put back can let two know each other

    def _lacks(self, statement: Statement, done: int) -> int:
        """What it knew and is not done yet."""
        return self._known[statement.id] & self._here & ~done

    def _closed(self) -> dict[str, int]:
        """All that was known: what is known directly, what that knew, and so on."""
        known = dict.fromkeys(self._origins, 0)
        changed = True
        while changed:  # twice, unless clocks disagree: by time what is known comes first
            changed = False
            for name, now in self._passed(known):
                if now != known[name]:
                    known[name], changed = now, True
        return known

    def _passed(self, known: Mapping[str, int]) -> Iterator[tuple[str, int]]:
        """Go through the statements once; each knows what the one before it of its space knew."""
        arrivals = sorted(
            (arrived, s.id)
            for s in self._by_time
            if self._origins[s.id] != HERE and (arrived := self._carried.arrival_of(s))
        )
        came = iter([*arrivals, (_NEVER, "")])
        coming = next(came)
        before: dict[str, int] = {}
        for statement in self._by_time:
            name, origin = statement.id, self._origins[statement.id]
            now = before.get(origin, 0)
            if origin == HERE:
                while coming[0] < statement.since:
                    now |= self._bits[coming[1]] | known[coming[1]]
                    coming = next(came)
            for each in self._carried.over.get(name, ()) if origin != HERE else ():
                now |= self._bits[each] | known.get(each, 0)
            now &= ~self._bits[name]
            yield name, now
            before[origin] = now | self._bits[name]


def _time(statement: Statement) -> tuple[object, ...]:
    return (statement.since, statement.place, statement.id)


def _denies(statement: Statement) -> bool:
    return bool(statement.attribute and attribute_of(statement.attribute).denies)


def _said(statement: Statement) -> str:
    return folded(statement.value or statement.text)


def _says(one: Statement, other: Statement) -> bool:
    """Whether they speak of different values."""
    return _said(one) != _said(other)


@dataclass(slots=True)
class _Matter:
    """Runs of one matter while its statements are taken in.

    Attributes:
        causes: What was known when.
        by_id: The statements.
        runs: Every run.
        open: Those without an end.
        live: By run, its statements whose place nothing took.
    """

    causes: Causes
    by_id: Mapping[str, Statement]
    runs: list[Run] = field(default_factory=list)
    open: list[Run] = field(default_factory=list)
    live: dict[int, list[Statement]] = field(default_factory=dict)

    def take_in(self, new: Statement) -> None:
        """Let a statement confirm, supersede or contradict what is there."""
        slot, said, denied = slot_of(new), _said(new), _denies(new)
        own = next(
            (r for r in self.open if (r.slot, r.said, r.denied) == (slot, said, denied)), None
        )
        if own is None:
            own = Run(slot, said, denied, [])
            self.runs.append(own)
            self.open.append(own)
            self.live[id(own)] = []
        own.members.append(new)
        self.live[id(own)].append(new)
        for run in [run for run in self.open if run is not own]:
            if not self._bears(run, own, new):
                continue
            self.live[id(run)] = [m for m in self.live[id(run)] if not self._ends(new, m, run)]
            if not self.live[id(run)]:
                close(run, max(new.since, run.last.since))
                self.open.remove(run)
                own.follows = own.follows or run
            elif self._against(run, own, new) and not any(own is each for each in run.against):
                run.against.append(own)
                own.against.append(run)

    def _bears(self, run: Run, own: Run, new: Statement) -> bool:
        """Whether a new statement of a run has anything to say against another run."""
        if run.slot == own.slot:
            return contradict(run, own)
        return bool(new.replaces) and any(self._edits(new, m, run) for m in self.live[id(run)])

    def _edits(self, new: Statement, member: Statement, run: Run) -> bool:
        """Whether a person's edit concerns a statement of another slot."""
        edited = map(self.by_id.get, self.causes.edited_from(new))
        if any(old is not None and slot_of(old) == run.slot for old in edited):
            return True
        return self._rivals(new, member)

    def _rivals(self, one: Statement, other: Statement) -> bool:
        """Whether both are edits of the same statement, made in different spaces."""
        if not (one.replaces and other.replaces) or self.causes.same_origin(one, other):
            return False
        return self._root(one) == self._root(other) and _says(one, other)

    def _root(self, statement: Statement) -> str:
        return (statement.id, *self.causes.edited_from(statement))[-1]

    def _ends(self, new: Statement, member: Statement, run: Run) -> bool:
        if run.slot != slot_of(new) and not self._edits(new, member, run):
            return False
        return self.causes.overrides(new, member)

    def _against(self, run: Run, own: Run, new: Statement) -> bool:
        """Whether what is left of a run and the run of a new statement cannot both be true."""
        if run.slot == own.slot:
            return True
        return any(self._rivals(new, member) for member in self.live[id(run)])


def runs_of(matter: Sequence[Statement], carried: Provenance) -> list[Run]:
    """The runs of one matter of which several spaces speak.

    Args:
        matter: Its statements; see ``matters``.
        carried: Where they are from.
    """
    causes = Causes(matter, carried)
    found = _Matter(causes, {statement.id: statement for statement in matter})
    for statement in causes.ordered():
        found.take_in(statement)
    return found.runs
