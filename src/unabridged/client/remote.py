"""A memory that a server keeps, with the methods of the embedded one."""

import io
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, Self, TypedDict, Unpack, cast

from unabridged.client.http_calls import Wire
from unabridged.client.remote_views import (
    RemoteCondensations,
    RemoteFacts,
    RemoteRequirements,
    RemoteSubject,
    RemoteView,
    called,
    like,
    subjects_of,
)
from unabridged.clock import SystemClock
from unabridged.domain.budget import Mode
from unabridged.domain.chat import ToolSpec, Usage
from unabridged.domain.context import Context
from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.fact import Fact
from unabridged.domain.forgetting import ForgetPlan, Receipt
from unabridged.domain.message import Message, part_to_dict
from unabridged.domain.results import (
    ContextReport,
    MaintenanceProgress,
    SearchResult,
    SessionSummary,
    Transcript,
)
from unabridged.domain.session import Session
from unabridged.errors import EmptyMessageError, InputError, NotFoundError
from unabridged.memory import Memory
from unabridged.operations import (
    TABLE,
    contexts,
    exchanges,
    facts,
    forgetting,
    maintenance,
    search as lookups,
    sessions,
    transfer,
)
from unabridged.operations.operation import MOST_A_PAGE, Operation
from unabridged.operations.operation_results import RecordedExchange
from unabridged.space.forgetting import Forgetting
from unabridged.space.tools import tool_from
from unabridged.transfer.detect_format import open_file
from unabridged.transfer.native_jsonl import write_jsonl
from unabridged.wire import openai
from unabridged.wire.json_api import to_plain

_SPOOLED_BYTES = 1 << 20
"""The size above which an export goes to the disk."""
_PAGES = 20
"""Pages of maintenance of one request, at most."""


class PrepareOptions(TypedDict, total=False):
    """Options of ``prepare``.

    Attributes:
        images: URIs of images that belong to the message.
        tools: Tools to offer in tools mode, instead of the configured ones. The server only sees
            their descriptions; functions run here or nowhere.
        mode: ``chat`` or ``tools``; None for the server's setting.
        retry_of: The id of an exchange whose message is answered again.
    """

    images: Sequence[str]
    tools: Sequence[Callable[..., Any] | ToolSpec] | None
    mode: Mode | str | None
    retry_of: str | None


