"""A condensation: a shorter text that replaces named exchanges, which stay stored."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from unabridged.domain.message import Role


class Level(StrEnum):
    """How much a condensation covers."""

    EXCHANGES = "exchanges"
    """Some exchanges of one session, of one category."""
    CONVERSATION = "conversation"
    """A whole session, or its beginning."""
    PERIOD = "period"
    """The sessions of a month."""


@dataclass(frozen=True, slots=True)
class CondenseSource:
    """A message as a condenser sees it.

    Attributes:
        index: Its position among the messages of the exchange.
        role: User or assistant; None for the text of an earlier condensation.
        text: Its whole text.
        importance: 0 to 1; 0.5 without an annotation.
        category: The name of its category; empty without an annotation.
        critical: Whether the names in it must be kept.
        sentences: The only sentences of it to choose from, by their number; None for all. What an
            earlier condensation left out stays out.
    """

    exchange: str
    index: int
    role: Role | None
    text: str
    at: datetime
    importance: float = 0.5
    category: str = ""
    critical: bool = False
    sentences: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """What a condensation says of one message, or in a model's own words.

    Attributes:
        text: Whole sentences; ``[…]`` marks sentences that were left out between them.
        exchange: The exchange that they are from; empty for a model's own words.
        index: The position of the message in it.
        role: Who said them; None for a model's own words.
        sentences: Which of the message's sentences they are, by their number from 0.
    """

    text: str
    exchange: str = ""
    index: int = 0
    role: Role | None = None
    sentences: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class CondensationDraft:
    """What a condenser made of sources.

    Attributes:
        lines: In the order of the sources.
        tokens: What the texts of the lines take together.
        by: Who wrote it: ``extract`` with a version, or ``model:NAME``.
        notes: Messages to a person: why a model's text was not used …
    """

    lines: tuple[Line, ...]
    tokens: int
    by: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Coherence:
    """What a check of one run found (EMM, phase 6; design, section 10).

    Attributes:
        critical_kept: 0 to 1: of the critical exchanges, the share that stays verbatim.
        shares_kept: Whether every category keeps its share verbatim.
        lost_names: Names of the condensed messages that the view no longer contains.
        lost_critical: Those of them in critical messages; such a run is not used.
        in_order: Whether the rest is in its original order.
        tokens_before: Tokens of the view before the run.
        tokens_after: Tokens afterwards.
    """

    critical_kept: float
    shares_kept: bool
    lost_names: tuple[str, ...]
    lost_critical: tuple[str, ...]
    in_order: bool
    tokens_before: int
    tokens_after: int

    @property
    def token_reduction(self) -> float:
        """0 to 1: the share of tokens that were saved."""
        if not self.tokens_before:
            return 0.0
        return 1 - self.tokens_after / self.tokens_before


@dataclass(frozen=True, slots=True)
class Condensation:
    """A shorter text for named exchanges.

    Attributes:
        id: ``c-`` and ten hex digits, computed from sources and text; the same run gives the same
            id.
        level: How much it covers.
        session: The session; empty for a period.
        covers: The ids of the exchanges that it replaces, in their order.
        since: The time of the first of them.
        until: The time of the last.
        lines: What it says.
        tokens: What that takes.
        source_tokens: What the exchanges take whole.
        by: Who wrote it.
        category: Its category; empty if there are several.
        messages: The messages that it replaces: (exchange, index); empty for all messages of the
            exchanges.
        parts: The ids of the condensations that it was made from.
        notes: Messages to a person.
    """

    id: str
    level: Level
    session: str
    covers: tuple[str, ...]
    since: datetime
    until: datetime
    lines: tuple[Line, ...]
    tokens: int
    source_tokens: int
    by: str
    category: str = ""
    messages: tuple[tuple[str, int], ...] = ()
    parts: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CondenseRun:
    """What one run of condensing did: figures only, no text.

    Attributes:
        id: Computed from the session and what was condensed; the same run twice counts once.
        condensed: Messages condensed, by category.
        kept: Messages that stayed verbatim among the candidates, by category.
        by: Who wrote the condensations.
    """

    id: str
    at: datetime
    session: str
    condensed: Mapping[str, int] = field(default_factory=dict)
    kept: Mapping[str, int] = field(default_factory=dict)
    coherence: Coherence | None = None
    by: str = ""
    seconds: float = 0.0
