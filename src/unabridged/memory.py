"""Memory: conversation memory over one space, for programs."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, Self, Unpack

from unabridged.domain.arguments import checks_arguments
from unabridged.domain.budget import Mode
from unabridged.domain.chat import Usage
from unabridged.domain.context import Context
from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.fact import Fact
from unabridged.domain.forgetting import ForgetPlan, Receipt
from unabridged.domain.results import (
    ContextReport,
    MaintenanceProgress,
    SearchResult,
    SessionSummary,
    Stats,
)
from unabridged.domain.settings import Settings, SettingsDict
from unabridged.domain.short_repr import counted, quoted, short
from unabridged.errors import InputError, NotFoundError, StoreClosedError
from unabridged.factory.file_transfer import ImportResult, export_file, import_file
from unabridged.factory.open_memory import open_space, settings_from
from unabridged.knowledge.facts import Facts
from unabridged.knowledge.requirements import Requirements
from unabridged.ports import ChatModel, Clock
from unabridged.space.sessions import check_session_name
from unabridged.space.space import Space
from unabridged.space.tools import Offered
from unabridged.stores import store_errors
from unabridged.turn.add import add_messages
from unabridged.turn.conversation import Conversation
from unabridged.turn.messages import answer_of, own_context
from unabridged.turn.record import begin_behind, record
from unabridged.turn.run import Reply
from unabridged.wire import openai
from unabridged.wire.any_message import AnyMessage


@checks_arguments
class Memory:
    """Conversation memory over one space. Any number of threads may share it, but no fork.

    A message is a string, an OpenAI-style dict, a pydantic model or a dataclass. A session is
    named by its id; ``session=None`` is that of ``open``, else the newest; what is written to an
    unknown id begins it. Every error is an ``UnabridgedError`` with a hint.
    """

    __slots__ = ("_process", "_session", "_space")

    def __init__(self, space: Space, session: str | None = None) -> None:
        if session is not None:
            check_session_name(session)
        self._space = space
        self._session = session
        self._process = os.getpid()

    @classmethod
    def open(
        cls,
        home: str | Path | None = None,
        *,
        upstream: ChatModel | str | None = None,
        session: str | None = None,
        settings: Settings | None = None,
        clock: Clock | None = None,
        ephemeral: bool = False,
        create: bool = True,
        recover: bool = True,
        **settings_: Unpack[SettingsDict],
    ) -> Self:
        """Open the memory of a user; its folder is made on first use.

        Args:
            home: The home folder; None for ``$UNABRIDGED_HOME``, else the platform's.
            upstream: A model, or the name of an upstream; None for the setting.
            session: The id of the default session; None for the newest one.
            settings: Every setting; then no settings file and no variable is read.
            clock: The time and ids; None for the machine's.
            ephemeral: Keep everything in memory, and nothing afterwards.
            create: False to write nothing if there is no memory yet, and read an empty one.
            recover: False to raise on a damaged file; else it is set aside and its data saved.
            **settings_: Any field of ``Settings``: ``user``, ``window`` …; over ``settings``.

        Raises:
            SettingError: A setting cannot be used, or the home cannot be written to.
            StoreError: The space cannot be opened; it is as it was.
        """
        if session is not None:
            check_session_name(session)
        chosen = settings_from(
            home,
            upstream=upstream,
            clock=clock,
            ephemeral=ephemeral,
            settings=settings,
            **settings_,
        )
        asked = upstream if not isinstance(upstream, str) else None
        space = open_space(chosen, clock, model=asked, recover=recover, create=create)
        return cls(space, session)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:  # type: ignore[explicit-override]  # typing.override came with 3.12
        space = self._space
        try:
            size = counted(space.dependencies.store.totals().exchanges, "exchange")
        except StoreClosedError:
            size = "closed"
        return short(self, quoted(f"{space.scope.user}/{space.scope.agent}"), size)

    def close(self) -> None:
        """Close the files and the model; what was recorded is on disk already."""
        if os.getpid() == self._process:  # a child leaves them to its parent
            self._space.close()

    @property
    def space(self) -> Space:
        """Everything else: annotations, receipts, sharing. ``StoreForkedError`` after a fork."""
        if os.getpid() != self._process:  # before any lock, which a lost thread may hold
            raise store_errors.forked()
        return self._space

    @property
    def facts(self) -> Facts:
        """What was learned of the user."""
        return self.space.facts

    @property
    def requirements(self) -> Requirements:
        """What the user required of a system."""
        return self.space.requirements

    # Talking.

    def conversation(self, session: str | None = None, *, title: str = "") -> Conversation:
        """Begin a conversation, or continue the one of this id."""
        return Conversation(self.space, session, title=title)

    def ask(
        self,
        message: "AnyMessage",
        *,
        session: str | None = None,
        images: Sequence[str] = (),
        tools: Sequence[Offered] | None = None,
    ) -> str:
        """Ask the model with memory, and return its answer; see ``chat``."""
        return self.chat(message, session=session, images=images, tools=tools).text()

    def chat(
        self,
        message: "AnyMessage" = "",
        *,
        session: str | None = None,
        images: Sequence[str] = (),
        tools: Sequence[Offered] | None = None,
        mode: Mode | str | None = None,
        retry_of: str | None = None,
        model: ChatModel | None = None,
    ) -> Reply:
        """Return a reply to iterate for text; see ``Conversation.chat``."""
        return self._in(session).chat(
            message, images=images, tools=tools, mode=mode, retry_of=retry_of, model=model
        )

    def prepare(
        self,
        message: "AnyMessage" = "",
        *,
        session: str | None = None,
        images: Sequence[str] = (),
        tools: Sequence[Offered] | None = None,
        mode: Mode | str | None = None,
        retry_of: str | None = None,
        model: ChatModel | None = None,
    ) -> Context:
        """Prepare the context for a message; only reads. See ``Conversation.prepare``."""
        return self._in(session).prepare(
            message, images=images, tools=tools, mode=mode, retry_of=retry_of, model=model
        )

    def record(
        self,
        context: Context,
        reply: "AnyMessage | None",
        *,
        usage: Usage | None = None,
        state: ExchangeState | str | None = None,
        model: ChatModel | None = None,
    ) -> Exchange:
        """Store a message and its answer, at the session's end; see ``Conversation.record``."""
        context = own_context(self.space, context)
        answer, usage, reached = answer_of(self.space, reply, usage, state)
        placed, begun = begin_behind(self.space, context)
        recorded = record(
            self.space, placed, answer, state=reached, usage=usage, model=model, begun=begun
        )
        return replace(recorded.exchange, notes=(*begun.notes, *recorded.notes))

    def add(
        self,
        messages: "Iterable[AnyMessage] | AnyMessage",
        *,
        session: str | None = None,
        at: datetime | None = None,
    ) -> list[Exchange]:
        """Store messages that were said elsewhere, ``at`` a time or now; return what is new."""
        return add_messages(self.space, messages, self._named(session), at)

    # Looking things up.

    def search(
        self,
        query: str,
        *,
        limit: int = 10,
        session: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        role: str | None = None,
        exact: bool = False,
        min_relevance: float | None = None,
    ) -> list[SearchResult]:
        """Find exchanges by words, meaning and time, best first; each is whole.

        Phrases in quotation marks, or with ``exact`` the whole query, must occur as written.
        ``role`` (``user``, ``assistant``, ``tool``) is the text that matches; ``min_relevance`` is 0 to 1.
        """
        return self.space.search(
            query,
            limit,
            reach=session,
            since=since,
            until=until,
            role=role,
            exact=exact,
            min_relevance=min_relevance,
        )

    def get(self, id: str) -> Exchange:  # noqa: A002 - the public name
        """Return an exchange by its id, or by the beginning of its id."""
        return self.space.log.get(id)

    def history(self, session: str | None = None, *, limit: int = 50) -> list[Any]:
        """Return the messages of the newest exchanges as OpenAI-style dicts, oldest first."""
        return plain_messages(self._in(session).history(limit))

    def sessions(self, *, limit: int | None = None) -> list[SessionSummary]:
        """Return the sessions with their counts, the last updated first."""
        return self.space.sessions.summaries(self._named(None), limit)

    def why(self, context: Context | str | None = None) -> ContextReport:
        """Explain a context (None for the last): every token, every candidate, the prompt."""
        return self.space.contexts.why(context.id if isinstance(context, Context) else context)

    def stats(self) -> Stats:
        """Return the figures of the space."""
        return self.space.stats()

    # What every prompt carries, and what is forgotten.

    def pin(self, text: str | None = None, *, exchange: str | None = None) -> Fact:
        """Put words, or what the user said in an exchange, into every prompt from now on."""
        if (text is None) == (exchange is None):
            raise InputError("A pin is a text or an exchange.", hint="Give one of the two.")
        pins = self.space.pins
        pin = pins.add(text) if text is not None else pins.add_exchange(self.get(exchange or ""))
        return self.facts.get(pin.id)

    def plan_forget(
        self,
        *ids: str,
        session: str | None = None,
        fact: str | None = None,
        search: str | None = None,
    ) -> ForgetPlan:
        """Return what forgetting would remove: name one; ``session`` may limit ``search``."""
        if session is not None and self.space.sessions.get(session) is None:
            raise NotFoundError(f"There is no session {session!r}.", hint="List them: sessions().")
        return self.space.forgetting.plan(ids, session=session, fact=fact, search=search)

    def forget(
        self,
        *ids_or_plan: str | ForgetPlan,
        session: str | None = None,
        fact: str | None = None,
        search: str | None = None,
    ) -> Receipt:
        """Forget for good: one plan, or what ``plan_forget`` takes."""
        plan = plan_of(ids_or_plan, self.plan_forget, session=session, fact=fact, search=search)
        return self.space.forgetting.execute(plan)

    def maintain(self, *, pages: int | None = None) -> Iterator[MaintenanceProgress]:
        """Annotate, learn facts, condense, archive: step by step; continues where it stopped."""
        memory = self.space.contexts.last_memory()
        yield from self.space.maintenance.run(self._named(None), pages=pages, threshold=memory)

    # In and out.

    def import_file(
        self,
        path: str | Path,
        *,
        format: str | None = None,  # noqa: A002 - the public name
        model: str | None = None,
    ) -> ImportResult:
        """Import a file of another program, or an export; skip what is here already."""
        return import_file(self.space, path, format=format, model=model)

    def export(
        self,
        path: str | Path,
        *,
        format: str = "jsonl",  # noqa: A002 - the public name
    ) -> int:
        """Write everything into a new file: jsonl, markdown, html or messages."""
        return export_file(self.space, path, format=format)

    def save(self) -> int:
        """Write what is held back because ``auto_save`` is off; return how many writes."""
        return self.space.log.save()

    def _named(self, session: str | None) -> str | None:
        wanted = session if session is not None else self._session
        if wanted is not None:
            return wanted
        newest = self.space.sessions.newest()
        return newest.id if newest else None

    def _in(self, session: str | None) -> Conversation:
        return Conversation(self.space, self._named(session), shared=True)


def plan_of(
    given: Sequence[str | ForgetPlan], plan: Callable[..., ForgetPlan], **named: str | None
) -> ForgetPlan:
    """Return what ``forget`` removes: the given plan, or that of the given ids and names.

    Raises:
        InputError: Something is given in addition to a plan.
    """
    plans = [one for one in given if isinstance(one, ForgetPlan)]
    ids = [one for one in given if isinstance(one, str)]
    if not plans:
        return plan(*ids, **named)
    if len(plans) > 1 or ids or any(named.values()):
        raise InputError("A plan names all that goes.", hint="Give the plan alone.")
    return plans[0]


def plain_messages(exchanges: Iterable[Exchange]) -> list[Any]:
    """Return the messages of exchanges as OpenAI-style dicts."""
    said = [message for exchange in exchanges for message in exchange.messages]
    return [dict(message) for message in openai.messages(said)]
