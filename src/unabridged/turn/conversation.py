"""A conversation: a session and its head, with one owner."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any

from unabridged.domain.budget import Mode
from unabridged.domain.chat import Usage
from unabridged.domain.client_history import RequestOptions, SyncedHistory
from unabridged.domain.context import Context
from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.message import Message, Part, Role, Text
from unabridged.domain.session import Session
from unabridged.errors import NotFoundError
from unabridged.history_sync.sync import HistorySync
from unabridged.ports import ChatModel
from unabridged.recording.forgotten_filter import Recorded
from unabridged.space.sessions import check_session_name
from unabridged.space.space import Space
from unabridged.space.tools import Offered, Tool, as_tool
from unabridged.turn.prepare import PromptOptions, parts_of, prepare, prompt_request
from unabridged.turn.record import begin, record, record_tools
from unabridged.turn.run import Reply
from unabridged.turn.turn import Turn
from unabridged.wire import openai
from unabridged.wire.incoming_message import IncomingMessage


class Conversation:
    """A session that one owner talks in. It is not shared between threads.

    Args:
        space: The space.
        session: The id of the session; one that is not there yet begins with the first message.
            None for a new one.
        title: The title of a session that begins; empty to take it from the first message.

    Raises:
        NameRefusedError: No session can have this id.
    """

    def __init__(self, space: Space, session: str | None = None, *, title: str = "") -> None:
        if session is not None:
            check_session_name(session)
        self.space = space
        self._session = session
        self._is_named = session is not None
        self._title = title
        self._begun: dict[str, Recorded] = {}

    @property
    def session(self) -> str:
        """The id of the session."""
        if self._session is None:
            self._session = self.space.clock.new_id()
        return self._session

    @property
    def is_named(self) -> bool:
        """Whether the owner chose the session's id."""
        return self._is_named

    @property
    def header(self) -> Session | None:
        """The session as it is stored; None where nothing was said yet."""
        return self.space.sessions.get(self._session) if self._session else None

    @property
    def head(self) -> str | None:
        """The id of the session's last message; None where nothing was said yet."""
        return header.head if (header := self.header) else None

    # The read path.

    def prepare(
        self,
        message: str | Mapping[str, Any] = "",
        *,
        images: Sequence[str] = (),
        tools: Sequence[Offered] | None = None,
        mode: Mode | str | None = None,
        retry_of: str | None = None,
        model: ChatModel | None = None,
        persona: str | None = None,
        reach: str | None = None,
    ) -> Context:
        """Make the context for a message. Only reads: nothing is stored.

        Args:
            message: The user's words, or an OpenAI-style message.
            images: URIs of pictures that go with the message.
            tools: Tools to offer in tools mode instead of the configured ones.
            mode: ``chat`` or ``tools``; None for the setting.
            retry_of: The id of an exchange whose message is answered again; ``message`` is then
                ignored.
            model: The model that is asked; None for the memory's own.
            persona: The persona that answers; empty for none; None for the setting.
            reach: The only session that may be recalled from; None for what the settings say.

        Raises:
            EmptyMessageError: There is nothing in it.
            PromptTooLargeError: What must be sent does not fit the window.
            UpstreamError: The upstream could not say what its window is, and nothing else could.
        """
        options = PromptOptions(model, Mode(mode) if mode else None, tools, persona, reach)
        return self._prepared(message, images, retry_of, options)

    def _prepared(
        self,
        message: str | Mapping[str, Any],
        images: Sequence[str],
        retry_of: str | None,
        options: PromptOptions,
    ) -> Context:
        words = [] if retry_of is not None else _words(message, images)
        request = prompt_request(self.space, self._session, words, retry_of=retry_of)
        context = prepare(self.space, options, request)
        if retry_of is None:
            self._session = context.scope.session
        return context

    # The write path.

    def begin(self, context: Context) -> Exchange:
        """Store the user's message of a context; when this returns, it survives a power cut.

        What was forgotten before, or meanwhile, is not stored: ``notes`` of the exchange say so.

        Raises:
            HeadMovedError: The session moved on since the context was prepared.
        """
        begun = self._begun.get(context.id)
        return self._keep(context, begin(self.space, context, self._title, begun=begun))

    def record_tools(
        self, context: Context, messages: Sequence[Message | Mapping[str, Any]]
    ) -> Exchange:
        """Store a tool round of a begun exchange: calls and results together, as messages."""
        told = _messages(self.space, messages)
        begun = self._begun.get(context.id)
        return self._keep(context, record_tools(self.space, context, told, begun))

    def record(
        self,
        context: Context,
        reply: str | Message | Mapping[str, Any] | None,
        *,
        usage: Usage | None = None,
        state: ExchangeState | str = ExchangeState.COMPLETE,
        model: ChatModel | None = None,
    ) -> Exchange:
        """Store the answer to a context, and begin it where it was not begun.

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
            HeadMovedError: The session moved on since the context was prepared, and it was not
                begun; or another writer answered it.
        """
        if self._title and context.id not in self._begun:
            self.begin(context)
        recorded = record(
            self.space,
            context,
            answer_from(self.space, reply),
            state=ExchangeState(state),
            usage=usage,
            model=model,
            begun=self._begun.get(context.id),
        )
        return self._keep(context, recorded, ended=ExchangeState(state) is not ExchangeState.OPEN)

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
        message: str | Mapping[str, Any] = "",
        *,
        images: Sequence[str] = (),
        tools: Sequence[Offered] | None = None,
        mode: Mode | str | None = None,
        retry_of: str | None = None,
        model: ChatModel | None = None,
        persona: str | None = None,
    ) -> Reply:
        """Prepare, store, ask the model, run tools, store the answer: iterate to stream.

        The arguments are those of ``prepare``.
        """
        given = (
            self.space.tools(self._session) if tools is None else [as_tool(tool) for tool in tools]
        )
        runnable = [tool for tool in given if isinstance(tool, Tool)]
        options = PromptOptions(model, Mode(mode) if mode else None, runnable, persona)
        context = self._prepared(message, images, retry_of, options)
        turn = Turn(self.space, options, context, title=self._title)
        self._title = ""
        self._session = context.scope.session
        return Reply(turn, self.space.answering(model, self._session), runnable)

    # Clients that send their whole history.

    def sync(
        self, messages: Sequence[IncomingMessage | Mapping[str, Any]], *, store: bool = True
    ) -> SyncedHistory:
        """Find where a client's whole list of messages is in the log, and import what is new.

        Nothing is written if ``store`` is false.

        Raises:
            InputError: There is no user message to answer.
            EmptyMessageError: The last user message is empty.
        """
        synced = sync(self.space, _drafts(messages), self._session, store=store)
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
            synced: As ``sync`` gave it.
            request_options: What the client wants in addition: tools, window, limit of the answer.
            model: The model that is asked; None for the memory's own.
            reach: The only session that may be recalled from; None for what the settings say.
        """
        options = PromptOptions(model, reach=reach)
        return Turn(self.space, options, synced=synced, request_options=request_options)

    # Its past.

    def history(self, limit: int = 50) -> list[Exchange]:
        """Return the session's current path, oldest first."""
        return self.space.log.history(self._session, limit) if self._session else []

    def undo(self) -> Exchange | None:
        """Step back over the newest exchange, which stays stored as a branch.

        Raises:
            NotFoundError: Nothing was said yet.
        """
        return self.space.sessions.undo(self._require())

    def branches(self) -> list[Exchange]:
        """Return the last exchange of every branch, newest first."""
        header = self.header
        return self.space.sessions.branches(header) if header else []

    def checkout(self, exchange: str) -> Session:
        """Continue from the end of an exchange, by its id or the beginning of it."""
        session = self.space.sessions.checkout(self.space.log.get(exchange))
        self._session = session.id
        return session

    def rename(self, title: str) -> Session:
        """Give the session another title.

        Raises:
            NotFoundError: Nothing was said yet.
        """
        return self.space.sessions.rename(self._require(), title)

    def _require(self) -> Session:
        header = self.header
        if header is None:
            raise NotFoundError("No session has begun yet.", hint="Say something first.")
        return header


