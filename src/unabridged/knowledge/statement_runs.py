"""Runs: stretches of statements that say the same. What they are about, and how they end.

A *slot* is what can have one answer: for an attribute with one value at a time subject and attribute;
for others the value too, and the answer is yes or no. A *run* is a stretch of statements in a slot that
say the same: it is one fact.
"""

from dataclasses import dataclass, field
from datetime import datetime

from unabridged.knowledge.attributes import attribute_of
from unabridged.knowledge.statements import PERSON, Statement, folded

Slot = tuple[str, ...]


@dataclass(slots=True)
class StatementRun:
    """Statements of one slot that say the same, without another between them.

    Attributes:
        said: What is said: the folded value.
        members: The statements, the oldest first.
        follows: The run whose place it took.
        against: Runs that say otherwise without an order between them.
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
        run: StatementRun | None = self
        looked_at: list[StatementRun] = []
        while run is not None and not any(run is seen for seen in looked_at):
            if any(statement.pinned for statement in run.members):
                return True
            looked_at.append(run)
            run = run.follows
        return False


def slot_of(statement: Statement) -> Slot:
    """What a statement gives an answer to."""
    if not statement.attribute:
        return (statement.id,)
    attribute = attribute_of(statement.attribute)
    base = attribute.denies or attribute.name
    subject = folded(statement.subject)
    return (subject, base) if attribute.single else (subject, base, folded(statement.value))


def contradict(one: StatementRun, other: StatementRun) -> bool:
    """Whether two runs of a slot cannot both be true: another value, or the same one denied."""
    if one.said == other.said:
        return one.denied != other.denied
    # That one does not live in one place says nothing against living in another; but who says
    # where one lives now says more than who said where not.
    return not other.denied


def close(run: StatementRun, at: datetime) -> None:
    """End a run; there is nothing left to settle between it and others."""
    run.until = at
    for other in run.against:
        other.against = [each for each in other.against if each is not run]
    run.against = []
