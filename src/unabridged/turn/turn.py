"""A turn: one message to its answer. It never touches the network.

It returns a ``ChatRequest`` and takes chunks. ``run`` drives it with a model object; a server
awaits its upstream and calls the same methods.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from unabridged.budget.allocate import least_answer
from unabridged.domain.chat import ChatRequest, StreamChunk, Usage
from unabridged.domain.client_history import RequestOptions, SyncedHistory
from unabridged.domain.context import Context
from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.message import Message, Part, Reasoning, Role, Text, ToolCall, ToolResult
from unabridged.errors import ContextRefusedError
from unabridged.recording.forgotten_filter import Recorded
from unabridged.space.space import Space
from unabridged.turn.prepare import (
    PromptOptions,
    learn_refusal,
    prepare_shorter,
    prepare_synced,
    replace_records,
    update_fit,
)
from unabridged.turn.record import begin, begin_behind, record, record_tools
from unabridged.turn.tool_rounds import rounds_of, within

SUSPICIOUS = 0.7
"""A reported prompt under this share of the planned one may be truncated."""
SUSPICIOUS_TOKENS = 256
"""… if the difference is at least this many tokens."""
SHORTER = "The server refused the prompt for its length; it was made shorter."
TOO_LONG = "The answer reached the limit of its length and is incomplete."


@dataclass
class ReplyBuilder:
    """The answer to one request so far; usage and finish come at the end."""

    text: list[str] = field(default_factory=list)
    reasoning: list[str] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    usage: Usage | None = None
    finish: str = ""

    def add(self, chunk: StreamChunk) -> None:
        """Add a chunk."""
        self.text.append(chunk.text)
        self.reasoning.append(chunk.reasoning)
        self.calls.extend(chunk.calls)
        if chunk.done:
            self.usage, self.finish = chunk.usage, chunk.finish

    def clear(self) -> None:
        """Begin the next request: the last answer is stored."""
        self.text.clear()
        self.reasoning.clear()
        self.calls.clear()
        self.usage, self.finish = None, ""

    @property
    def parts(self) -> list[Part]:
        """Return the parts of the message so far."""
        parts: list[Part] = []
        if reasoning := "".join(self.reasoning):
            parts.append(Reasoning(reasoning))
        if text := "".join(self.text):
            parts.append(Text(text))
        return [*parts, *self.calls]


class Turn:
    """One message on its way to an answer.

    ``start`` stores the user's message and returns the request. ``receive`` takes each chunk.
    ``finish`` or ``break_off`` stores the answer. Between them, ``answer_calls`` stores a tool
    round and returns the next request. Use it from one thread at a time.

    Args:
        space: The space.
        options: How its context is made.
        context: The context, if it is prepared already; else it is made from ``synced``.
        synced: A synced history of a client.
        request_options: What that client wants in addition.
        title: The title of a session that begins with it.
        behind: Whether it is stored behind what others stored in its session meanwhile.

    Attributes:
        space: The space; another object of the same space may replace it between two calls.
        exchange: The exchange as stored, after the end.
        notes: Notes for a person: a second preparation, a suspected truncation, a tool's result
            that did not fit, an answer that reached its limit, what was not stored.
        tool_notes: The notes about results that did not fit.
    """

    def __init__(
        self,
        space: Space,
        options: PromptOptions,
        context: Context | None = None,
        *,
        synced: SyncedHistory | None = None,
        request_options: RequestOptions | None = None,
        title: str = "",
        behind: bool = False,
    ) -> None:
        self.exchange: Exchange | None = None
        self.notes: list[str] = []
        self.tool_notes: list[str] = []
        self.reply = ReplyBuilder()
        self.space = space
        self._options = options
        self._context = context
        self._synced = synced
        self._request_options = request_options or RequestOptions()
        self._title = title
        self._behind = behind
        self._said: list[str] = []
        self._rounds: list[Message] = []
        self._begun: Recorded | None = None
        self._stepped = False
        self._refused = False
        self._limit: int | None = None

    @property
    def context(self) -> Context:
        """The context that is sent; it is prepared when it is first needed."""
        if self._context is None:
            self._context = self._prepared()
        return self._context

    @property
    def is_recorded(self) -> bool:
        """Whether the turn is stored; a client may ask without storing."""
        return self._synced is None or self._synced.stored

    @property
    def text(self) -> str:
        """The words of the answer so far."""
        return "".join(self._said)

    @property
    def calls(self) -> Sequence[ToolCall]:
        """The tool calls since the last request."""
        return self.reply.calls

    @property
    def usage(self) -> Usage | None:
        """The usage that the server reported for the last request."""
        return self.reply.usage

    @property
    def counted(self) -> Usage:
        """The tokens as counted here: the planned prompt, and the answer so far."""
        said = Message("", Role.ASSISTANT, tuple(self.reply.parts), self.context.at)
        answer = self._count([said]) if said.parts else 0
        return Usage(self.context.ledger.prompt_tokens + self._count(self._rounds), answer)

    def _prepared(self) -> Context:
        synced = self._synced
        if synced is None:
            raise AssertionError("a turn has a context or a client's history")
        name = self.space.clock.new_id()
        return prepare_synced(self.space, self._options, synced, self._request_options, name)

    def prepare(self) -> Context:
        """Return the context; ``start`` does this too.

        Raises:
            PromptTooLargeError: What must be sent does not fit the window.
        """
        return self.context

    def start(self) -> ChatRequest:
        """Store the user's message durably, and return the request.

        Raises:
            HeadMovedError: Another writer was faster; prepare it again.
            PromptTooLargeError: What must be sent does not fit. The user's message is not stored
                then; results of tools are.
        """
        context, synced = self.context, self._synced
        if synced is None:
            self._begin(context)
        elif synced.stored:
            if synced.open is None:
                self._note(begin(self.space, context, self._title))
            if synced.new_rounds:
                self._note(self._record_tools(synced.new_rounds))
            if synced.open is not None:
                update_fit(self.space, context)
        return self.request()

    def _begin(self, context: Context) -> None:
        if self._behind:
            self._context, begun = begin_behind(self.space, context, self._title)
        else:
            begun = begin(self.space, context, self._title)
        self._note(begun)

    def request(self, *, tools: bool = True) -> ChatRequest:
        """Return the next request; ``tools`` is whether the model may call tools."""
        context = self.context
        return ChatRequest(
            messages=(*context.prompt, *self._rounds),
            tools=context.tools or () if tools else (),
            window=context.ledger.window,
            max_output=self._max_output(),
        )

    def receive(self, chunk: StreamChunk) -> None:
        """Add a piece of the answer."""
        self.reply.add(chunk)
        self._said.append(chunk.text)

    def refused(self, refusal: ContextRefusedError) -> ChatRequest:
        """Return a shorter request after a refusal for length.

        A prompt that is frozen by a tool loop stays as it is: only the answer's limit shrinks.

        Raises:
            ContextRefusedError: The refusal, if nothing can be made shorter.
            PromptTooLargeError: What must be sent does not fit the window that the server has.
        """
        if self._refused or self.reply.parts or not (self._rounds or self.is_recorded):
            raise refusal
        self._refused = True
        if self._rounds:
            self._limit = self._less(refusal)
            return self.request()
        before = self.context
        self._context = self._shorter(refusal)
        same = (
            self._context.prompt == before.prompt and self._context.max_output == before.max_output
        )
        if same and self._synced is not None:
            raise refusal  # memory has nothing left to take from the client's request
        self.notes.append(SHORTER)
        return self.request()

    def _less(self, refusal: ContextRefusedError) -> int:
        limit = self._max_output()
        if refusal.window is None or refusal.prompt_tokens is None or limit is None:
            raise refusal
        room = refusal.window - refusal.prompt_tokens
        if not least_answer(refusal.window) <= room < limit:
            raise refusal
        return room

    def _shorter(self, refusal: ContextRefusedError) -> Context:
        space, context = self.space, self.context
        if self._synced is None:
            learn_refusal(space, self._options.model, context, refusal)
            again = prepare_shorter(space, self._options, context)
            replace_records(space, again)
            return again
        window = self._request_options.window
        learn_refusal(space, self._options.model, context, refusal, window)
        again = prepare_synced(
            space, self._options, self._synced, self._request_options, context.id
        )
        again = replace(again, new_session=False, retry_of=context.retry_of)
        if self._synced.open is None:
            replace_records(space, again)
        return again

    def answer_calls(self, results: Sequence[ToolResult], *, tools: bool = True) -> ChatRequest:
        """Store the last calls with a result for each, and return the next request.

        Raises:
            PromptTooLargeError: The calls alone exceed what the window has left.
        """
        self._send(self.keep_calls(results))
        return self.request(tools=tools)

    def keep_calls(self, results: Sequence[ToolResult]) -> list[Message]:
        """Store the last calls with their results; return the messages as stored."""
        asked = self.space.message(Role.ASSISTANT, self.reply.parts)
        told = [asked, *(self.space.message(Role.TOOL, [result]) for result in results)]
        self._note(self._record_tools(told))
        self.reply.clear()
        return told

    def finish(self) -> Exchange | None:
        """Store the answer; when this returns, it is durable.

        Calls without results are stored as an open round; the client runs them.

        Returns:
            The exchange; None if nothing is recorded.
        """
        if not self.is_recorded:
            return None
        self._check_truncation()
        parts = self._answer_parts()
        message = self.space.message(Role.ASSISTANT, parts) if parts else None
        if message is not None and message.calls:
            self._note(self._record_tools([message]))
        else:
            self._store(message, self._state())
        return self.exchange

    def break_off(self) -> Exchange | None:
        """Store what arrived before the turn broke off, as incomplete or unanswered.

        Returns:
            The exchange; None if nothing is recorded.
        """
        if not self.is_recorded:
            return None
        came = self._came
        self.reply.calls.clear()
        parts = self._answer_parts()
        message = self.space.message(Role.ASSISTANT, parts) if parts else None
        self._store(message, ExchangeState.INCOMPLETE if came else ExchangeState.UNANSWERED)
        return self.exchange

    @property
    def _came(self) -> bool:
        sent = self._synced is not None and bool(self._synced.rounds)
        return self._stepped or sent or bool(self._rounds) or bool("".join(self.reply.text))

    def _state(self) -> ExchangeState:
        if not self.reply.parts:
            return ExchangeState.INCOMPLETE if self._came else ExchangeState.UNANSWERED
        if self.reply.finish == "length":
            self.notes.append(TOO_LONG)
            return ExchangeState.INCOMPLETE
        return ExchangeState.COMPLETE

    def _answer_parts(self) -> list[Part]:
        parts = self.reply.parts
        rounds = (*(self._synced.rounds if self._synced else ()), *self._rounds)
        last = rounds[-1] if rounds else None
        if last is None or last.role is not Role.ASSISTANT or last.calls:
            return parts
        said = [part.text for part in parts if isinstance(part, Text)]
        thought = [part for part in parts if isinstance(part, Reasoning)]
        called = [part for part in parts if not isinstance(part, Text | Reasoning)]
        return [*thought, Text(last.text + "".join(said)), *called]

    def _store(self, message: Message | None, state: ExchangeState) -> None:
        usage = None if self._rounds else self.reply.usage
        self._note(
            record(
                self.space,
                self.context,
                message,
                state=state,
                usage=usage,
                model=self._options.model,
                begun=self._begun,
            )
        )

    def _record_tools(self, messages: Sequence[Message]) -> Recorded:
        recorded = record_tools(self.space, self.context, messages, self._begun)
        self._stepped = True
        return recorded

    def _note(self, recorded: Recorded) -> None:
        self._begun = recorded
        self.exchange = recorded.exchange
        self.notes += [note for note in recorded.notes if note not in self.notes]

    def _send(self, messages: Sequence[Message]) -> None:
        for group in rounds_of(messages):
            window = self.context.ledger.window
            sent, notes = within(group, self._room(), self._rounds, self._count, window)
            self._rounds += sent
            self.notes += notes
            self.tool_notes += notes

    def _count(self, messages: Sequence[Message]) -> int:
        return self.space.count_tokens(messages, self._options.model)

    def _room(self) -> int:
        ledger = self.context.ledger
        return ledger.window - ledger.prompt_tokens - self.context.budget.margin

    def _max_output(self) -> int | None:
        limit = self.context.max_output
        if limit is not None and self._rounds:
            limit = min(limit, max(1, self._room() - self._count(self._rounds)))
        if limit is not None and self._limit is not None:
            return min(limit, self._limit)
        return limit

    def _check_truncation(self) -> None:
        usage, planned = self.reply.usage, self.context.ledger.prompt_tokens
        if usage is None or usage.prompt is None or self._rounds:
            return
        missing = planned - usage.prompt
        if usage.prompt < SUSPICIOUS * planned and missing >= SUSPICIOUS_TOKENS:
            self.notes.append(
                f"The server counted {usage.prompt:,} prompt tokens instead of the planned {planned:,}:"
                " it may have cut the prompt. Raise its window, or set ours to what it has."
            )
