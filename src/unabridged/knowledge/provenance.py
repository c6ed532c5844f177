"""Provenance: which statements came from other spaces, when, and what their spaces knew then.

It is read from the shares that a space keeps, never from the statements: these are the same words
under the same id wherever they lie, and a share that is revoked takes its part of this with it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from unabridged.domain.fact import Origin
from unabridged.domain.record import Record
from unabridged.domain.share import ShareSide, from_record
from unabridged.knowledge.statements import Statement

HERE = ""
"""The origin of what was learned in this space."""


@dataclass(frozen=True, slots=True)
class Provenance:
    """What a space knows of where its statements are from.

    Attributes:
        origins: The name of the space of origin, by statement; those of this space are missing.
        spoken: The same by exchange: what is drawn here from a shared exchange is from there too.
        over: By statement, what its space knew of the matter; see ``domain.share.Came``.
        edits: By statement, what a person edited into it, the newest first.
        sources: By statement, the exchange of the other space that says so.
        arrived: By statement, when it came.
        heard: By exchange, when it came.
        withdrawn: Statements that a person took back in another space, and when.
    """

    origins: Mapping[str, str] = field(default_factory=dict)
    spoken: Mapping[str, str] = field(default_factory=dict)
    over: Mapping[str, frozenset[str]] = field(default_factory=dict)
    edits: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    sources: Mapping[str, str] = field(default_factory=dict)
    arrived: Mapping[str, datetime] = field(default_factory=dict)
    heard: Mapping[str, datetime] = field(default_factory=dict)
    withdrawn: Mapping[str, datetime] = field(default_factory=dict)

    def __bool__(self) -> bool:
        """Whether anything came from elsewhere."""
        return bool(self.origins or self.spoken or self.withdrawn)

    def origin_of(self, statement: Statement) -> str:
        """The name of the space that a statement is from; ``HERE`` for this one."""
        known = self.origins.get(statement.id)
        if known is None and statement.exchange is not None:
            known = self.spoken.get(statement.exchange)
        return known or HERE

    def arrival_of(self, statement: Statement) -> datetime | None:
        """When a statement from elsewhere came."""
        known = self.arrived.get(statement.id)
        if known is None and statement.exchange is not None:
            known = self.heard.get(statement.exchange)
        return known

    def edited_from(self, statement: Statement, held: Mapping[str, Statement]) -> tuple[str, ...]:
        """The ids of the statements that a person edited into one, the newest first.

        Args:
            statement: The statement.
            held: The statements that are here, by id.
        """
        found: dict[str, None] = {}
        one: Statement | None = statement
        while one is not None:
            chain = self.edits.get(one.id) or ((one.replaces,) if one.replaces else ())
            new = [name for name in chain if name not in found]
            found |= dict.fromkeys(new)
            one = held.get(new[-1]) if new else None
        return tuple(found)

    def told(self, statement: Statement) -> Origin | None:
        """Where a statement is from, as people are told; None for this space."""
        origin, arrived = self.origin_of(statement), self.arrival_of(statement)
        if origin == HERE or arrived is None:
            return None
        return Origin(origin, self.sources.get(statement.id) or statement.exchange, arrived)


NOTHING_SHARED = Provenance()
"""The provenance of a space that nothing was carried to."""


def provenance_of(records: Iterable[Record], here: str) -> Provenance:
    """Read where statements are from.

    Args:
        records: Every share's record.
        here: The name of this space.
    """
    origins: dict[str, str] = {}
    spoken: dict[str, str] = {}
    over: dict[str, frozenset[str]] = {}
    edits: dict[str, tuple[str, ...]] = {}
    sources: dict[str, str] = {}
    arrived: dict[str, datetime] = {}
    heard: dict[str, datetime] = {}
    withdrawn: dict[str, datetime] = {}
    taken = [s for s in map(from_record, records) if s.side is ShareSide.TAKEN]
    for share in taken:
        for carry in share.carries:
            # What was revoked and came again was known all the time since it came first.
            _earliest(arrived, carry.facts, carry.at)
            _earliest(heard, carry.exchange_ids, carry.at)
            if share.revoked is not None:
                continue
            for origin, names in carry.exchanges.items():
                spoken |= dict.fromkeys(names, _named(origin, here))
            for name, came in carry.facts.items():
                origins[name] = _named(came.origin, here)
                over[name] = over.get(name, frozenset()) | frozenset(came.over)
                if len(came.edits) > len(edits.get(name, ())):
                    edits[name] = came.edits
                if came.exchange is not None:
                    sources[name] = came.exchange
            for name, at in carry.withdrawn.items():
                _earliest(withdrawn, (name,), at)
    return Provenance(origins, spoken, over, edits, sources, arrived, heard, withdrawn)


def _named(origin: str, here: str) -> str:
    """An origin as this space sees it: what was its own and came back is its own."""
    return HERE if origin == here else origin


def _earliest(times: dict[str, datetime], names: Iterable[str], at: datetime) -> None:
    for name in names:
        times[name] = min(at, times.get(name, at))
