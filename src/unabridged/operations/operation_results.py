"""Values that only operations give."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from unabridged.domain.exchange import Exchange
from unabridged.domain.results import MaintenanceProgress
from unabridged.domain.session import Session
from unabridged.domain.share import Share, ShareState
from unabridged.space.space import Space


@dataclass(frozen=True, slots=True)
class SpaceLine:
    """A space in a list.

    Attributes:
        name: The space as people write it.
        user: The user; empty where the settings keep all users together.
        agent: The agent; empty likewise.
        model: The model; empty where models are not kept apart.
        sessions: Sessions in it.
        exchanges: Exchanges in it.
        bytes: Its size on disk.
        damaged: What is wrong with it, in words; empty for a sound one.
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
        state: What it is worth now: ``held``, ``unfinished`` or ``revoked``.
        exchanges: Exchanges that it holds.
        facts: Statements of facts that it holds.
        share: All that is kept of it, in ids and names.
    """

    state: ShareState
    exchanges: int
    facts: int
    share: Share

    @staticmethod
    def of(share: Share) -> "ShareView":
        """Look at a share."""
        return ShareView(share.state, len(share.exchange_ids), len(share.fact_ids), share)


@dataclass(frozen=True, slots=True)
class SessionResult(Session):
    """A session.

    Attributes:
        id: Its id.
        title: What people call it.
        created: When it was begun.
        updated: When it was last written to.
        head: The id of the newest message on its current path, or null while it is empty.
        source: Where it came from.
        foreign_id: The id that it had there.
        archived: When it was moved out of the active set, or null.
        exchanges: Exchanges of all its branches.
    """

    exchanges: int = 0


@dataclass(frozen=True, slots=True)
class Passed:
    """A record of a file that could not be read.

    Attributes:
        where: Its line or place in the file.
        reason: Why, in words.
    """

    where: str
    reason: str


@dataclass(frozen=True, slots=True)
class RecordedExchange:
    """What became of something that was to be recorded.

    Attributes:
        exchange: The exchange as it is stored; null where it is not.
        notes: What a person should know: that it was forgotten before, and is not stored …
    """

    exchange: Exchange | None
    notes: tuple[str, ...] = ()


def recorded(space: Space, what: Mapping[str, Any]) -> RecordedExchange:
    """Say what became of an exchange: ``what`` has its id and the notes."""
    name = what["exchange"]
    return RecordedExchange(
        space.log.get(name) if space.log.has(name) else None, tuple(what["notes"])
    )


@dataclass(frozen=True, slots=True)
class Imported:
    """What became of a file that was imported.

    Attributes:
        format: What it is.
        conversations: Conversations in it.
        exchanges: Exchanges in them.
        added: Those of them that were new.
        records: Facts, requirements, readings and condensations in it.
        records_added: Those of them that were new, and are borne by what is stored.
        requirements: Requirements of a person's own that were new.
        conversations_added: Conversations of which something was new.
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
    skipped: Mapping[str, int]
    repaired: Mapping[str, int]
    complete: bool
    failed_count: int
    failed: tuple[Passed, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Tended:
    """What tending has done.

    Attributes:
        stages: How far each stage has come.
        done: Whether nothing is left to do.
    """

    stages: tuple[MaintenanceProgress, ...]
    done: bool


@dataclass(frozen=True, slots=True)
class Download:
    """A file that is given piece by piece.

    Attributes:
        name: What it is called.
        media_type: Its media type.
        pieces: Its bytes.
    """

    name: str
    media_type: str
    pieces: Iterator[bytes]
