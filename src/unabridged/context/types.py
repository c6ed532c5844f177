"""What a context is planned from: terms, request and material; and what the tiers take of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from unabridged.budget.count import Counter
from unabridged.budget.tiers import TIER_SHARES, TierShares
from unabridged.condense.history_summary import HistorySummary
from unabridged.domain.annotation import ExchangeReading
from unabridged.domain.budget import Budget, Mode, Verbosity
from unabridged.domain.chat import ToolSpec
from unabridged.domain.condensation import Condensation, CondenseSource
from unabridged.domain.exchange import Exchange
from unabridged.domain.fact import Fact
from unabridged.domain.intent import Intent, IntentReading
from unabridged.domain.message import Message
from unabridged.domain.scope import Scope
from unabridged.knowledge.fact_relevance import RelevantFact
from unabridged.ports import Condenser
from unabridged.retrieval.relevance import Relevance

Places = tuple[tuple[int, int], ...]
"""Sentences of an exchange: (message index, sentence index), in order."""


@dataclass(frozen=True, slots=True)
class PromptPlan:
    """The terms under which one context is made.

    Attributes:
        window: Tokens that prompt and answer may take together.
        tools: Every tool that may be offered; none in chat mode.
        max_prompt_tokens: The most tokens of one prompt, or None.
        memory_cap: The most tokens of it that memory takes, or None.
        max_turns: The most exchanges of the session that are shown, or None for what fits.
        max_output: The caller's limit of the answer in tokens, or None.
        output_cap: The model's own limit, or None where unknown.
        local: Whether the answer's limit is worked out for a server whose cap is unknown.
        floor: Evidence under which nothing is recalled.
        condenser: Condenses what falls out of the shown history. None to leave that out, and what
            is too long to come whole.
        notes: What a person should know of the window and the upstream.
        only: The only session from which anything is recalled, or None for the whole space.
        around: Whether who asks for details gets what was said around it too.
        closed: Whether what the space knows (pins, facts) is kept back too; else, where recall is
            from one session, pins are told, and facts that were said there or that a person gave.
    """

    model: str
    window: int
    counter: Counter
    mode: Mode
    verbosity: Verbosity
    system: str
    tools: tuple[ToolSpec, ...] = ()
    max_prompt_tokens: int | None = None
    memory_cap: int | None = None
    shares: TierShares = TIER_SHARES
    max_turns: int | None = None
    max_output: int | None = None
    output_cap: int | None = None
    local: bool = True
    floor: float = 0.25
    condenser: Condenser | None = None
    notes: tuple[str, ...] = ()
    only: str | None = None
    closed: bool = False
    around: bool = False

    @property
    def reach(self) -> int:
        """Tokens that memory can take at the very most."""
        bounds = (self.window, self.max_prompt_tokens, self.memory_cap)
        return min(bound for bound in bounds if bound is not None)


@dataclass(frozen=True, slots=True)
class PromptRequest:
    """The message that a context is made for, and its place in the log.

    Attributes:
        id: The context's id, that of the exchange to be begun.
        scope: Whose memory, with its session.
        user: The user's message as it will be stored.
        parent: The exchange that this one follows, or None.
        retry_of: The exchange whose user message is answered again, or None.
        follows: The message that the user's message follows, or None.
        path: What a client sent before its last message, oldest first; None where the session is
            continued as it is stored.
    """

    id: str
    scope: Scope
    user: Message
    at: datetime
    head: str | None
    parent: str | None
    new_session: bool
    retry_of: str | None = None
    follows: str | None = None
    path: tuple[Exchange, ...] | None = None

    @property
    def session(self) -> str | None:
        """The session, or None for a new one: nothing of it is stored yet."""
        return None if self.new_session else self.scope.session


@dataclass(frozen=True, slots=True)
class MemoryRequest:
    """What one message asks of memory, and the tokens that there are for it.

    Attributes:
        terms: The message's search terms, for excerpts.
        pinned: Tokens that the pinned facts take.
        memory: Tokens of the memory budget without these.
        steady: Tokens that limits in the history are measured by: what memory has at the least,
            so that its bytes do not change with the newest message.
    """

    reading: IntentReading
    terms: Sequence[str]
    budget: Budget
    offered: tuple[ToolSpec, ...]
    pinned: int
    memory: int
    steady: int

    @property
    def intent(self) -> Intent:
        """The intent that won."""
        return self.reading.intent


@dataclass(frozen=True, slots=True)
class Stored:
    """What is known of a session beside its words; read where its shown history moves.

    Attributes:
        annotations: What its exchanges were judged to be, by id, where somebody judged.
        sentences: Message (exchange, index) to the sentences that its condensation kept.
        importance: Message id to how much it matters, 0 to 1.
        older: What stands for exchanges before the path.
        older_drawn: The exchanges that a model's words among it are of.
        older_count: How many these are.
        older_tokens: What they take whole.
    """

    annotations: Mapping[str, ExchangeReading] = field(default_factory=dict)
    sentences: Mapping[tuple[str, int], tuple[int, ...]] = field(default_factory=dict)
    importance: Mapping[str, float] = field(default_factory=dict)
    older: Sequence[CondenseSource] = ()
    older_drawn: Sequence[str] = ()
    older_count: int = 0
    older_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Candidates:
    """What was read from the store for one message.

    Attributes:
        path: Exchanges of the session, oldest first, from where its rendered history began the
            last time (or as far back as the window could hold).
        order: The ids of the path with those between that ``earlier`` stands for, oldest first.
        pins: Facts that every prompt carries.
        facts: Facts that bear on the message, best first.
        overviews: Condensations of conversations that bear on it, best first.
        evidence: Exchanges that bear on the message, best first.
        beside: Exchanges that would, but stand in the place of the new one: what an edited or
            regenerated message replaces.
        previous: The manifest of the session's previous context, or None.
        earlier: What stood for exchanges that were shown no more, or None.
        stored: What is known of the session; read only where its shown history moves.
        total_exchanges: Exchanges of the space.
        total_tokens: Their tokens, as counted when stored.
        sent: How many exchanges at the end of the path a client sent itself: these come whole and
            nothing that is recalled takes their room.
        as_sent: The same material with everything that a client sent in its path; None where there
            is no client. It is used where memory holds that, and this one where it does not.
    """

    path: Sequence[Exchange]
    order: Sequence[str] = ()
    pins: Sequence[Fact] = ()
    facts: Sequence[RelevantFact] = ()
    overviews: Sequence[Condensation] = ()
    evidence: Sequence[Relevance] = ()
    beside: Sequence[Relevance] = ()
    previous: Mapping[str, Any] | None = None
    earlier: HistorySummary | None = None
    stored: Stored = field(default_factory=Stored)
    total_exchanges: int = 0
    total_tokens: int = 0
    sent: int = 0
    as_sent: "Candidates | None" = None


@dataclass(frozen=True, slots=True)
class Item:
    """An exchange in the form in which it goes into the prompt.

    Attributes:
        sentences: The places of an excerpt's sentences; empty for the whole exchange.
        tokens: What it takes in that form.
        score: Its evidence, where it was found by search.
        reason: Why it is there in that form.
        brief: Whether it is one of the short ones that share a block.
    """

    exchange: Exchange
    tokens: int
    reason: str
    sentences: tuple[tuple[int, int], ...] = ()
    score: float | None = None
    brief: bool = False


@dataclass(frozen=True, slots=True)
class Dropped:
    """A candidate that was left out, with what it would have taken whole."""

    exchange: Exchange
    tokens: int
    reason: str
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Selected:
    """What a tier took and what it left."""

    items: tuple[Item, ...] = ()
    dropped: tuple[Dropped, ...] = ()

    @property
    def tokens(self) -> int:
        """What the items take together."""
        return sum(item.tokens for item in self.items)
