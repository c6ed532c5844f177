"""Inputs of a context (plan, request and material), and what the tiers choose from them."""

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
from unabridged.domain.client_history import Fit, SyncedHistory
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
    """The terms for one context.

    Attributes:
        window: Tokens that prompt and answer may take together.
        tools: Every tool that may be offered; none in chat mode.
        max_prompt_tokens: The most tokens of one prompt, or None.
        memory_cap: The most tokens of it that memory takes, or None.
        max_turns: The most exchanges of the session that are shown, or None for what fits.
        max_output: The caller's limit for the answer in tokens, or None.
        output_cap: The model's own limit, or None if unknown.
        local: Whether to compute the answer's limit for a server whose cap is unknown.
        floor: The relevance below which nothing is recalled.
        condenser: Condenses exchanges that are no longer shown. None leaves them out, and those
            that are too long to be shown whole.
        notes: Messages to a person about the window and the upstream.
        only: The only session to recall from, or None for the whole space.
        around: Whether a message that asks for details also gets neighbours of what it recalls.
        closed: Whether pins and facts are left out too. Otherwise, if recall is from one session,
            pins are used, and facts from it or stated by a person.
        for_client: Whether memory adds to a client's request, instead of making the whole prompt.
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
    for_client: bool = False

    @property
    def reach(self) -> int:
        """Tokens that memory can take at most."""
        bounds = (self.window, self.max_prompt_tokens, self.memory_cap)
        return min(bound for bound in bounds if bound is not None)


@dataclass(frozen=True, slots=True)
class ClientRequest:
    """A client's request: all of it is sent.

    Attributes:
        synced: Its messages, aligned with the log.
        fit: What happens if it does not fit the window.
    """

    synced: SyncedHistory
    fit: Fit


@dataclass(frozen=True, slots=True)
class PromptRequest:
    """The message that a context is made for, and its position in the log.

    Attributes:
        id: The context's id, which becomes that of the exchange.
        scope: Whose memory, with its session.
        user: The user's message as it will be stored.
        parent: The exchange that this one follows, or None.
        retry_of: The exchange whose user message is answered again, or None.
        follows: The message that the user's message follows, or None.
        client: The request of a client; None for a message of our own.
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
    client: "ClientRequest | None" = None

    @property
    def path(self) -> tuple[Exchange, ...]:
        """What a client sent before its last message, oldest first; empty without one."""
        return self.client.synced.path if self.client else ()

    @property
    def session(self) -> str | None:
        """The session, or None for a new one, of which nothing is stored yet."""
        return None if self.new_session else self.scope.session


@dataclass(frozen=True, slots=True)
class MemoryRequest:
    """What one message asks of memory, and the tokens for it.

    Attributes:
        terms: The message's search terms, for excerpts.
        pins: The pinned facts that are in the prompt: all of them, but for those for which a
            client's request leaves no room.
        pinned: Tokens that they take.
        frame: Tokens that are kept for the block around them in a client's message.
        memory: Tokens of the memory budget without these.
        steady: Tokens that limits in the history refer to: the least that memory has, so that its
            bytes do not change with the newest message.
    """

    reading: IntentReading
    terms: Sequence[str]
    budget: Budget
    offered: tuple[ToolSpec, ...]
    pins: tuple[Fact, ...]
    pinned: int
    frame: int
    memory: int
    steady: int

    @property
    def intent(self) -> Intent:
        """The intent with the highest score."""
        return self.reading.intent


@dataclass(frozen=True, slots=True)
class Stored:
    """Stored data about a session except its words; read only if its shown history moves.

    Attributes:
        annotations: The annotations of its exchanges, by id, if there are any.
        sentences: Message (exchange, index) to the sentences that its condensation kept.
        importance: Message id to its importance, 0 to 1.
        older: What replaces exchanges before the path.
        older_drawn: The source exchanges of a model's words in it.
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
        path: Exchanges of the session, oldest first, from where its rendered history began the last
            time (or as far back as the window could hold).
        order: The ids of the path with those between that ``earlier`` replaces, oldest first.
        pins: Facts that every prompt carries.
        facts: Facts that are relevant to the message, best first.
        overviews: Condensations of relevant conversations, best first.
        evidence: Exchanges that are relevant to the message, best first.
        beside: Relevant exchanges that the new one replaces: those of an edited or regenerated
            message.
        previous: The manifest of the session's previous context, or None.
        earlier: What replaced exchanges that were no longer shown, or None.
        stored: Stored data about the session; read only if its shown history moves.
        total_exchanges: Exchanges of the space.
        total_tokens: Their tokens, as counted when stored.
        request: What a client sends, and what of it fits; None for a message of our own.
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
    request: "FittedRequest | None" = None

    @property
    def held(self) -> frozenset[str]:
        """The exchanges that a client's request contains, itself or in its earlier blocks."""
        return self.request.held if self.request else frozenset()

    @property
    def told(self) -> frozenset[str]:
        """The facts that the earlier blocks of a client's request contain."""
        return self.request.told if self.request else frozenset()


@dataclass(frozen=True, slots=True)
class EarlierBlock:
    """The recall block of one exchange.

    Attributes:
        text: The block; empty if nothing of it is left.
        exchanges: The ids of the exchanges in it.
        facts: The ids of the facts in it, pinned ones included.
        missing: The ids of what was in it and is gone.
    """

    text: str
    exchanges: frozenset[str] = frozenset()
    facts: frozenset[str] = frozenset()
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FittedRequest:
    """A client's request as it is sent, and what it takes.

    Attributes:
        blocks: The earlier recall blocks that are rendered again, by the position of their exchange
            in the path.
        since: The exchange from which on blocks are rendered; empty for every one.
        left_out: How many exchanges at the beginning of the path are condensed.
        earlier: What replaces these, or None.
        system: Tokens of the system messages.
        tools: Tokens of the tools.
        history: Tokens of all messages before the last user message, with the blocks and ``earlier``.
        newest: Tokens of the last user message and what follows it.
        left_out_tokens: What the left out exchanges take.
        held: The exchanges that it contains, itself or in the blocks.
        told: The facts that the blocks contain.
    """

    blocks: Mapping[int, EarlierBlock]
    since: str
    left_out: int
    earlier: HistorySummary | None
    system: int
    tools: int
    history: int
    newest: int
    left_out_tokens: int
    held: frozenset[str]
    told: frozenset[str]


@dataclass(frozen=True, slots=True)
class Item:
    """An exchange in its form for the prompt.

    Attributes:
        sentences: The positions of an excerpt's sentences; empty for the whole exchange.
        tokens: What it takes in that form.
        score: Its relevance, if a search found it.
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
    """What a tier chose and what it left out."""

    items: tuple[Item, ...] = ()
    dropped: tuple[Dropped, ...] = ()

    @property
    def tokens(self) -> int:
        """What the items take together."""
        return sum(item.tokens for item in self.items)
