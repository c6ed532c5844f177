"""A fact: a statement drawn from an exchange, with its source and the time it holds. And requirements."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from unabridged.domain.short_repr import quoted, short

SELF = "user"
"""The subject of what is known of the user."""


class FactState(StrEnum):
    """What a fact is worth now."""

    CURRENT = "current"
    SUPERSEDED = "superseded"
    """A newer value took its place; it stays in the history."""
    WITHDRAWN = "withdrawn"
    """A person took it back; it is recalled no more."""


@dataclass(frozen=True, slots=True)
class FactOrigin:
    """From which other space a fact came.

    Attributes:
        space: The name of the space in which it was learned.
        exchange: The exchange there that says so, or None where a person gave it.
        arrived: When it came into this space.
    """

    space: str
    exchange: str | None
    arrived: datetime


@dataclass(frozen=True, slots=True)
class Fact:
    """A statement.

    Attributes:
        id: Its id.
        text: The statement as people and prompts read it.
        subject: Whom it is about: ``user``, or a name.
        attribute: What of them: ``lives in``, ``favourite colour`` …; empty for free words.
        value: What it is; empty for free words.
        quote: The words that say so, as they stand in the exchange; empty where a person gave it.
        exchange: The exchange that says so, or None where a person gave it.
        since: Since when it holds, as far as known: when it was said.
        until: When it ceased to hold, or None.
        by: Who drew it: ``rules`` with a version, ``model:NAME``, or ``user``.
        state: What it is worth now.
        pinned: Whether every prompt carries it.
        supersedes: The id of the fact whose place it took, or None.
        disputed_by: The ids of facts that say otherwise without one taking the other's place.
        origin: From which other space it was shared, or None where it is of this space.
    """

    id: str
    text: str
    since: datetime
    subject: str = SELF
    attribute: str = ""
    value: str = ""
    quote: str = ""
    exchange: str | None = None
    until: datetime | None = None
    by: str = "user"
    state: FactState = FactState.CURRENT
    pinned: bool = False
    supersedes: str | None = None
    disputed_by: tuple[str, ...] = ()
    origin: FactOrigin | None = None

    def __repr__(self) -> str:  # type: ignore[explicit-override]  # typing.override came with 3.12
        return short(self, self.id, quoted(self.text), self.state, "pinned" if self.pinned else "")


@dataclass(frozen=True, slots=True)
class FactChange:
    """One step in the history of a fact or requirement.

    Attributes:
        at: When.
        by: Who: ``user``, ``rules`` with a version, ``model:NAME``.
        what: ``added``, ``edited``, ``pinned``, ``unpinned``, ``superseded``, ``withdrawn``.
        text: The text afterwards.
    """

    at: datetime
    by: str
    what: str
    text: str


@dataclass(frozen=True, slots=True)
class Requirement:
    """A requirement with the fields of a Volere snow card (Robertson and Robertson, 2012).

    Attributes:
        id: ``REQ-`` and a number.
        text: The description.
        at: When it was stated.
        type: ``functional``, ``non-functional`` or ``constraint``.
        rationale: Why.
        fit_criterion: How one can tell that it is met.
        originator: Who raised it.
        satisfaction: 1 to 5: how glad the customer is if it is met; None where unknown.
        dissatisfaction: 1 to 5: how unhappy if it is not; None where unknown.
        priority: ``must``, ``should``, ``could``, ``wont`` or empty.
        conflicts: The ids of requirements that it cannot be met together with.
        quote: The words that say so; empty where a person gave it.
        exchange: The exchange that says so, or None.
        by: Who drew it.
        pinned: Whether every prompt carries it.
        withdrawn: Whether a person took it back.
        history: Every change, the oldest first.
    """

    id: str
    text: str
    at: datetime
    type: str = "functional"
    rationale: str = ""
    fit_criterion: str = ""
    originator: str = ""
    satisfaction: int | None = None
    dissatisfaction: int | None = None
    priority: str = ""
    conflicts: tuple[str, ...] = ()
    quote: str = ""
    exchange: str | None = None
    by: str = "user"
    pinned: bool = False
    withdrawn: bool = False
    history: tuple[FactChange, ...] = ()

    def __repr__(self) -> str:  # type: ignore[explicit-override]  # typing.override came with 3.12
        return short(self, self.id, quoted(self.text), self.priority)
