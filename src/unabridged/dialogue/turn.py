"""A turn: one message to its answer, with everything between, and nothing lost on the way."""

from collections.abc import Generator, Iterator, Sequence
from typing import Protocol

from unabridged.dialogue.events import Begun, Called, Delta, Event, Finished, Prepared, Returned
from unabridged.dialogue.reply import Reply
from unabridged.dialogue.rounds import stopped, within
from unabridged.dialogue.tools import Tool, call_tool
from unabridged.domain.chat import ChatRequest, Usage
from unabridged.domain.context import Context
from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.message import (
    Message,
    Part,
    Role,
    ToolResult,
)
from unabridged.errors import ContextRefusedError
from unabridged.ports import ChatModel

MOST_ROUNDS = 12
"""Tool rounds of one turn; after them the model is asked without tools."""
SUSPICIOUS = 0.7
"""A reported prompt under this share of the planned one looks like a truncation."""
SUSPICIOUS_TOKENS = 256
"""… if it is off by at least so many tokens."""


class Engine(Protocol):
    """What a turn needs of the facade."""

    def begin(self, context: Context) -> Exchange:
        """Store the user's message."""
        ...

    def prepare_again(self, context: Context, refusal: ContextRefusedError) -> Context:
        """Prepare the same message with the token ratio that the refusal taught."""
        ...

    def step(self, context: Context, messages: Sequence[Message]) -> Exchange:
        """Store a tool round."""
        ...

    def record(
        self,
        context: Context,
        reply: Message | None,
        *,
        state: ExchangeState,
        usage: Usage | None,
    ) -> Exchange:
        """Store the answer, or that none came."""
        ...

    def message(self, role: Role, parts: Sequence[Part]) -> Message:
        """Make a message with a fresh id and the time."""
        ...

    def weigh(self, messages: Sequence[Message]) -> int:
        """Count what messages take in a prompt, in tokens."""
        ...

    def remarks(self) -> list[str]:
        """What a person should know of what was not stored, since this was asked last."""
        ...


