"""Results that only operations return."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, TypeVar

from unabridged.annotations.annotate import ReadingCounts
from unabridged.domain.exchange import Exchange
from unabridged.domain.fact import Requirement
from unabridged.domain.forgetting import Receipt
from unabridged.domain.results import CondenseStats, MaintenanceProgress, Stats
from unabridged.domain.session import Session
from unabridged.domain.share import Share, ShareState
from unabridged.domain.topic import Topic

if TYPE_CHECKING:
    from unabridged.space.space import Space

Kind = TypeVar("Kind")


def extended(kind: type[Kind], value: Any, **more: Any) -> Kind:
    """Return a value of a type that adds fields to that of another value."""
    return kind(**{each.name: getattr(value, each.name) for each in fields(value)}, **more)


@dataclass(frozen=True, slots=True)
class SpaceLine:
    """A space in a list.

    Attributes:
        name: The name of the space.
        user: The user; empty if the settings do not separate users.
        agent: The agent; empty if the settings do not separate agents.
        model: The model; empty if the settings do not separate models.
        sessions: Sessions in it.
        exchanges: Exchanges in it.
        bytes: Its size on disk.
        damaged: What is wrong with it; empty if nothing is.
    """

    name: str
    user: str
    agent: str
    model: str
    sessions: int
    exchanges: int
    bytes: int
    damaged: str = ""


@dataclass(frozen=True, slots=True)
class ShareView:
    """A share.

    Attributes:
        state: ``held``, ``unfinished`` or ``revoked``.
        exchanges: Exchanges that it shares.
        facts: Statements of facts that it shares.
        share: The share itself, in ids and names.
    """

    state: ShareState
    exchanges: int
    facts: int
    share: Share

    @staticmethod
    def of(share: Share) -> "ShareView":
        """Return the view of a share."""
        return ShareView(share.state, len(share.exchange_ids), len(share.fact_ids), share)


@dataclass(frozen=True, slots=True, kw_only=True)
class RevokedShare(ShareView):
    """A share that was revoked.

    Attributes:
        receipt: What was removed from the receiving space; null if nothing was, or if this repeats
            an earlier answer.
        reached: Whether the receiving space exists.
    """

    receipt: Receipt | None = None
    reached: bool = True


@dataclass(frozen=True, slots=True)
class RequirementConflict:
    """Two requirements that cannot be met together.

    Attributes:
        one: The first.
        other: The second.
    """

    one: Requirement
    other: Requirement


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionResult(Session):
    """A session.

    Attributes:
        exchanges: Exchanges in all its branches.
        number: Its number in the list of sessions; null where it is not in a list.
        handed_to: The spaces that it was handed off to.
        folder: The working folder that its program named; empty without one.
    """

    exchanges: int
    number: int | None
    handed_to: tuple[str, ...]
    folder: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicResult(Topic):
    """A topic.

    Attributes:
        number: Its number in the list.
        name: Its label in one line.
    """

    number: int
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptResult(Receipt):
    """A receipt.

    Attributes:
        genuine: Whether it is as it was written; null if its key is gone.
    """

    genuine: bool | None


@dataclass(frozen=True, slots=True)
class FactCounts:
    """Counts of current facts.

    Attributes:
        current: All of them.
        pinned: Those that every prompt has.
        disputed: Those that contradict another.
    """

    current: int
    pinned: int
    disputed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SpaceFigures(Stats):
    """The figures of a space.

    Attributes:
        unsaved: Writes that are not saved yet.
        facts: Counts of current facts.
        condensing: What was condensed in sessions.
        wholes: Condensations of whole conversations and months.
        readings: Counts of annotations.
    """

    unsaved: int
    facts: FactCounts
    condensing: CondenseStats
    wholes: int
    readings: ReadingCounts


@dataclass(frozen=True, slots=True)
class Passed:
    """A record of a file that could not be read.

    Attributes:
        where: Its line or place in the file.
        reason: The reason.
    """

    where: str
    reason: str


@dataclass(frozen=True, slots=True)
class RecordedExchange:
    """The result of recording.

    Attributes:
        exchange: The stored exchange; null if it was not stored.
        notes: What to know, such as that it was forgotten before and is not stored.
    """

    exchange: Exchange | None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AddedMessages:
    """The result of adding messages.

    Attributes:
        exchanges: The exchanges as stored; what was forgotten before is not among them.
        notes: What to know, such as that something was forgotten before and is not stored.
    """

    exchanges: tuple[Exchange, ...]
    notes: tuple[str, ...] = ()


def recorded(space: "Space", what: Mapping[str, Any]) -> RecordedExchange:
    """Return the result of recording an exchange: ``what`` has its id and the notes."""
    name = what["exchange"]
    return RecordedExchange(
        space.log.get(name) if space.log.has(name) else None, tuple(what["notes"])
    )


@dataclass(frozen=True, slots=True)
class Imported:
    """The result of an import.

    Attributes:
        format: The format of the file.
        conversations: Conversations in it.
        exchanges: Exchanges in them.
        added: Those of them that were new.
        records: Facts, requirements, readings and condensations in it.
        records_added: Those of them that were new, and are borne by what is stored.
        requirements: Requirements of a person's own that were new.
        conversations_added: Conversations of which something was new.
        conversations_known: Conversations that are here already.
        skipped: What such files always have besides conversations, by kind.
        repaired: What was imported in another form, by kind.
        complete: Whether everything was read and stored.
        failed_count: How much could not be read or stored; it is kept aside in the home.
        failed: The first of it, with the reason.
        notes: What a person should know.
    """

    format: str
    conversations: int
    exchanges: int
    added: int
    records: int
    records_added: int
    requirements: int
    conversations_added: int
    conversations_known: int
    skipped: Mapping[str, int]
    repaired: Mapping[str, int]
    complete: bool
    failed_count: int
    failed: tuple[Passed, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Tended:
    """The progress of maintenance.

    Attributes:
        stages: The progress of each stage.
        done: Whether nothing is left to do.
    """

    stages: tuple[MaintenanceProgress, ...]
    done: bool


@dataclass(frozen=True, slots=True)
class Download:
    """A file that is returned piece by piece.

    Attributes:
        name: Its name.
        media_type: Its media type.
        pieces: Its bytes.
    """

    name: str
    media_type: str
    pieces: Iterator[bytes]
