"""A context: what is sent to the model, with the ledger that accounts for every token of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from unabridged.domain.budget import Budget, Mode
from unabridged.domain.chat import ToolSpec
from unabridged.domain.client_history import RequestEdits
from unabridged.domain.intent import Intent
from unabridged.domain.message import Message
from unabridged.domain.scope import Scope
from unabridged.domain.short_repr import counted, short

Shared = tuple[Mapping[str, Any], tuple[str, ...]]
"""A text as plain data, and the ids of its source exchanges."""


class Tier(StrEnum):
    """A share of the memory budget."""

    IMMEDIATE = "immediate"
    KNOWLEDGE = "knowledge"
    SEMANTIC = "semantic"
    RECENT = "recent"


class Decision(StrEnum):
    """The fate of a candidate."""

    KEPT = "kept"
    CONDENSED = "condensed"
    LEFT_OUT = "left out"


class ItemKind(StrEnum):
    """What a candidate is."""

    EXCHANGE = "exchange"
    FACT = "fact"
    TOOL = "tool"
    CONDENSATION = "condensation"


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """One candidate that a tier considered.

    Attributes:
        tier: The tier, or None for a tool definition.
        kind: What it is.
        id: Its id in the store (a tool's name for a tool).
        decision: Kept, condensed or left out.
        tokens: What it takes in the prompt; if left out, what it would have taken whole.
        reason: Why, in a few words.
        score: Its relevance, if a search found it.
        at: Its date, if it has one.
        session: Its session, if it has one.
        sentences: For an excerpt, the positions of its sentences: (message index, sentence index).
    """

    tier: Tier | None
    kind: ItemKind
    id: str
    decision: Decision
    tokens: int
    reason: str
    score: float | None = None
    at: datetime | None = None
    session: str | None = None
    sentences: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Ledger:
    """The account of one context.

    Attributes:
        window: Tokens that prompt and answer may take together.
        parts: Name to tokens; they add up to ``window`` exactly. Names: ``system``, ``tools``,
            ``message``, ``history`` (what a client sent before), ``immediate``, ``recent``, ``semantic``, ``knowledge``, ``answer``,
            ``margin``, ``reserve``, ``unused``. ``semantic`` includes the frame around recalled texts,
            which no row has; ``reserve`` is that of the budget and what memory left over.
        rows: Every candidate that was considered.
        rest_count: Exchanges of the space that no tier considered.
        rest_tokens: Their tokens, as counted when they were stored.
        intent: What the message asks of memory.
        signals: The signals for that intent.
        complexity: 0 to 1.
        response_percentage: The answer's share of the window, 0 to 100.
        budget_available: Tokens that memory may take.
        bound: The setting that limits memory below its share of the window (``memory_cap``,
            ``max_prompt_tokens``), or empty.
        prefix_reuse: Share of prompt tokens that equal the session's previous request, 0 to 1;
            None for a session's first.
        model: The model it was planned for.
        tokenizer: The identity of the tokenizer that planned.
        notes: Further messages to a person: a truncation, a stale window …
    """

    window: int
    parts: Mapping[str, int]
    rows: tuple[LedgerRow, ...]
    rest_count: int
    rest_tokens: int
    intent: Intent
    signals: tuple[str, ...]
    complexity: float
    response_percentage: float
    budget_available: int
    prefix_reuse: float | None
    model: str
    tokenizer: str
    notes: tuple[str, ...] = ()
    bound: str = ""

    @property
    def prompt_tokens(self) -> int:
        """Planned tokens of the prompt."""
        sent = "system tools message history immediate recent semantic knowledge".split()
        return sum(self.parts.get(name, 0) for name in sent)

    def kept(self, tier: Tier) -> tuple[LedgerRow, ...]:
        """Return the rows of a tier that are in the prompt, whole or condensed."""
        return tuple(r for r in self.rows if r.tier is tier and r.decision is not Decision.LEFT_OUT)

    def frame(self, tier: Tier) -> int:
        """Return the tokens of a part that no row takes: the frame around what was recalled."""
        return self.parts.get(tier.value, 0) - sum(row.tokens for row in self.kept(tier))

    def __repr__(self) -> str:  # type: ignore[explicit-override]  # typing.override came with 3.12
        figures = f"{self.prompt_tokens:,} of {self.window:,} tokens"
        return short(self, figures, counted(len(self.rows), "candidate"))


@dataclass(frozen=True, slots=True)
class Context:
    """What is sent, with its ledger. ``prepare`` returns it and writes nothing.

    Attributes:
        id: Its id; the id of the exchange that ``begin`` will open.
        scope: Whose memory, with the session it belongs to.
        prompt: The messages to send, typed.
        messages: The same as a list of OpenAI-style dicts, which most clients take.
        tools: The tools to offer, or None in chat mode.
        budget: The window divided.
        ledger: The account of every token and candidate.
        hash: SHA-256 of the rendered prompt and tools.
        manifest: The ids that it was made from: enough to render the same bytes again.
        user: The user's message as it will be stored, without the recall block.
        mode: The mode.
        max_output: The limit to send to the server, or None.
        head: The session's head when this was prepared; ``begin`` refuses if it moved.
        parent: The exchange that this one follows, or None.
        new_session: Whether ``begin`` will create the session.
        at: When it was prepared.
        retry_of: The exchange whose user message is answered again, or None.
        shared: Texts that this context made and later ones will share, for ``begin`` to store: id
            to plain data and the ids of the source exchanges.
        system: The system prompt, without pins and condensations of earlier exchanges.
        follows: The id of the message that the user's message follows, or None.
        edits: What memory changes in a client's list of messages; None for a prompt of our own.
        placed: Whether its position comes from a client's message list: ``begin`` then stores it after
            ``follows``, wherever the session's head is, and moves the head there.
    """

    id: str
    scope: Scope
    prompt: tuple[Message, ...]
    messages: list[Any] = field(hash=False)
    tools: tuple[ToolSpec, ...] | None
    budget: Budget
    ledger: Ledger
    hash: str
    manifest: Mapping[str, Any]
    user: Message
    mode: Mode
    max_output: int | None
    head: str | None
    parent: str | None
    new_session: bool
    at: datetime
    retry_of: str | None = None
    shared: Mapping[str, Shared] = field(default_factory=dict)
    system: str = ""
    follows: str | None = None
    placed: bool = False
    edits: RequestEdits | None = field(default=None, metadata={"transient": True})

    @property
    def tool_schemas(self) -> list[Any]:
        """The tools to offer as OpenAI-style dicts; empty in chat mode."""
        return [tool.schema for tool in self.tools or ()]

    def __repr__(self) -> str:  # type: ignore[explicit-override]  # typing.override came with 3.12
        figures = f"{self.ledger.prompt_tokens:,} of {self.ledger.window:,} tokens"
        return short(self, self.id, counted(len(self.messages), "message"), figures)
