"""The spaces that statements came from, and when.

This is read from the shares of a space, never from the statements. A statement has the same id in
every space; revoking a share removes its part of this too.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from unabridged.domain.fact import FactOrigin
from unabridged.domain.record import Record
from unabridged.domain.share import Share, SharedFact, ShareSide, from_record
from unabridged.knowledge.statements import Statement

HERE = ""
"""The origin of what was learned in this space."""


@dataclass(frozen=True, slots=True)
class Provenance:
    """The origins of a space's statements, as far as known.

    Attributes:
        facts: Each copied statement to its source; its origin is ``HERE`` if it came back.
        exchanges: Each copied exchange to the name of its original space. What is learned here from
            such an exchange has the same origin.
        arrived: When each of both first arrived, by id.
        withdrawn: Statements that a person withdrew in another space, and when.
    """

    facts: Mapping[str, SharedFact] = field(default_factory=dict)
    exchanges: Mapping[str, str] = field(default_factory=dict)
    arrived: Mapping[str, datetime] = field(default_factory=dict)
    withdrawn: Mapping[str, datetime] = field(default_factory=dict)

    def __bool__(self) -> bool:
        """Return whether anything came from another space."""
        return bool(self.facts or self.exchanges or self.withdrawn)

    def origin_of(self, statement: Statement) -> str:
        """Return the name of the space that a statement is from; ``HERE`` for this one."""
        known = self.facts.get(statement.id)
        return known.origin if known else self.exchanges.get(statement.exchange or "", HERE)

    def arrival_of(self, statement: Statement) -> datetime | None:
        """Return when a statement from another space arrived."""
        return self.arrived.get(statement.id) or self.arrived.get(statement.exchange or "")

    def source_of(self, statement: Statement) -> str | None:
        """Return its source exchange in the other space, if known."""
        known = self.facts.get(statement.id)
        return known.exchange if known else None

    def edited_from(self, statement: Statement, held: Mapping[str, Statement]) -> tuple[str, ...]:
        """Return the ids of the statements that a person edited into one, the newest first."""
        found: dict[str, None] = {}
        one: Statement | None = statement
        while one is not None:
            known = self.facts.get(one.id)
            chain = (known.edits if known else ()) or ((one.replaces,) if one.replaces else ())
            new = [name for name in chain if name not in found]
            found |= dict.fromkeys(new)
            one = held.get(new[-1]) if new else None
        return tuple(found)

    def told(self, statement: Statement) -> FactOrigin | None:
        """Return the origin of a statement for people; None for this space."""
        origin, arrived = self.origin_of(statement), self.arrival_of(statement)
        if origin == HERE or arrived is None:
            return None
        return FactOrigin(origin, self.source_of(statement) or statement.exchange, arrived)


NOTHING_SHARED = Provenance()
"""The provenance of a space that received nothing."""


def provenance_of(records: Iterable[Record], here: str) -> Provenance:
    """Read the origins of statements."""
    facts: dict[str, SharedFact] = {}
    exchanges: dict[str, str] = {}
    arrived: dict[str, datetime] = {}
    withdrawn: dict[str, datetime] = {}
    for share in map(from_record, records):
        if share.side is not ShareSide.TAKEN:
            continue
        for carry in share.carries:
            # What was revoked and shared again counts from its first arrival.
            _note_earliest(arrived, dict.fromkeys((*carry.facts, *carry.exchange_ids), carry.at))
        if share.revoked is None:
            _read(share, here, facts, exchanges)
            for carry in share.carries:
                _note_earliest(withdrawn, carry.withdrawn)
    return Provenance(facts, exchanges, arrived, withdrawn)


def _read(share: Share, here: str, facts: dict[str, SharedFact], exchanges: dict[str, str]) -> None:
    for carry in share.carries:
        for origin, names in carry.exchanges.items():
            exchanges |= dict.fromkeys(names, HERE if origin == here else origin)
        for name, new in carry.facts.items():
            old = facts.get(name, new)
            facts[name] = SharedFact(
                HERE if new.origin == here else new.origin,
                new.exchange or old.exchange,
                max(new.edits, old.edits, key=len),
            )


def _note_earliest(times: dict[str, datetime], more: Mapping[str, datetime]) -> None:
    for name, at in more.items():
        times[name] = min(at, times.get(name, at))
