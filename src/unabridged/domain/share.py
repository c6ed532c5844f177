"""A share: what was carried from one space into another, in ids and names, as both sides keep it."""

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
    """How something was carried."""

    SHARE = "share"
    """The other space has it too."""
    HANDOFF = "handoff"
    """The other space goes on with the session."""


class ShareSide(StrEnum):
    """On which side of a share a space stands."""

    GIVEN = "given"
    """It gave."""
    TAKEN = "taken"
    """It was given to."""


class ShareState(StrEnum):
    """What a share is worth now."""

    UNFINISHED = "unfinished"
    """It was interrupted: sharing the same again, or revoking, completes it."""
    HELD = "held"
    """What it carried is there."""
    REVOKED = "revoked"
    """What it carried was removed, unless another share holds it."""


@dataclass(frozen=True, slots=True)
class SharedFact:
    """Where a shared statement is from.

    Attributes:
        origin: The name of the space in which it was made.
        exchange: The exchange of that space that says so, or None where a person gave it.
        edits: The ids of the statements that a person edited into it, the newest first. Those
            between need not have come along.
    """

    origin: str
    exchange: str | None = None
    edits: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ShareTransfer:
    """What one carrying brought.

    Attributes:
        at: When it had arrived; while it is under way, when it began.
        exchanges: The ids of exchanges, by the name of the space in which they were said.
        facts: Statements by id.
        withdrawn: Statements that a person took back on the giving side, and when.
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
    """What was carried between two spaces; both keep it under one id.

    Attributes:
        id: Its id, the same on both sides.
        kind: How it was carried.
        side: On which side this space stands.
        other: The space on the other side.
        at: When it was asked for first.
        by: The user who asked for it.
        sessions: The ids of the sessions that were asked for.
        facts: The ids of the facts that were asked for.
        all_facts: Whether every fact was asked for.
        carries: What came, time by time, the oldest first.
        revoked: When it was taken back, or None.
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
        """What it is worth now."""
        if self.revoked is not None:
            return ShareState.REVOKED
        finished = bool(self.carries) and self.carries[-1].done
        return ShareState.HELD if finished else ShareState.UNFINISHED

    @property
    def exchange_ids(self) -> set[str]:
        """The ids of the exchanges that it holds in the space that was given to."""
        return {name for carry in self.carries for name in carry.exchange_ids}

    @property
    def fact_ids(self) -> set[str]:
        """The ids of the statements that it holds in the space that was given to."""
        return {name for carry in self.carries for name in carry.facts}

    @property
    def carried(self) -> datetime:
        """When something was carried last."""
        return self.carries[-1].at if self.carries else self.at

    def asks_the_same(self, other: "Share") -> bool:
        """Whether another one carries the same between the same spaces."""
        return self._asked == other._asked

    @property
    def _asked(self) -> tuple[object, ...]:
        named = frozenset(self.sessions), frozenset(self.facts), self.all_facts
        return (self.kind, self.side, self.other, *named)


@dataclass(frozen=True, slots=True)
class ShareResult:
    """What a share brought, or would bring.

    Attributes:
        share: As the giving side keeps it.
        exchanges: Exchanges that were new there.
        facts: Facts that were new there, or better grounded.
        passed_over: Exchanges that were forgotten there, and stay so.
        refused: Facts that were taken back there, and stay so.
        titles: The titles of the sessions.
        texts: The words of the facts that were new there.
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
    """What became of a share that was revoked.

    Attributes:
        share: As this side keeps it now.
        receipt: What went in the space that was given to; None where nothing of it was left.
        reached: Whether that space was there.
    """

    share: Share
    receipt: Receipt | None
    reached: bool = True


def to_record(share: Share) -> Record:
    """A share as a space keeps it. It names no exchange as its source, so that it outlives them."""
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
    """Read what ``to_record`` gave."""
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
    """The shares of one side that were not revoked.

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
