"""A share: what was copied from one space into another, in ids and names, as both sides keep it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from unabridged.domain.forgetting import Receipt
from unabridged.domain.record import Record, RecordKind
from unabridged.domain.scope import SpaceId

VERSION = 1


class ShareKind(StrEnum):
    """The kind of a share."""

    SHARE = "share"
    """The other space gets a copy."""
    HANDOFF = "handoff"
    """The other space continues the session."""


class ShareSide(StrEnum):
    """The side of a share that a space is on."""

    GIVEN = "given"
    """The giving side."""
    TAKEN = "taken"
    """The receiving side."""


class ShareState(StrEnum):
    """The state of a share."""

    UNFINISHED = "unfinished"
    """It was interrupted: sharing the same again, or revoking, completes it."""
    HELD = "held"
    """Its copies are there."""
    REVOKED = "revoked"
    """Its copies were removed, except those that another share holds."""


@dataclass(frozen=True, slots=True)
class SharedFact:
    """The origin of a shared statement.

    Attributes:
        origin: The name of the space in which it was made.
        exchange: Its source exchange in that space, or None if a person stated it.
        edits: The ids of the statements that a person edited into it, the newest first. Those in
            between may be missing.
    """

    origin: str
    exchange: str | None = None
    edits: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ShareTransfer:
    """One copying.

    Attributes:
        at: When it was complete; while it runs, when it began.
        exchanges: The ids of exchanges, by the name of the space in which they were said.
        facts: Statements by id.
        withdrawn: Statements that a person withdrew on the giving side, and when.
        done: Whether all of it has arrived.
    """

    at: datetime
    exchanges: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    facts: Mapping[str, SharedFact] = field(default_factory=dict)
    withdrawn: Mapping[str, datetime] = field(default_factory=dict)
    done: bool = False

    @property
    def exchange_ids(self) -> set[str]:
        """The ids of its exchanges."""
        return {name for names in self.exchanges.values() for name in names}


@dataclass(frozen=True, slots=True)
class Share:
    """What was copied between two spaces; both keep it under one id.

    Attributes:
        id: Its id, the same on both sides.
        kind: Share or hand-off.
        side: The side that this space is on.
        other: The space on the other side.
        at: When it was first requested.
        by: The user who requested it.
        sessions: The ids of the requested sessions.
        facts: The ids of the requested facts.
        all_facts: Whether every fact was requested.
        carries: Each copying, the oldest first.
        revoked: When it was revoked, or None.
    """

    id: str
    kind: ShareKind
    side: ShareSide
    other: SpaceId
    at: datetime
    by: str
    sessions: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    all_facts: bool = False
    carries: tuple[ShareTransfer, ...] = ()
    revoked: datetime | None = None

    @property
    def state(self) -> ShareState:
        """Its state now."""
        if self.revoked is not None:
            return ShareState.REVOKED
        finished = bool(self.carries) and self.carries[-1].done
        return ShareState.HELD if finished else ShareState.UNFINISHED

    @property
    def exchange_ids(self) -> set[str]:
        """The ids of the exchanges that it holds in the receiving space."""
        return {name for carry in self.carries for name in carry.exchange_ids}

    @property
    def fact_ids(self) -> set[str]:
        """The ids of the statements that it holds in the receiving space."""
        return {name for carry in self.carries for name in carry.facts}

    @property
    def carried(self) -> datetime:
        """When something was last copied."""
        return self.carries[-1].at if self.carries else self.at

    def asks_the_same(self, other: "Share") -> bool:
        """Return whether another one copies the same between the same spaces."""
        return self._asked == other._asked

    @property
    def _asked(self) -> tuple[object, ...]:
        named = frozenset(self.sessions), frozenset(self.facts), self.all_facts
        return (self.kind, self.side, self.other, *named)


@dataclass(frozen=True, slots=True)
class ShareResult:
    """What a share copied, or would copy.

    Attributes:
        share: As the giving side keeps it.
        exchanges: Exchanges that were new in the receiving space.
        facts: Facts that were new there, or got a better source.
        passed_over: Exchanges that were forgotten there, and stay so.
        refused: Facts that were withdrawn there, and stay so.
        titles: The titles of the sessions.
        texts: The texts of the facts that were new there.
    """

    share: Share
    exchanges: int
    facts: int
    passed_over: int
    refused: int
    titles: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Revoked:
    """The result of revoking a share.

    Attributes:
        share: As this side keeps it now.
        receipt: What was removed from the receiving space; None if nothing was left there.
        reached: Whether that space exists.
    """

    share: Share
    receipt: Receipt | None
    reached: bool = True


def to_record(share: Share) -> Record:
    """Return a share as a record. It names no source exchange, so that it outlives them."""
    body = {
        "version": VERSION,
        "kind": share.kind.value,
        "side": share.side.value,
        "other": [share.other.user, share.other.agent, share.other.model],
        "by": share.by,
        "sessions": list(share.sessions),
        "facts": list(share.facts),
        "all_facts": share.all_facts,
        "carries": [_carry_to_data(carry) for carry in share.carries],
        "revoked": share.revoked.isoformat() if share.revoked else None,
    }
    return Record(RecordKind.SHARE, share.id, share.at, body)


def from_record(record: Record) -> Share:
    """Read what ``to_record`` returned."""
    body: Mapping[str, Any] = record.body
    return Share(
        id=record.id,
        kind=ShareKind(body["kind"]),
        side=ShareSide(body["side"]),
        other=SpaceId(*body["other"]),
        at=record.at,
        by=str(body["by"]),
        sessions=tuple(body["sessions"]),
        facts=tuple(body["facts"]),
        all_facts=bool(body["all_facts"]),
        carries=tuple(_carry_from_data(data) for data in body["carries"]),
        revoked=datetime.fromisoformat(body["revoked"]) if body["revoked"] else None,
    )


def held_by(records: Iterable[Record], side: ShareSide) -> list[Share]:
    """Return the shares of one side that were not revoked.

    Args:
        records: Every share's record.
        side: The side.
    """
    shares = (from_record(record) for record in records)
    return [share for share in shares if share.side is side and share.revoked is None]


def _carry_to_data(carry: ShareTransfer) -> dict[str, Any]:
    return {
        "at": carry.at.isoformat(),
        "exchanges": {origin: list(ids) for origin, ids in carry.exchanges.items()},
        "facts": {
            name: [fact.origin, fact.exchange, list(fact.edits)]
            for name, fact in carry.facts.items()
        },
        "withdrawn": {name: at.isoformat() for name, at in carry.withdrawn.items()},
        "done": carry.done,
    }


def _carry_from_data(data: Mapping[str, Any]) -> ShareTransfer:
    return ShareTransfer(
        at=datetime.fromisoformat(data["at"]),
        exchanges={origin: tuple(ids) for origin, ids in data["exchanges"].items()},
        facts={
            name: SharedFact(str(origin), exchange, tuple(edits))
            for name, (origin, exchange, edits) in data["facts"].items()
        },
        withdrawn={name: datetime.fromisoformat(at) for name, at in data["withdrawn"].items()},
        done=bool(data["done"]),
    )
