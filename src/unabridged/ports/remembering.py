"""A memory as programs use it: the same whether it is open here or served over HTTP."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

from unabridged.domain.budget import Mode
from unabridged.domain.chat import ToolSpec, Usage
from unabridged.domain.condensation import Condensation
from unabridged.domain.context import Context
from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.fact import Change, Fact, FactState, Requirement
from unabridged.domain.forgetting import Plan, Receipt
from unabridged.domain.message import Message, Part, Role
from unabridged.domain.session import Session
from unabridged.domain.views import (
    Account,
    Conversation,
    Expanded,
    Found,
    Outlook,
    Pin,
    SessionLine,
    Stats,
    Step,
)


class RemembersFacts(Protocol):
    """What was learned of the user."""

    def all(self, state: FactState | str | None = FactState.CURRENT) -> list[Fact]:
        """The facts of a state, the oldest first; of all states with None."""
        ...

    def pinned(self) -> list[Fact]:
        """The facts that every prompt carries, the oldest first."""
        ...

    def get(self, wanted: str) -> Fact:
        """A fact by its id, the beginning of its id, or its number in ``all()``, from 1."""
        ...

    def history(self, wanted: str) -> Sequence[Change]:
        """What happened to a fact, and to those in whose place it came."""
        ...

    def add(self, text: str, *, pinned: bool = False) -> Fact:
        """Add a fact that a person gives."""
        ...

    def edit(self, wanted: str, *, text: str | None = None, value: str | None = None) -> Fact:
        """Correct a fact, and give what took its place."""
        ...

    def pin(self, wanted: str) -> Fact:
        """Let every prompt carry a fact."""
        ...

    def unpin(self, wanted: str) -> Fact:
        """Let prompts carry a fact no more, unless it bears on the message."""
        ...

    def withdraw(self, wanted: str) -> Fact:
        """Take a fact back, and give it as it was."""
        ...


class RemembersRequirements(Protocol):
    """What was required."""

    def all(self, *, withdrawn: bool = False) -> list[Requirement]:
        """The requirements in the order of their numbers."""
        ...

    def get(self, wanted: str) -> Requirement:
        """A requirement by its id or its number."""
        ...

    def add(self, text: str, **fields: Any) -> Requirement:
        """Add a requirement that a person gives."""
        ...

    def edit(self, wanted: str, **fields: Any) -> Requirement:
        """Change fields of a requirement."""
        ...

    def pin(self, wanted: str) -> Requirement:
        """Let every prompt carry a requirement."""
        ...

    def unpin(self, wanted: str) -> Requirement:
        """Let prompts carry a requirement no more."""
        ...

    def withdraw(self, wanted: str) -> Requirement:
        """Take a requirement back, and give it as it was."""
        ...


class Condenses(Protocol):
    """What was condensed."""

    def condensations(self) -> list[Condensation]:
        """Every stored condensation."""
        ...

    def expand(self, wanted: str) -> Expanded:
        """Open a condensation: what it says, and what it stands for, whole."""
        ...

    def plan(self, session: str) -> Outlook:
        """Say what a run would do with a session; nothing is changed."""
        ...

    def condense(self, session: str, *, force: bool = False) -> Outlook:
        """Condense a session."""
        ...


class Forgets(Protocol):
    """What can be forgotten, and the receipts for what was."""

    def plan(
        self,
        exchanges: Sequence[str] = (),
        *,
        session: str | None = None,
        fact: str | None = None,
        search: str | None = None,
        with_sources: bool = False,
        with_repeats: bool = False,
    ) -> Plan:
        """Say what a forgetting would do; nothing is changed."""
        ...

    def carry_out(self, planned: Plan) -> Receipt:
        """Forget what a plan names, for good."""
        ...

    def receipts(self) -> list[Receipt]:
        """Every receipt, the oldest first."""
        ...


class Remembering(Protocol):
    """One space of memory, and the session that is being talked in."""

    @property
    def session(self) -> Session | None:
        """The session that is being talked in; None where the next message begins one."""
        ...

    @property
    def facts(self) -> RemembersFacts:
        """What was learned of the user."""
        ...

    @property
    def requirements(self) -> RemembersRequirements:
        """What was required."""
        ...

    @property
    def upkeep(self) -> Condenses:
        """What was condensed."""
        ...

    @property
    def forgetting(self) -> Forgets:
        """What can be forgotten."""
        ...

    def prepare(
        self,
        message: str,
        *,
        mode: Mode | str | None = None,
        tools: Sequence[Callable[..., Any] | ToolSpec] | None = None,
        retry_of: str | None = None,
        images: Sequence[str] = (),
    ) -> Context:
        """Make the context for a message. Only reads: nothing is stored."""
        ...

    def message(self, role: Role, parts: Sequence[Part]) -> Message:
        """Make a message with a fresh id and the time."""
        ...

    def begin(self, context: Context) -> Exchange:
        """Store the user's message of a context; when this returns, it survives a power cut."""
        ...

    def step(self, context: Context, messages: Sequence[Message]) -> Exchange:
        """Store a tool round of a begun exchange: calls and results together."""
        ...

    def record(
        self,
        context: Context,
        reply: str | Message | None,
        *,
        state: ExchangeState | str = ExchangeState.COMPLETE,
        usage: Usage | None = None,
    ) -> Exchange:
        """Store the answer to a context, and begin it where it was not begun."""
        ...

    def remarks(self) -> list[str]:
        """What a person should know of what was not stored, since this was asked last."""
        ...

    def search(self, query: str, limit: int = 10) -> list[Found]:
        """Find exchanges by words, meaning and time, best first."""
        ...

    def why(self, context_id: str | None = None) -> Account:
        """Account for a past context, the last by default, and render it again."""
        ...

    def stats(self) -> Stats:
        """Give the figures of the space."""
        ...

    def sessions(self) -> list[SessionLine]:
        """Every session, the most recently updated first."""
        ...

    def new_session(self, title: str = "") -> None:
        """Let the next message begin a session; the current one stays as it is."""
        ...

    def switch(self, wanted: str) -> Session:
        """Take up another session, by id, number in the list, title or beginning of its id."""
        ...

    def retitle(self, title: str) -> Session:
        """Give the current session another title."""
        ...

    def history(self, limit: int = 50) -> list[Exchange]:
        """The current session's path, oldest first."""
        ...

    def show(self, wanted: str) -> Exchange:
        """Give an exchange by its id or the beginning of it."""
        ...

    def remember(self, text: str) -> Pin:
        """Pin words: every prompt carries them from now on."""
        ...

    def pin(self, exchange_id: str) -> Pin:
        """Pin what the user said in an exchange."""
        ...

    def unpin(self, wanted: str) -> Pin:
        """Take a pin off, by its id or its number in the list."""
        ...

    def pins(self) -> list[Pin]:
        """Every pin, the oldest first."""
        ...

    def conversations(self) -> Iterator[Conversation]:
        """Every session with every exchange of every branch, the oldest first."""
        ...

    def admit(self, conversation: Conversation) -> int:
        """Take over a conversation from elsewhere; gives how many exchanges were new."""
        ...

    def tend(self, pages: int | None = None) -> Iterator[Step]:
        """Do what is done after recording: judge messages, draw facts, condense."""
        ...

    def close(self) -> None:
        """Let go of everything."""
        ...
