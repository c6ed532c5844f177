"""Runs a turn with a model and its tools: the reply that ``chat`` returns."""

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import replace
from threading import Event as Flag, Lock
from typing import Self

from unabridged.domain.chat import ChatRequest
from unabridged.domain.context import Context
from unabridged.domain.exchange import Exchange
from unabridged.domain.message import ToolResult
from unabridged.domain.short_repr import quoted, short
from unabridged.errors import ContextRefusedError, UpstreamError
from unabridged.ports import ChatModel
from unabridged.space.tools import Tool, call_tool
from unabridged.turn.events import Begun, Called, Delta, Event, Finished, Prepared, Returned
from unabridged.turn.tool_rounds import stopped
from unabridged.turn.turn import Turn

MOST_ROUNDS = 12
"""Tool rounds of one turn; after them the model is asked without tools."""
NO_END = "The model called tools {rounds} times and gave no answer; it was asked no further."
STOP_SECONDS = 1.0
"""The longest that ``stop`` waits for a step that runs in another thread."""


def run(
    turn: Turn,
    model: ChatModel,
    tools: Sequence[Tool] = (),
    opened: Callable[[Callable[[], None]], None] | None = None,
) -> Generator[Event, None, None]:
    """Ask a model until the turn has its answer, and yield what happens.

    Whatever ends it early (an error, Ctrl-C, the generator closed), what came is stored as
    incomplete, or the exchange as unanswered.

    Args:
        turn: The turn.
        model: The model.
        tools: The tools that it may call.
        opened: Called with what closes each connection to the model; see ``ChatRequest``.
    """
    yield Prepared(turn.context)
    request = turn.start()
    try:
        yield Begun(turn.context.id)
        for number in range(MOST_ROUNDS + 1):
            yield from _ask(turn, model, replace(request, opened=opened))
            if not turn.calls:
                break
            results = yield from _call(turn, tools)
            request = turn.answer_calls(results, tools=number + 1 < MOST_ROUNDS)
        else:
            turn.notes.append(NO_END.format(rounds=MOST_ROUNDS + 1))
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
        shorter = replace(turn.refused(refusal), opened=request.opened)
        if turn.context is not before:
            yield Prepared(turn.context)
        yield from _stream(turn, model, shorter)


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
    """An answer on its way. Iterate it for pieces of text; it is asked for as it is iterated.

    Whatever ends it early (``stop``, an error, Ctrl-C, the memory closes), what came is stored as
    incomplete, or the exchange as unanswered. As a context manager it stops at the end of the block.

    Attributes:
        turn: The turn behind it.
        model: The model that answers.
    """

    def __init__(self, turn: Turn, model: ChatModel, tools: Sequence[Tool] = ()) -> None:
        self.turn = turn
        self.model = model
        self._events = run(turn, model, tools, self._opened)
        self._advancing = Lock()
        self._stopped = Flag()
        self._close: Callable[[], None] | None = None
        turn.space.stop_on_close(self)

    def __iter__(self) -> Iterator[str]:
        return (event.text for event in self.events() if isinstance(event, Delta) and event.text)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def __repr__(self) -> str:  # type: ignore[explicit-override]  # typing.override came with 3.12
        state = self.exchange.state if self.exchange else "not begun"
        return short(self, self.context.id, state, quoted(self.turn.text))

    def events(self) -> Iterator[Event]:
        """Return an iterator over what happens: the context, pieces of text, tool calls, the end.

        Iterating the reply and its events takes turns on the same stream.

        Raises:
            HeadMovedError: Another writer was faster; nothing was sent.
            UpstreamError: The model did not answer; what came is stored.
        """
        while (event := self._next()) is not None:
            yield event

    def _next(self) -> Event | None:
        with self._advancing:
            if self._stopped.is_set():
                self._events.close()
                return None
            try:
                return next(self._events, None)
            except UpstreamError:
                if self._stopped.is_set():  # the stop closed the connection
                    return None
                raise

    def text(self) -> str:
        """Run to the end, and return the whole text.

        Raises:
            UpstreamError: The model did not answer; what came is stored.
        """
        for _ in self.events():
            pass
        return self.turn.text

    def finish(self) -> Exchange:
        """Run to the end, and return the exchange as stored.

        Raises:
            UpstreamError: The model did not answer; what came is stored.
        """
        self.text()
        exchange = self.turn.exchange or self.turn.break_off()
        if exchange is None:
            raise AssertionError("what is said in a reply is recorded")
        return exchange

    def stop(self) -> None:
        """End the answer here, and close the connection to the model; what came is stored.

        Any thread may call it. If a tool or a model without a connection is running in another
        thread, it is waited for up to a second; what came is stored when it returns.
        """
        self._stopped.set()
        if self._close is not None:
            self._close()
        if self._advancing.acquire(timeout=STOP_SECONDS):
            try:
                self._events.close()
            finally:
                self._advancing.release()

    def _opened(self, close: Callable[[], None]) -> None:
        self._close = close
        if self._stopped.is_set():
            close()

    @property
    def context(self) -> Context:
        """The context that is sent."""
        return self.turn.context

    @property
    def exchange(self) -> Exchange | None:
        """The exchange as it is stored; None before it is begun."""
        return self.turn.exchange

    @property
    def notes(self) -> list[str]:
        """Sentences for a person: a suspected truncation, what was not stored."""
        return self.turn.notes