class RemoteMemory(RemoteView):
    """One space of memory that a server keeps. Any number of threads may share it.

    Its methods do what those of the embedded ``Memory`` do, and raise the same errors. The server
    sets ids and times of messages. All other operations of the server are methods by subject and
    verb: ``memory.shares.list()``, ``memory.topics.list(since="2026-05-01")``.

    Args:
        url: The server's address.
        key: The API key, or the token that the server's first start makes; empty for none.
        user: The user; empty for that of the key, or the server's default.
        agent: The agent; likewise.
        model: The model, if the server separates models; empty for its default.
        session: The default session, by id, number or title; None for the newest.
        timeout: Seconds to wait for an answer.
        operations: The operations of the server.

    Raises:
        NotFoundError: There is no such session.
        KeyRefusedError: The key is missing or not valid.
        UpstreamAwayError: No server answers.
    """

    def __init__(
        self,
        url: str = "http://127.0.0.1:11435",
        *,
        key: str = "",
        user: str = "",
        agent: str = "",
        model: str = "",
        session: str | None = None,
        timeout: float = 60.0,
        operations: Sequence[Operation[Any, Any]] = TABLE,
    ) -> None:
        super().__init__(Wire(url, _headers(key, user, agent, model), timeout))
        self._subjects = subjects_of(self._wire, operations)
        self.facts = RemoteFacts(self._wire)
        self.requirements = RemoteRequirements(self._wire)
        self.condensations = RemoteCondensations(self._wire)
        self._session: str | None = None
        try:
            if session is not None:
                self._session = self._found(session).id
            else:
                self._newest()  # a wrong key or address fails now
        except BaseException:
            self.close()
            raise

    def __getattr__(self, subject: str) -> RemoteSubject:
        if (found := self.__dict__.get("_subjects", {}).get(subject)) is not None:
            return cast("RemoteSubject", found)
        raise AttributeError(f"{type(self).__name__!r} has no {subject!r}.")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close every connection."""
        self._wire.close()

    # Talking.

    def conversation(self, session: str | None = None, *, title: str = "") -> "RemoteConversation":
        """Begin a conversation, or continue the one of this id."""
        return RemoteConversation(self._wire, session, title)

    def prepare(
        self, message: str = "", *, session: str | None = None, **options: Unpack[PrepareOptions]
    ) -> Context:
        """Prepare the context for a message; see ``RemoteConversation.prepare``."""
        return self.conversation(self._named(session)).prepare(message, **options)

    def record(
        self,
        context: Context,
        reply: str | Message | Mapping[str, Any] | None,
        *,
        usage: Usage | None = None,
        state: ExchangeState | str = ExchangeState.COMPLETE,
    ) -> Exchange:
        """Store a message and its answer; see ``RemoteConversation.record``."""
        conversation = self.conversation(context.scope.session)
        return conversation.record(context, reply, usage=usage, state=state)

    # Looking things up.

    get = called(Memory.get, exchanges.get_exchange)
    stats = called(Memory.stats, lookups.stats)
    receipts = called(Forgetting.receipts, forgetting.list_receipts)

    @like(Memory.search)
    def search(self, query: str, **filters: Any) -> list[SearchResult]:
        if not query.strip():
            return []
        return list(self._wire.call(lookups.search, query=query, **filters).items)

    @like(Memory.history)
    def history(self, session: str | None = None, *, limit: int = 50) -> list[dict[str, Any]]:
        path = self.conversation(self._named(session)).history(limit)
        said = [message for exchange in path for message in exchange.messages]
        return [dict(message) for message in openai.messages(said)]

    @like(Memory.sessions)
    def sessions(self, *, limit: int | None = None) -> list[SessionSummary]:
        named = self._named(None)
        found = self._wire.all(sessions.list_sessions)
        return [SessionSummary(one, one.exchanges, one.id == named) for one in islice(found, limit)]

    @like(Memory.why)
    def why(self, context: Context | str | None = None) -> ContextReport:
        name = context.id if isinstance(context, Context) else context
        return self._wire.call(lookups.get_context, context=name or "last")

    # What every prompt carries, and what is forgotten.

    @like(Memory.pin)
    def pin(self, text: str | None = None, *, exchange: str | None = None) -> Fact:
        if text is not None and not text.strip():
            raise EmptyMessageError("There is nothing to pin.", hint="Give a text.")
        return self.facts.get(self._wire.call(facts.add_pin, text=text, exchange=exchange).id)

    @like(Memory.plan_forget)
    def plan_forget(self, *ids: str, **named: Any) -> ForgetPlan:
        return self._wire.call(forgetting.plan_forgetting, exchanges=ids, **named)

    @like(Memory.forget)
    def forget(self, *ids_or_plan: str | ForgetPlan, **named: Any) -> Receipt:
        plans = [one for one in ids_or_plan if isinstance(one, ForgetPlan)]
        ids = [one for one in ids_or_plan if isinstance(one, str)]
        if plans and (len(plans) > 1 or ids or any(named.values())):
            raise InputError("A plan names all that goes.", hint="Give the plan alone.")
        plan = plans[0] if plans else self.plan_forget(*ids, **named)
        return self._wire.call(forgetting.forget, plan=plan.id)

    @like(Memory.maintain)
    def maintain(self, *, pages: int | None = None) -> Iterator[MaintenanceProgress]:
        before, left = None, pages
        while left is None or left > 0:
            at_once = _PAGES if left is None else min(left, _PAGES)
            told = self._wire.call(maintenance.maintain, pages=at_once)
            yield from told.stages
            if told.done or told == before:
                return
            before = told
            left = None if left is None else left - at_once

    # In and out.

    def transcripts(self) -> Iterator[Transcript]:
        """Iterate over every session with every exchange of every branch, the oldest first."""
        with tempfile.SpooledTemporaryFile(_SPOOLED_BYTES) as file:
            whole = cast("io.BufferedRandom", file)
            self._wire.download(transfer.export_file, whole, format="jsonl")
            whole.seek(0)
            with open_file(whole, format="unabridged") as reader:
                yield from (item for item in reader if isinstance(item, Transcript))

    def import_transcript(self, transcript: Transcript) -> int:
        """Import a whole conversation from elsewhere; return how many exchanges were new.

        Raises:
            InputError: Something of it cannot be stored.
        """
        held = io.BytesIO()
        write_jsonl([transcript], held)
        told = self._wire.upload(transfer.import_file, held.getvalue(), format="unabridged")
        if told.failed_count:
            reasons = "; ".join(f"{one.where}: {one.reason}" for one in told.failed)
            raise InputError(f"Not all of it was stored: {reasons}.", hint="The rest was.")
        return told.added

    def _named(self, session: str | None) -> str | None:
        wanted = session if session is not None else self._session
        if wanted is not None:
            return wanted
        newest = self._newest()
        return newest.id if newest else None

    def _newest(self) -> Session | None:
        return next(iter(self._wire.call(sessions.list_sessions, limit=1).items), None)

    def _found(self, wanted: str) -> Session:
        if not wanted:
            raise NotFoundError("There is no session without a name.", hint="Name one.")
        (session,) = self._wire.call(sessions.list_sessions, called=wanted).items
        return session


class RemoteConversation:
    """A session with one owner, kept by a server; see ``Conversation``.

    Args:
        wire: The server.
        session: The id of the session; None for a new one.
        title: The title of a new session.
    """

    def __init__(self, wire: Wire, session: str | None = None, title: str = "") -> None:
        self._wire = wire
        self._clock = SystemClock()
        self._session = session
        self._title = title

    @property
    def session(self) -> str | None:
        """The id of the session; None if the next message begins one."""
        return self._session

    @property
    def header(self) -> Session | None:
        """The session as it is stored; None if nothing was said yet."""
        if self._session is None:
            return None
        try:
            return self._wire.call(sessions.get_session, session=self._session)
        except NotFoundError:
            return None  # it was forgotten

    def prepare(self, message: str = "", **options: Unpack[PrepareOptions]) -> Context:
        """Prepare the context for a message. Only reads: nothing is stored.

        The server keeps it for half an hour; ``manifest`` and ``shared`` are empty.

        Args:
            message: The user's message.
            **options: See ``PrepareOptions``.

        Raises:
            EmptyMessageError: The message is empty.
            PromptTooLargeError: What must be sent does not fit the window.
            UpstreamError: The server's upstream, or the server itself, does not answer.
        """
        tools, mode = options.get("tools"), options.get("mode")
        return self._wire.call(
            contexts.prepare,
            message=message,
            session=self._session,
            mode=Mode(mode).value if mode else None,
            tools=None if tools is None else [to_plain(_spec(tool)) for tool in tools],
            retry_of=options.get("retry_of"),
            images=list(options.get("images", ())),
        )

    def begin(self, context: Context) -> Exchange:
        """Store the user's message of a context; when this returns, it survives a power cut.

        Raises:
            HeadMovedError: The session moved on since the context was prepared.
        """
        told = self._wire.call(
            contexts.begin_context, context=context.id, title=self._title or None
        )
        return self._recorded(told, context, (), ExchangeState.OPEN)

    def record_tools(
        self, context: Context, messages: Sequence[Message | Mapping[str, Any]]
    ) -> Exchange:
        """Store a tool round of a begun exchange: calls and results together."""
        self._name(context)
        said = self._messages(messages)
        bodies = [{"role": m.role.value, "parts": _parts(m)} for m in said]
        told = self._wire.call(contexts.step, context=context.id, messages=bodies)
        return self._recorded(told, context, said, ExchangeState.OPEN)

    def record(
        self,
        context: Context,
        reply: str | Message | Mapping[str, Any] | None,
        *,
        usage: Usage | None = None,
        state: ExchangeState | str = ExchangeState.COMPLETE,
    ) -> Exchange:
        """Store the answer to a context; also the user's message, if it is not stored yet.

        Raises:
            InputError: It was answered already.
            HeadMovedError: The session moved on since the context was prepared.
            NotFoundError: The server no longer keeps the context, and it was not begun.
        """
        self._name(context)
        wire = {"role": "assistant", "content": reply} if isinstance(reply, str) else reply
        said = self._messages([wire] if wire is not None else [])
        told = self._wire.call(
            contexts.record,
            context=context.id,
            parts=_parts(said[-1]) if said and said[-1].parts else None,
            state=ExchangeState(state).value,
            usage=to_plain(usage),
        )
        return self._recorded(told, context, said, ExchangeState(state))

    def history(self, limit: int = 50) -> list[Exchange]:
        """Return the session's current path, oldest first."""
        if self._session is None:
            return []
        newest = self._wire.all(
            sessions.list_session_exchanges,
            session=self._session,
            limit=max(1, min(limit, MOST_A_PAGE)),
        )
        return list(islice(newest, limit))[::-1]

    def rename(self, title: str) -> Session:
        """Rename the session.

        Raises:
            InputError: The title is empty.
            NotFoundError: No session has begun yet.
        """
        if not title.strip():
            raise InputError("The title is empty.", hint="Give a title.")
        if self._session is None:
            raise NotFoundError("No session has begun yet.", hint="Record something first.")
        return self._wire.call(sessions.change_session, session=self._session, title=title)

    def _messages(self, messages: Sequence[Message | Mapping[str, Any]]) -> list[Message]:
        given = [one for one in messages if isinstance(one, Message)]
        drafts = openai.drafts([one for one in messages if not isinstance(one, Message)])
        now = self._clock.now()
        return [*given, *(Message(self._clock.new_id(), d.role, d.parts, now) for d in drafts)]

    def _name(self, context: Context) -> None:
        # Begin a context whose session gets a title; else the server does it by itself.
        if self._title and context.new_session:
            self.begin(context)

    def _recorded(
        self,
        told: RecordedExchange,
        context: Context,
        messages: Sequence[Message],
        state: ExchangeState,
    ) -> Exchange:
        self._session, self._title = context.scope.session, ""
        if told.exchange is not None:
            return replace(told.exchange, notes=told.notes)
        return Exchange(  # it was forgotten before, so it is only passed on
            id=context.id,
            session=context.scope.session or "",
            parent=context.parent,
            state=state,
            messages=(context.user, *messages),
            at=context.at,
            mode=context.mode.value,
            model=context.scope.model,
            notes=told.notes,
        )


def _headers(key: str, user: str, agent: str, model: str) -> dict[bytes, bytes]:
    # The headers of each request; names in UTF-8, as the server reads them.
    bearer = f"Bearer {key}" if key else ""
    named = {
        "X-Unabridged-User": user,
        "X-Unabridged-Agent": agent,
        "X-Unabridged-Model": model,
        "Authorization": bearer,
    }
    return {name.encode(): value.encode() for name, value in named.items() if value}


def _spec(tool: Callable[..., Any] | ToolSpec) -> ToolSpec:
    return tool if isinstance(tool, ToolSpec) else tool_from(tool).spec


def _parts(message: Message) -> list[dict[str, Any]]:
    return [part_to_dict(part) for part in message.parts]
