"""A conversation: a session and its head, with one owner."""

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace

from unabridged.domain.arguments import checks_arguments
from unabridged.domain.budget import Mode
from unabridged.domain.chat import Usage
from unabridged.domain.client_history import RequestOptions, SyncedHistory
from unabridged.domain.context import Context
from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.session import Session
from unabridged.domain.short_repr import quoted, short
from unabridged.errors import InputError, NotFoundError, StoreClosedError, ToolError
from unabridged.history_sync.sync import HistorySync
from unabridged.ports import ChatModel
from unabridged.recording.forgotten_filter import Recorded
from unabridged.space.space import Space
from unabridged.space.tools import Offered, Tool, as_tools, check_plain
from unabridged.turn.messages import (
    answer_of,
    listed,
    own_context,
    question_parts,
    tool_round,
)
from unabridged.turn.own_session import SessionOwner
from unabridged.turn.prepare import PromptOptions, prepare, prompt_request
from unabridged.turn.record import begin, record, record_tools
from unabridged.turn.run import Reply
from unabridged.turn.turn import Turn
from unabridged.wire.any_message import AnyMessage, read_messages
from unabridged.wire.incoming_message import IncomingMessage

NO_TOOLS = "{model} cannot call tools: tools are not offered."


@checks_arguments
class Conversation(SessionOwner):
    """A session that one thread talks in: ``Memory.conversation`` returns it.

    Args:
        space: The space.
        session: The id of the session; a new one begins with the first message.
            None for a new one.
        title: The title of a session that begins; empty to take it from the first message.
        shared: Whether ``chat`` stores behind what others store in the session meanwhile.

    Attributes:
        session: The id of the session.
        is_named: Whether the owner chose it.

    Raises:
        NameRefusedError: No session can have this id.
    """

    def __init__(
        self, space: Space, session: str | None = None, *, title: str = "", shared: bool = False
    ) -> None:
        super().__init__(space.clock, session, title)
        self.space = space
        self._shared = shared
        self._begun: dict[str, Recorded] = {}

    @property
    def header(self) -> Session | None:
        """The session as it is stored; None before the first message."""
        return self.space.sessions.get(self._session) if self._session else None

    @property
    def head(self) -> str | None:
        """The id of the session's last message; None before the first message."""
        return header.head if (header := self.header) else None

    # The read path.

    def prepare(
        self,
        message: "AnyMessage" = "",
        *,
        images: Sequence[str] = (),
        tools: Sequence[Offered] | None = None,
        mode: Mode | str | None = None,
        retry_of: str | None = None,
        model: ChatModel | None = None,
        persona: str | None = None,
        reach: str | None = None,
    ) -> Context:
        """Prepare the context for a message. Only reads: nothing is stored.

        Args:
            message: The user's message: a string, an OpenAI-style dict, a pydantic model or a
                dataclass.
            images: URIs of pictures that go with the message.
            tools: Tools to offer instead of the configured ones: functions with type hints, or
                OpenAI-style definitions. They switch to tools mode.
            mode: ``chat`` or ``tools``; None for ``tools`` if tools are given, else the setting.
            retry_of: The id of an exchange whose message is answered again; ``message`` is then
                ignored.
            model: The model to ask; None for the configured one.
            persona: The persona that answers; empty for none; None for the setting.
            reach: The only session to recall from; None for the setting.

        Raises:
            EmptyMessageError: The message is empty.
            InputError: It is not a user message.
            NotFoundError: There is no exchange ``retry_of``.
            PromptTooLargeError: What must be sent does not fit the window.
            ToolError: A tool cannot be described.
            UpstreamError: The window is unknown, and the model server does not answer.
        """
        options = PromptOptions(model, mode_of(mode, tools), tools, persona, reach)
        return self._prepared(message, images, retry_of, options)

    def _prepared(
        self,
        message: "AnyMessage",
        images: Sequence[str],
        retry_of: str | None,
        options: PromptOptions,
    ) -> Context:
        words = [] if retry_of is not None else question_parts(message, images)
        request = prompt_request(self.space, self._session, words, retry_of=retry_of)
        context = prepare(self.space, options, request)
        if retry_of is None:
            self._session = context.scope.session
        return context

    # The write path.

    def begin(self, context: Context) -> Exchange:
        """Store the user's message of a context; when this returns, it survives a power cut.

        Forgotten text is not stored; the exchange's ``notes`` report it.

        Raises:
            HeadMovedError: The session moved on since the context was prepared.
            InputError: The context is of another memory or session.
        """
        context = self._checked(context)
        begun = self._begun.get(context.id)
        return self._keep(context, begin(self.space, context, self._title, begun=begun))

    def record_tools(self, context: Context, messages: "Iterable[AnyMessage]") -> Exchange:
        """Store a tool round of an exchange: the calls, and a result for each.

        Args:
            context: As prepared. It is begun if it was not.
            messages: The message that calls tools, then a message of the role ``tool`` for each
                call, in any form that ``prepare`` takes.

        Raises:
            HeadMovedError: The session has changed since the context was prepared.
            InputError: A call has no result, a result has no call, or it was answered already.
        """
        context = self._checked(context)
        begun = self._begun.get(context.id)
        stored = self.space.dependencies.store.get([context.id]).get(context.id)
        told = tool_round(self.space, messages, begun.exchange if begun else stored)
        return self._keep(context, record_tools(self.space, context, told, begun))

    def record(
        self,
        context: Context,
        reply: "AnyMessage | None",
        *,
        usage: Usage | None = None,
        state: ExchangeState | str | None = None,
        model: ChatModel | None = None,
    ) -> Exchange:
        """Store the answer to a context, and begin it if it was not begun.

        Args:
            context: As prepared.
            reply: The answer in any form that ``prepare`` takes, or the whole response of a model
                server (``openai``, ``ollama``); None if none came.
            usage: Tokens that the server reported; None for those in the response.
            state: How far the answer came; None for ``complete``, for ``incomplete`` if the
                response reached its limit, or for ``unanswered`` if there is no reply.
            model: The model that answered; None for the configured one.

        Returns:
            The exchange as stored; its ``notes`` report what was not.

        Raises:
            InputError: It was answered already, or the reply calls tools.
            HeadMovedError: The session has changed since the context was prepared, before it was
                begun; or another writer answered it.
        """
        context = self._checked(context)
        message, usage, reached = answer_of(self.space, reply, usage, state)
        if self._title and context.id not in self._begun:
            self.begin(context)
        recorded = record(
            self.space,
            context,
            message,
            state=reached,
            usage=usage,
            model=model,
            begun=self._begun.get(context.id),
        )
        return self._keep(context, recorded, ended=reached is not ExchangeState.OPEN)

    def _checked(self, context: Context) -> Context:
        context = own_context(self.space, context)
        self._check_own(context, "Memory")
        return context

    def _keep(self, context: Context, recorded: Recorded, *, ended: bool = False) -> Exchange:
        self._title = ""
        self._session = context.scope.session
        if ended:
            self._begun.pop(context.id, None)
        else:
            self._begun[context.id] = recorded
        return replace(recorded.exchange, notes=recorded.notes)

    def chat(
        self,
        message: "AnyMessage" = "",
        *,
        images: Sequence[str] = (),
        tools: Sequence[Offered] | None = None,
        mode: Mode | str | None = None,
        retry_of: str | None = None,
        model: ChatModel | None = None,
        persona: str | None = None,
    ) -> Reply:
        """Ask the model, run its tools and store everything: iterate for the text.

        Nothing is stored or sent before the reply is iterated. The arguments are those of
        ``prepare``; tools are functions here, since they are called: in up to 12 rounds, after
        which the model is asked without tools.

        Raises:
            ToolError: Tools were given, and the model cannot call any, or one is no plain function.
            UnabridgedError: As ``prepare``.
        """
        runnable = self._runnable(tools, model)
        options = PromptOptions(model, mode_of(mode, tools), runnable, persona)
        context = self._prepared(message, images, retry_of, options)
        turn = Turn(self.space, options, context, title=self._title, behind=self._shared)
        if context.tools and not tools and self._is_without_tools(model):
            turn.notes.append(NO_TOOLS.format(model=context.scope.model))
        self._title = ""
        self._session = context.scope.session
        return Reply(turn, self.space.answering(model, self._session), runnable)

    def _runnable(self, tools: Sequence[Offered] | None, model: ChatModel | None) -> list[Tool]:
        if tools is None:
            given: Iterable[object] = self.space.tools(self._session)
            return [tool for tool in given if isinstance(tool, Tool)]
        found = as_tools(tools)
        for tool in found:
            check_plain(tool)
            if not isinstance(tool, Tool):
                raise ToolError(
                    f"The tool {tool.name!r} is only described; chat() cannot call it.",
                    hint="Use a function, or use prepare(), record_tools() and record().",
                )
        if found and self._is_without_tools(model):
            name = self.space.info(model).abilities.model
            raise ToolError(
                f"The model {name!r} cannot call tools.",
                hint="Choose a model that can, for example upstream='ollama', model='llama3.2'.",
            )
        return [tool for tool in found if isinstance(tool, Tool)]

    def _is_without_tools(self, model: ChatModel | None) -> bool:
        return self.space.info(model).abilities.tools is False

    # Clients that send their whole history.

    def sync(self, messages: "Iterable[AnyMessage]", *, store: bool = True) -> SyncedHistory:
        """Match a client's whole list of messages with the log, and store what is new.

        Args:
            messages: The list, in any form that ``prepare`` takes; the last one is answered.
            store: Whether to store what is new; else nothing is written.

        Returns:
            What was found; ``turn`` answers it.

        Raises:
            InputError: There is no user message to answer.
            EmptyMessageError: The last user message is empty.
        """
        drafts = [IncomingMessage(one.role, one.parts) for one in read_messages(listed(messages))]
        synced = sync(self.space, drafts, self._session, store=store)
        self._session = synced.session
        return synced

    def turn(
        self,
        synced: SyncedHistory,
        request_options: RequestOptions | None = None,
        *,
        model: ChatModel | None = None,
        reach: str | None = None,
    ) -> Turn:
        """Return the turn that answers a synced history.

        Args:
            synced: As ``sync`` returned it.
            request_options: What the client wants in addition: tools, window, limit of the answer.
            model: The model to ask; None for the configured one.
            reach: The only session to recall from; None for the setting.
        """
        options = PromptOptions(model, reach=reach)
        return Turn(self.space, options, synced=synced, request_options=request_options)

    # Its past.

    def history(self, limit: int = 50) -> list[Exchange]:
        """Return the newest exchanges of the session's current path, oldest first.

        Args:
            limit: The most exchanges.
        """
        return self.space.log.history(self._session, limit) if self._session else []

    def undo(self) -> Exchange | None:
        """Step back over the newest exchange, which stays stored as a branch.

        Raises:
            NotFoundError: The session is empty.
        """
        return self.space.sessions.undo(self._require())

    def branches(self) -> list[Exchange]:
        """Return the last exchange of every branch, newest first."""
        header = self.header
        return self.space.sessions.branches(header) if header else []

    def checkout(self, exchange: str) -> Session:
        """Continue from the end of an exchange.

        Args:
            exchange: Its id, or a prefix of it.

        Raises:
            NotFoundError: There is none, or several.
        """
        session = self.space.sessions.checkout(self.space.log.get(exchange))
        self._session = session.id
        return session

    def rename(self, title: str) -> Session:
        """Change the title of the session.

        Raises:
            InputError: The title is empty.
            NotFoundError: The session is empty.
        """
        return self.space.sessions.rename(self._require(), title)

    def __repr__(self) -> str:  # type: ignore[explicit-override]  # typing.override came with 3.12
        try:
            header = self.header
        except StoreClosedError:
            return short(self, self._session, "closed")
        title = quoted(header.title if header else self._title)
        return short(self, self._session, title, "" if header else "new")

    def _require(self) -> Session:
        header = self.header
        if header is None:
            raise NotFoundError("No session has begun yet.", hint="Record something first.")
        return header


def sync(
    space: Space,
    drafts: Sequence[IncomingMessage],
    session: str | None,
    program_id: str | None = None,
    *,
    store: bool = True,
) -> SyncedHistory:
    """Match a client's messages with the log; see ``Conversation.sync``."""
    return space.shared(HistorySync).sync(drafts, session, program_id, record=store)


def chat_lock(
    space: Space,
    drafts: Sequence[IncomingMessage],
    session: str | None,
    program_id: str | None = None,
) -> AbstractContextManager[object]:
    """Return the lock of a chat, to be held from ``sync`` to the begin of its turn."""
    return space.shared(HistorySync).chat_lock(drafts, session, program_id)


def mode_of(mode: Mode | str | None, tools: Sequence[Offered] | None) -> Mode | None:
    """Return the mode that a caller means; tools need tools mode.

    Raises:
        InputError: Tools were given for chat mode.
    """
    if tools and mode == Mode.CHAT:
        raise InputError("Chat mode offers no tools.", hint="Leave mode out, or set it to 'tools'.")
    if tools and mode is None:
        return Mode.TOOLS
    return Mode(mode) if mode else None
