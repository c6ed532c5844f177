"""A conversation with a memory that a server keeps."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from unabridged.client.http_calls import Wire
from unabridged.client.remote_views import RemoteView, like
from unabridged.clock import SystemClock
from unabridged.domain.arguments import checks_arguments
from unabridged.domain.budget import Mode
from unabridged.domain.chat import ToolSpec, Usage
from unabridged.domain.context import Context
from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.message import Message, Part, Role, part_to_dict
from unabridged.domain.session import Session
from unabridged.domain.short_repr import quoted, short
from unabridged.errors import InputError, NotFoundError
from unabridged.operations import contexts, sessions
from unabridged.operations.operation import MOST_A_PAGE
from unabridged.operations.operation_results import RecordedExchange
from unabridged.space.tools import Offered, Tool, as_tool
from unabridged.turn.conversation import Conversation, mode_of
from unabridged.turn.messages import answer_of, question_parts, tool_round
from unabridged.turn.own_session import SessionOwner
from unabridged.wire.any_message import AnyMessage
from unabridged.wire.incoming_message import IncomingMessage
from unabridged.wire.json_api import to_plain


@checks_arguments
class RemoteConversation(SessionOwner, RemoteView):
    """A session with one owner, kept by a server; see ``Conversation``.

    Args:
        wire: The server.
        session: The id of the session; one that is not there yet begins with the first message.
            None for a new one.
        title: The title of a session that begins; empty to take it from the first message.

    Attributes:
        session: The id of the session.
        is_named: Whether the owner chose it.

    Raises:
        NameRefusedError: No session can have this id.
    """

    _embedded = Conversation

    def __init__(self, wire: Wire, session: str | None = None, title: str = "") -> None:
        super().__init__(SystemClock(), session, title)
        self._wire = wire

    def __repr__(self) -> str:  # type: ignore[explicit-override]  # typing.override came with 3.12
        return short(self, self._session or "new", quoted(self._title))

    @property
    def header(self) -> Session | None:
        """The session as it is stored; None if nothing was said yet."""
        if self._session is None:
            return None
        try:
            return self._wire.call(sessions.get_session, session=self._session)
        except NotFoundError:
            return None  # it was forgotten

    @property
    def head(self) -> str | None:
        """The id of the session's last message; None before the first message."""
        return header.head if (header := self.header) else None

    def prepare(
        self,
        message: "AnyMessage" = "",
        *,
        images: Sequence[str] = (),
        tools: Sequence[Offered] | None = None,
        mode: Mode | str | None = None,
        retry_of: str | None = None,
    ) -> Context:
        """Prepare the context for a message. Only reads: nothing is stored.

        The server keeps it for half an hour; ``manifest`` and ``shared`` are empty. It only sees the
        descriptions of tools: functions run here or nowhere. The arguments are those of
        ``Conversation.prepare``.

        Raises:
            EmptyMessageError: The message is empty.
            PromptTooLargeError: What must be sent does not fit the window.
            UpstreamError: The server's upstream, or the server itself, does not answer.
        """
        parts = [] if retry_of is not None else question_parts(message, images)
        kind = mode_of(mode, tools)
        context = self._wire.call(
            contexts.prepare,
            session=self._session,
            mode=kind.value if kind else None,
            tools=None if tools is None else [to_plain(_spec(tool)) for tool in tools],
            retry_of=retry_of,
            parts=[part_to_dict(part) for part in parts] or None,
        )
        if retry_of is None:
            self._session = context.scope.session
        return context

    @like(Conversation.begin)
    def begin(self, context: Context) -> Exchange:
        self._check_own(context, "RemoteMemory")
        told = self._wire.call(
            contexts.begin_context, context=context.id, title=self._title or None
        )
        return self._recorded(told, context, (), ExchangeState.OPEN)

    @like(Conversation.record_tools)
    def record_tools(self, context: Context, messages: "Iterable[AnyMessage]") -> Exchange:
        self._check_own(context, "RemoteMemory")
        said = tool_round(self, messages, None)
        self._name(context)
        bodies = [body_of(one) for one in said]
        told = self._wire.call(contexts.step, context=context.id, messages=bodies)
        return self._recorded(told, context, said, ExchangeState.OPEN)

    def record(
        self,
        context: Context,
        reply: "AnyMessage | None",
        *,
        usage: Usage | None = None,
        state: ExchangeState | str | None = None,
    ) -> Exchange:
        """Store the answer to a context; also the user's message, if it is not stored yet.

        The arguments are those of ``Conversation.record``.

        Raises:
            InputError: It was answered already, or the reply calls tools.
            HeadMovedError: The session moved on since the context was prepared.
            NotFoundError: The server no longer keeps the context, and it was not begun.
        """
        return self._recorded_as(context, reply, usage, state)

    def _recorded_as(
        self,
        context: Context,
        reply: "AnyMessage | None",
        usage: Usage | None,
        state: ExchangeState | str | None,
        *,
        behind: bool = False,
    ) -> Exchange:
        self._check_own(context, "RemoteMemory")
        answer, usage, reached = answer_of(self, reply, usage, state)
        self._name(context)
        told = self._wire.call(
            contexts.record,
            context=context.id,
            parts=_parts(answer) if answer else None,
            state=reached.value,
            usage=to_plain(usage),
            behind=behind or None,
        )
        return self._recorded(told, context, [answer] if answer else [], reached)

    @like(Conversation.history)
    def history(self, limit: int = 50) -> list[Exchange]:
        if self._session is None:
            return []
        newest = self._wire.all(
            sessions.list_session_exchanges,
            session=self._session,
            limit=max(1, min(limit, MOST_A_PAGE)),
        )
        try:
            return list(islice(newest, limit))[::-1]
        except NotFoundError:
            return []  # it has not begun yet

    @like(Conversation.rename)
    def rename(self, title: str) -> Session:
        if not title.strip():
            raise InputError("The title is empty.", hint="Give a title.")
        if self._session is None:
            raise NotFoundError("No session has begun yet.", hint="Record something first.")
        return self._wire.call(sessions.change_session, session=self._session, title=title)

    def message(self, role: Role, parts: Sequence[Part]) -> Message:
        """Return a message with a fresh id and the time; the server sets its own."""
        return Message(self._clock.new_id(), role, tuple(parts), self._clock.now())

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


def _spec(tool: Offered) -> ToolSpec:
    found = as_tool(tool)
    return found.spec if isinstance(found, Tool) else found


def _parts(message: Message | IncomingMessage) -> list[dict[str, Any]]:
    return [part_to_dict(part) for part in message.parts]


def body_of(message: Message | IncomingMessage) -> dict[str, Any]:
    """Return a message as an operation takes it."""
    return {"role": message.role.value, "parts": _parts(message)}
