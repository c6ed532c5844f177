"""Runs a turn with a model that is at hand, and its tools."""

from collections.abc import Generator, Iterator, Sequence

from unabridged.domain.chat import ChatRequest
from unabridged.domain.context import Context
from unabridged.domain.exchange import Exchange
from unabridged.domain.message import ToolResult
from unabridged.errors import ContextRefusedError
from unabridged.ports import ChatModel
from unabridged.space.tools import Tool, call_tool
from unabridged.turn.events import Begun, Called, Delta, Event, Finished, Prepared, Returned
from unabridged.turn.tool_rounds import stopped
from unabridged.turn.turn import Turn

MOST_ROUNDS = 12
"""Tool rounds of one turn; after them the model is asked without tools."""


def run(turn: Turn, model: ChatModel, tools: Sequence[Tool] = ()) -> Generator[Event, None, None]:
    """Ask a model until the turn has its answer, and yield what happens.

    Whatever ends it early (an error, Ctrl-C, the generator closed), what came is stored as
    incomplete, or the exchange as unanswered.
    """
    yield Prepared(turn.context)
    request = turn.start()
    try:
        yield Begun(turn.context.id)
        for number in range(MOST_ROUNDS + 1):
            yield from _ask(turn, model, request)
            if not turn.calls:
                break
            results = yield from _call(turn, tools)
            request = turn.answer_calls(results, tools=number + 1 < MOST_ROUNDS)
    except BaseException:
        turn.break_off()
        raise
    exchange = turn.finish()
    if exchange is not None:
        yield Finished(exchange, turn.usage, turn.reply.finish)


def _ask(turn: Turn, model: ChatModel, request: ChatRequest) -> Iterator[Event]:
    try:
        yield from _stream(turn, model, request)
    except ContextRefusedError as refusal:
        before = turn.context
        request = turn.refused(refusal)
        if turn.context is not before:
            yield Prepared(turn.context)
        yield from _stream(turn, model, request)


def _stream(turn: Turn, model: ChatModel, request: ChatRequest) -> Iterator[Event]:
    chunks = model.chat(request)
    try:
        for chunk in chunks:
            turn.receive(chunk)
            if chunk.text or chunk.reasoning:
                yield Delta(chunk.text, chunk.reasoning)
    finally:
        close = getattr(chunks, "close", None)
        if close is not None:
            close()


def _call(turn: Turn, tools: Sequence[Tool]) -> Generator[Event, None, list[ToolResult]]:
    results: list[ToolResult] = []
    calls = list(turn.calls)
    try:
        for call in calls:
            yield Called(call)
            results.append(call_tool(tools, call))
            yield Returned(results[-1])
    except BaseException:
        turn.keep_calls(results + [stopped(call) for call in calls[len(results) :]])
        raise
    return results


class Reply:
    """An answer on its way. Iterate it to stream; it can be iterated once.

    Whatever ends it early (``stop``, an error, Ctrl-C), what came is stored as incomplete, or the
    exchange as unanswered.
    """

    def __init__(self, turn: Turn, model: ChatModel, tools: Sequence[Tool] = ()) -> None:
        self.turn = turn
        self.model = model
        self._events = run(turn, model, tools)

    def __iter__(self) -> Iterator[Event]:
        return self._events

    @property
    def text(self) -> str:
        """The words of the answer so far."""
        return self.turn.text

    @property
    def context(self) -> Context:
        """The context that was sent."""
        return self.turn.context

    @property
    def exchange(self) -> Exchange | None:
        """The exchange as stored, after the end."""
        return self.turn.exchange

    @property
    def notes(self) -> list[str]:
        """What a person should know."""
        return self.turn.notes

    def stop(self) -> None:
        """End the answer here; what came is kept."""
        self._events.close()

    def finish(self) -> Exchange:
        """Run to the end, and return the exchange.

        Raises:
            UpstreamError: The model could not answer; what came is stored.
        """
        for _ in self._events:
            pass
        exchange = self.turn.exchange or self.turn.break_off()
        if exchange is None:
            raise AssertionError("what is said in a reply is recorded")
        return exchange