class Turn:
    """One message on its way to an answer. Iterate it to stream; it can be iterated once.

    Whatever ends it early (``stop``, an error, Ctrl-C, a generator closed), what came is stored as
    incomplete, or the exchange as unanswered.

    Attributes:
        context: The context that was sent.
        exchange: The exchange as stored, after the end.
        notes: What a person should know: a second preparation, a suspected truncation, a tool's
            result that did not fit, an answer that reached its limit.
    """

    def __init__(
        self,
        engine: Engine,
        model: ChatModel,
        context: Context,
        tools: Sequence[Tool] = (),
    ) -> None:
        self.context = context
        self.exchange: Exchange | None = None
        self.notes: list[str] = []
        self._said: list[str] = []
        self._engine = engine
        self._model = model
        self._tools = tools
        self._rounds: list[Message] = []
        self._stepped = False
        self._events = self._run()

    def __iter__(self) -> Iterator[Event]:
        return self._events

    @property
    def text(self) -> str:
        """The words of the answer so far."""
        return "".join(self._said)

    def stop(self) -> None:
        """End the answer here; what came is kept."""
        self._events.close()

    def finish(self) -> Exchange:
        """Run to the end without looking, and give the exchange."""
        for _ in self._events:
            pass
        if self.exchange is None:
            self.exchange = self._engine.record(
                self.context, None, state=ExchangeState.UNANSWERED, usage=None
            )
        return self.exchange

    def _run(self) -> Generator[Event, None, None]:
        yield Prepared(self.context)
        self._engine.begin(self.context)
        reply = Reply()
        try:
            yield Begun(self.context.id)
            for round_number in range(MOST_ROUNDS + 1):
                reply = Reply()
                offer = round_number < MOST_ROUNDS
                yield from self._ask(reply, offer=offer)
                if not reply.calls:
                    break
                yield from self._answer_calls(reply)
        except BaseException:
            self._keep(reply)
            raise
        self._check(reply.usage)
        self.exchange = self._store(reply, self._state(reply))
        yield Finished(self.exchange, reply.usage, reply.finish)

    def _ask(self, reply: Reply, *, offer: bool) -> Iterator[Event]:
        """One request; refused for its length, it is prepared once more."""
        try:
            yield from self._stream(reply, offer=offer)
        except ContextRefusedError as refusal:
            if self._rounds or reply.parts:
                raise
            self.context = self._engine.prepare_again(self.context, refusal)
            self.notes.append("The server refused the prompt for its length; it was made shorter.")
            yield Prepared(self.context)
            yield from self._stream(reply, offer=offer)

    def _stream(self, reply: Reply, *, offer: bool) -> Iterator[Event]:
        """Stream one answer."""
        context = self.context
        request = ChatRequest(
            messages=(*context.prompt, *self._rounds),
            tools=context.tools or () if offer else (),
            window=context.ledger.window,
            max_output=self._limit(),
        )
        chunks = self._model.chat(request)
        try:
            for chunk in chunks:
                reply.add(chunk)
                self._said.append(chunk.text)
                if chunk.text or chunk.reasoning:
                    yield Delta(chunk.text, chunk.reasoning)
        finally:
            close = getattr(chunks, "close", None)
            if close is not None:
                close()

    def _limit(self) -> int | None:
        """The limit of the answer, by what the tool rounds have left of the window."""
        limit = self.context.max_output
        if limit is None or not self._rounds:
            return limit
        return min(limit, max(1, self._room() - self._engine.weigh(self._rounds)))

    def _room(self) -> int:
        """Tokens of the window for tool rounds and answer."""
        ledger = self.context.ledger
        return ledger.window - ledger.prompt_tokens - self.context.budget.margin

    def _answer_calls(self, reply: Reply) -> Iterator[Event]:
        """Run the calls of a round and store calls and results together.

        Raises:
            PromptTooLargeError: The calls alone exceed what the window has left.
        """
        results: list[ToolResult] = []
        try:
            for call in reply.calls:
                yield Called(call)
                results.append(call_tool(self._tools, call))
                yield Returned(results[-1])
        except BaseException:
            self._keep_round(reply, results + [stopped(c) for c in reply.calls[len(results) :]])
            raise
        told = self._keep_round(reply, results)
        sent, notes = within(told, self._room(), [*self._rounds], self._engine.weigh, self.context)
        self._rounds += sent
        self.notes += notes

    def _keep_round(self, reply: Reply, results: Sequence[ToolResult]) -> list[Message]:
        """Store a round; give it as it was stored."""
        asked = self._engine.message(Role.ASSISTANT, reply.parts)
        told = [asked, *(self._engine.message(Role.TOOL, [result]) for result in results)]
        self._engine.step(self.context, told)
        self._stepped = True
        reply.clear()
        return told

    def _state(self, reply: Reply) -> ExchangeState:
        """The state of an exchange whose stream came to its end."""
        if not reply.parts:
            return ExchangeState.INCOMPLETE if self._stepped else ExchangeState.UNANSWERED
        if reply.finish == "length":
            self.notes.append("The answer reached the limit of its length and is incomplete.")
            return ExchangeState.INCOMPLETE
        return ExchangeState.COMPLETE

    def _keep(self, reply: Reply) -> None:
        """Store what came before the turn broke off."""
        came = self._stepped or "".join(reply.text)
        reply.calls.clear()
        state = ExchangeState.INCOMPLETE if came else ExchangeState.UNANSWERED
        self.exchange = self._store(reply, state)

    def _store(self, reply: Reply, state: ExchangeState) -> Exchange:
        """Store the answer."""
        parts = reply.parts
        message = self._engine.message(Role.ASSISTANT, parts) if parts else None
        usage = None if self._rounds else reply.usage
        stored = self._engine.record(self.context, message, state=state, usage=usage)
        self.notes += self._engine.remarks()
        return stored

    def _check(self, usage: Usage | None) -> None:
        """Say it where the server seems to have cut the prompt."""
        planned = self.context.ledger.prompt_tokens
        if usage is None or usage.prompt is None or self._rounds:
            return
        missing = planned - usage.prompt
        if usage.prompt < SUSPICIOUS * planned and missing >= SUSPICIOUS_TOKENS:
            self.notes.append(
                f"The server counted {usage.prompt:,} prompt tokens where {planned:,} were planned:"
                " it may have cut the prompt. Raise its window, or set ours to what it has."
            )