def sync(
    space: Space, drafts: Sequence[IncomingMessage], session: str | None, *, store: bool = True
) -> SyncedHistory:
    """Find where a client's whole list of messages is in the log; see ``Conversation.sync``."""
    return space.shared(HistorySync).sync(drafts, session, record=store)


def chat_lock(
    space: Space, drafts: Sequence[IncomingMessage], session: str | None
) -> AbstractContextManager[object]:
    """Return the lock of a chat, to be held from ``sync`` to the begin of its turn."""
    return space.shared(HistorySync).chat_lock(drafts, session)


def answer_from(space: Space, reply: str | Message | Mapping[str, Any] | None) -> Message | None:
    """Return an answer as a message."""
    if reply is None or isinstance(reply, Message):
        return reply
    if isinstance(reply, str):
        return space.message(Role.ASSISTANT, [Text(reply)])
    return _messages(space, [reply])[-1]


def _drafts(messages: Sequence[IncomingMessage | Mapping[str, Any]]) -> list[IncomingMessage]:
    given = list(messages)
    wires = [one for one in given if not isinstance(one, IncomingMessage)]
    if len(wires) == len(given):
        return list(openai.drafts(wires))
    return [one if isinstance(one, IncomingMessage) else openai.drafts([one])[0] for one in given]


def _messages(space: Space, messages: Sequence[Message | Mapping[str, Any]]) -> list[Message]:
    # Those that have ids and times stay as they are.
    given = list(messages)
    drafts = iter(openai.drafts([one for one in given if not isinstance(one, Message)]))
    made: list[Message] = []
    for one in given:
        if isinstance(one, Message):
            made.append(one)
        else:
            draft = next(drafts)
            made.append(space.message(draft.role, draft.parts))
    return made


def _words(message: str | Mapping[str, Any], images: Sequence[str]) -> list[Part]:
    if isinstance(message, str):
        return parts_of(message, images)
    (draft,) = _drafts([message])
    return [*draft.parts, *parts_of(draft.text, images)[bool(draft.text) :]]
