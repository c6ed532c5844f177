"""Memory: conversation memory over one space, for programs. Thin: every method hands on."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, Self, Unpack

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
    Transcript,
)
from unabridged.domain.settings import Settings, SettingsDict
from unabridged.errors import InputError
from unabridged.factory.file_transfer import ImportResult, export_file, import_file
from unabridged.factory.open_memory import open_space, settings_from
from unabridged.knowledge.facts import Facts
from unabridged.knowledge.requirements import Requirements
from unabridged.ports import ChatModel, Clock
from unabridged.space.space import Space
from unabridged.space.tools import Offered
from unabridged.turn.add import add_messages
from unabridged.turn.conversation import Conversation, answer_from
from unabridged.turn.record import begin_behind, record
from unabridged.turn.run import Reply
from unabridged.wire import openai


class Memory:
    """Conversation memory over one space. Any number of threads may share it.

    ``session=None`` is the session of ``open``, else the newest one.

    Args:
        space: The space.
        session: The session that calls without one are about; None for the newest.

    Attributes:
        space: The space, with everything that it can do.
    """

    def __init__(self, space: Space, session: str | None = None) -> None:
        self.space = space
        self._session = session

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
        **overrides: Unpack[SettingsDict],
    ) -> Self:
        """Open a space; its folder is made on first use.

        Args:
            home: The home folder; None for ``$UNABRIDGED_HOME``, else the platform's.
            upstream: A model, or the name of an upstream; None for the setting. Where models have
                memories of their own and the settings name none, it is asked which it would take.
            session: The session that calls without one are about; None for the newest. Where
                sessions are isolated (the setting ``recall_scope`` is ``session``), it is an id, and the
                first message begins a session that is not there yet.
            settings: Every choice; then no file and no environment is read.
            clock: The time and ids; None for the machine's.
            ephemeral: Keep everything in memory, and nothing afterwards.
            create: Whether a space that is not there is begun; else an empty one in memory
                represents it, for who only looks.
            recover: Whether a damaged file is set aside, and a new one begun with all that is whole
                in it (``space.salvaged`` then tells); else it is an error, and nothing is changed.
            **overrides: Any field of ``Settings``: ``user``, ``agent``, ``model``, ``profile`` …

        Raises:
            NotFoundError: There is no such session.
            SettingError: A setting cannot be used, or the home cannot be written to.
            StoreDamagedError: Its file is damaged and others have it open, or it was tampered with,
                or it is not to be salvaged; it is as it was.
            StoreError: The space cannot be opened.
        """
        chosen = settings_from(
            home,
            upstream=upstream,
            clock=clock,
            ephemeral=ephemeral,
            settings=settings,
            **overrides,
        )
        asked = upstream if not isinstance(upstream, str) else None
        space = open_space(chosen, clock, model=asked, recover=recover, create=create)
        try:
            return cls(space, _session_of(space, session))
        except BaseException:
            space.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the space and its model."""
        self.space.close()

    @property
    def facts(self) -> Facts:
        """What was learned of the user."""
        return self.space.facts

    @property
    def requirements(self) -> Requirements:
        """What was required."""
        return self.space.requirements

    # Talking.

    def conversation(self, session: str | None = None, *, title: str = "") -> Conversation:
        """Begin a conversation, or continue one.

        A session that is not there yet begins with the first message. None begins a new one.

        Raises:
            NameRefusedError: No session can have this id.
        """
        return Conversation(self.space, session, title=title)

    def ask(
        self,
        message: str | Mapping[str, Any],
        *,
        session: str | None = None,
        images: Sequence[str] = (),
        tools: Sequence[Offered] | None = None,
    ) -> str:
        """Ask the model with memory, and return the words of its answer.

        The arguments are those of ``prepare``; tools that the model may call switch to tools mode.

        Raises:
            UpstreamError: The model could not answer; what came is stored.
        """
        mode = Mode.TOOLS if tools else None
        reply = self.chat(message, session=session, images=images, tools=tools, mode=mode)
        reply.finish()
        return reply.text

    def chat(
        self,
        message: str | Mapping[str, Any] = "",
        *,
        session: str | None = None,
        images: Sequence[str] = (),
        tools: Sequence[Offered] | None = None,
        mode: Mode | str | None = None,
        retry_of: str | None = None,
        model: ChatModel | None = None,
    ) -> Reply:
        """Prepare, store, ask the model, run tools, store the answer: iterate to stream.

        The arguments are those of ``prepare``.
        """
        return self._in(session).chat(
            message, images=images, tools=tools, mode=mode, retry_of=retry_of, model=model
        )

    def prepare(
        self,
        message: str | Mapping[str, Any] = "",
        *,
        session: str | None = None,
        images: Sequence[str] = (),
        tools: Sequence[Offered] | None = None,
        mode: Mode | str | None = None,
        retry_of: str | None = None,
        model: ChatModel | None = None,
    ) -> Context:
        """Make the context for a message. Only reads: nothing is stored.

        Args:
            message: The user's words, or an OpenAI-style message.
            session: The session; None for the default one.
            images: URIs of pictures that go with the message.
            tools: Tools to offer in tools mode instead of the configured ones.
            mode: ``chat`` or ``tools``; None for the setting.
            retry_of: The id of an exchange whose message is answered again; ``message`` is then
                ignored.
            model: The model that is asked; None for the memory's own.

        Raises:
            EmptyMessageError: There is nothing in it.
            PromptTooLargeError: What must be sent does not fit the window.
            UpstreamError: The upstream could not say what its window is, and nothing else could.
        """
        return self._in(session).prepare(
            message, images=images, tools=tools, mode=mode, retry_of=retry_of, model=model
        )

    def record(
        self,
        context: Context,
        reply: str | Mapping[str, Any] | None,
        *,
        usage: Usage | None = None,
        state: ExchangeState | str = ExchangeState.COMPLETE,
        model: ChatModel | None = None,
    ) -> Exchange:
        """Store a message and its answer, behind what others have said in its session since.

        Args:
            context: As prepared.
            reply: The answer; None where none came.
            usage: What the server reported.
            state: How far the exchange came.
            model: The model that answered; None for the memory's own.

        Returns:
            The exchange as stored; its ``notes`` say what was not.

        Raises:
            InputError: It was answered already.
        """
        placed, begun = begin_behind(self.space, context)
        recorded = record(
            self.space,
            placed,
            answer_from(self.space, reply),
            state=ExchangeState(state),
            usage=usage,
            model=model,
            begun=begun,
        )
        return replace(recorded.exchange, notes=(*begun.notes, *recorded.notes))

    def add(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        session: str | None = None,
        at: datetime | None = None,
    ) -> list[Exchange]:
        """Store messages that were said elsewhere, at the end of a session.

        Args:
            messages: OpenAI-style messages: user, assistant, tool.
            session: The session; None for the default one. An unknown id begins one.
            at: When they were said; None for now.

        Raises:
            InputError: A dict is no message, or none is of a user.
        """
        return add_messages(self.space, openai.drafts(messages), self._named(session), at)

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
        """Find exchanges by words, meaning and time, best first; each whole, with its session.

        Phrases in quotation marks must be in what is found, as they are written.

        Args:
            query: What to look for.
            limit: Up to this many.
            session: Only exchanges of this session; None for all.
            since: Only exchanges of this time and later.
            until: Only exchanges before this time.
            role: ``user`` or ``assistant``: only where this side holds a word of the query.
            exact: Find the whole query as it is written, the newest first; reads every exchange.
            min_relevance: How well they must match, 0 to 1; None for the default. With 0 the
                nearest come too, which have not ``matched``.
        """
        only = self.space.sessions.find(session).id if session is not None else None
        return self.space.search(
            query,
            limit,
            reach=only,
            since=since,
            until=until,
            role=role,
            exact=exact,
            min_relevance=min_relevance,
        )

    def get(self, id: str) -> Exchange:  # noqa: A002 - the public name
        """Return an exchange by its id or the beginning of it.

        Raises:
            NotFoundError: There is none, or several.
        """
        return self.space.log.get(id)

    def history(self, session: str | None = None, *, limit: int = 50) -> list[dict[str, Any]]:
        """Return the newest messages of a session as OpenAI-style dicts, oldest first.

        ``limit`` counts exchanges; ``session`` is None for the default one.
        """
        exchanges = self._in(session).history(limit)
        said = [message for exchange in exchanges for message in exchange.messages]
        return [dict(message) for message in openai.messages(said)]

    def sessions(self, *, limit: int | None = None) -> list[SessionSummary]:
        """Return the sessions, the last updated first; None for all of them."""
        return self.space.sessions.summaries(self._named(None), limit)

    def why(self, context: Context | str | None = None) -> ContextReport:
        """Explain a context (the last one for None): every token, every candidate, rendered again.

        Raises:
            NotFoundError: There is no such context.
        """
        return self.space.contexts.why(context.id if isinstance(context, Context) else context)

    def stats(self) -> Stats:
        """Return the figures of the space."""
        return self.space.stats()

    # What every prompt carries, and what is forgotten.

    def pin(self, text: str | None = None, *, exchange: str | None = None) -> Fact:
        """Pin words, or what the user said in an exchange: every prompt carries them from now on.

        Raises:
            InputError: Neither or both were given.
            EmptyMessageError: There are no words.
        """
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
        """Return what a forgetting would do; nothing is changed. What is named adds up.

        Args:
            *ids: Exchanges.
            session: A session; every branch of it goes.
            fact: A fact that is taken back.
            search: Everything that has all these words goes.

        Raises:
            InputError: Nothing was named.
            NotFoundError: Something that was named is not there.
        """
        return self.space.forgetting.plan(ids, session=session, fact=fact, search=search)

    def forget(
        self,
        *ids_or_plan: str | ForgetPlan,
        session: str | None = None,
        fact: str | None = None,
        search: str | None = None,
    ) -> Receipt:
        """Forget for good: what ``plan_forget`` names, or one plan.

        Raises:
            InputError: Nothing was named, or a plan together with something else.
            NotFoundError: Something that was named is not there.
            StoreError: It could not be written; ``space.forgetting.resume`` ends it.
        """
        plans = [one for one in ids_or_plan if isinstance(one, ForgetPlan)]
        ids = [one for one in ids_or_plan if isinstance(one, str)]
        if plans and (len(plans) > 1 or ids or session or fact or search):
            raise InputError("A plan names all that goes.", hint="Give the plan alone.")
        plan = (
            plans[0] if plans else self.plan_forget(*ids, session=session, fact=fact, search=search)
        )
        return self.space.forgetting.execute(plan)

    def maintain(self, *, pages: int | None = None) -> Iterator[MaintenanceProgress]:
        """Do what is done after recording: annotate, learn facts, condense, archive.

        Nothing waits for it. It may be stopped at any moment, and continues where it stopped.
        ``pages`` limits the pages of each kind; None for everything.
        """
        memory = self.space.contexts.last_memory()
        yield from self.space.maintenance.run(self._named(None), pages=pages, threshold=memory)

    # In and out.

    def import_transcript(self, transcript: Transcript) -> int:
        """Import a whole conversation from elsewhere; what is here already is passed over.

        Returns:
            How many exchanges were new.
        """
        return self.space.log.import_transcript(transcript).added

    def import_file(
        self,
        path: str | Path,
        *,
        format: str | None = None,  # noqa: A002 - the public name
        model: str | None = None,
    ) -> ImportResult:
        """Import a file of another program, or an export of ours; what is here is passed over.

        Args:
            path: The file.
            format: The name of its format; None to recognise it.
            model: The model of exchanges for which the file names none.

        Raises:
            TransferError: The file cannot be read.
        """
        return import_file(self.space, path, format=format, model=model)

    def export(
        self,
        path: str | Path,
        *,
        format: str = "jsonl",  # noqa: A002 - the public name
    ) -> int:
        """Write everything into one file; ``jsonl`` loses nothing, and can be imported.

        Args:
            path: The file; it must not exist.
            format: ``jsonl``, ``markdown``, ``html`` or ``messages``.

        Returns:
            How many exchanges were written.

        Raises:
            InputError: There is no such format.
            TransferError: The file cannot be written.
        """
        return export_file(self.space, path, format=format)

    def save(self) -> int:
        """Write what was held back because ``auto_save`` is off; return how many writes."""
        return self.space.log.save()

    def _named(self, session: str | None) -> str | None:
        wanted = session if session is not None else self._session
        if wanted is not None:
            return wanted
        newest = self.space.sessions.newest()
        return newest.id if newest else None

    def _in(self, session: str | None) -> Conversation:
        return Conversation(self.space, self._named(session))


def _session_of(space: Space, session: str | None) -> str | None:
    if session is None:
        return None
    if space.settings.recall_scope == "session":
        return session
    return space.sessions.find(session).id
