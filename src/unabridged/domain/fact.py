"""Facts and requirements: statements learned from exchanges, with their source and validity."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from unabridged.domain.short_repr import quoted, short

SELF = "user"
"""The subject of facts about the user."""


class FactState(StrEnum):
    """Whether a fact holds now."""

    CURRENT = "current"
    SUPERSEDED = "superseded"
    """A newer value replaced it; it stays in the history."""
    WITHDRAWN = "withdrawn"
    """A person withdrew it; it is no longer recalled."""


@dataclass(frozen=True, slots=True)
class FactOrigin:
    """The other space that a fact came from.

    Attributes:
        space: The name of the space in which it was learned.
        exchange: Its source exchange there, or None if a person stated it.
        arrived: When it was copied into this space.
    """

    space: str
    exchange: str | None
    arrived: datetime


@dataclass(frozen=True, slots=True)
class Fact:
    """A statement.

    Attributes:
        id: Its id.
        text: The statement as people and prompts show it.
        subject: Who it is about: ``user``, or a name.
        attribute: What about them: ``lives in``, ``favourite colour`` …; empty for free text.
        value: The value; empty for free text.
        quote: The source's words, exactly as in the exchange; empty if a person stated it.
        exchange: Its source exchange, or None if a person stated it.
        since: Since when it holds: when it was said.
        until: When it stopped holding, or None.
        by: Its author: ``rules`` with a version, ``model:NAME``, or ``user``.
        state: Whether it holds now.
        pinned: Whether every prompt carries it.
        supersedes: The id of the fact that it replaced, or None.
        disputed_by: The ids of facts that contradict it, where neither replaces the other.
        origin: The other space that it was shared from, or None.
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
        by: Its author: ``user``, ``rules`` with a version, ``model:NAME``.
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
        at: The time when it was stated.
        type: ``functional``, ``non-functional`` or ``constraint``.
        rationale: Why.
        fit_criterion: How to test that it is met.
        originator: Who raised it.
        satisfaction: 1 to 5: how glad the customer is if it is met; None if unknown.
        dissatisfaction: 1 to 5: how unhappy if it is not; None if unknown.
        priority: ``must``, ``should``, ``could``, ``wont`` or empty.
        conflicts: The ids of requirements that contradict it.
        quote: The source's words; empty if a person stated it.
        exchange: Its source exchange, or None.
        by: Its author.
        pinned: Whether every prompt carries it.
        withdrawn: Whether a person withdrew it.
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
