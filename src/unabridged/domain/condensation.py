"""A condensation: a shorter text that stands for named exchanges, which stay stored."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from unabridged.domain.message import Role


class Level(StrEnum):
    """How much a condensation stands for."""

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
        index: Its place among the messages of the exchange.
        role: Who said it: the user or the assistant; None for the words of an earlier condensation.
        text: Its words, whole.
        importance: 0 to 1; 0.5 where nobody judged it.
        category: The name of its category; empty where nobody judged it.
        critical: Whether the names in it must stay.
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
    """What a condensation says of one message, or in words of its own.

    Attributes:
        text: Whole sentences; where others stood between them stands ``[…]``.
        exchange: The exchange that they are from; empty for a model's own words.
        index: The place of the message in it.
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
        notes: What a person should know: why a model's words were not taken …
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
        lost_names: Names that the condensed messages held and the view holds no more.
        lost_critical: Those of them that critical messages held; such a run is not used.
        in_order: Whether what is left stands in the order in which it was said.
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
        id: ``c-`` and ten hex digits, drawn from what it covers and says; the same run gives the
            same id.
        level: How much it stands for.
        session: The session; empty for a period.
        covers: The ids of the exchanges that it stands for, in their order.
        since: When the first of them was.
        until: When the last was.
        lines: What it says.
        tokens: What that takes.
        source_tokens: What the exchanges take whole.
        by: Who wrote it.
        category: The category that it is of; empty where it is of several.
        messages: What it stands for, message by message: (exchange, index); empty for all messages
            of what it covers.
        parts: The ids of the condensations that it was made from.
        notes: What a person should know.
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
    """What one run of condensing did: figures only, no words of anybody.

    Attributes:
        id: Drawn from the session and what was condensed; the same run twice counts once.
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
