"""The prompt of one request for the upstream, in any dialect."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from time import perf_counter
from typing import Any
from urllib.parse import urlsplit

from unabridged.domain.chat import ChatRequest, StreamChunk, ToolSpec
from unabridged.domain.context import Context
from unabridged.domain.exchange import QUOTING
from unabridged.domain.message import Message
from unabridged.domain.scope import Scope
from unabridged.errors import UnabridgedError
from unabridged.ports import ChatModel, Clock, SupportsRelay
from unabridged.server.chat_request import ChatApiRequest
from unabridged.server.client_credentials import with_address
from unabridged.server.local_answer import InnerAnswer, SaidAnswer
from unabridged.server.metrics import Metrics
from unabridged.server.state import Service
from unabridged.server.stream_parser import (
    Listener,
    MessagesListener,
    OllamaListener,
    OpenAIListener,
    StreamPiece,
)
from unabridged.server.trace_spans import ModelSpan
from unabridged.server.upstream_request import RefusedError, UpstreamAnswer, relayed
from unabridged.server.usual_window import in_window
from unabridged.space.space import Space
from unabridged.wire import anthropic_request, ollama, openai
from unabridged.wire.translate_options import options_for, without_private

_BODIES: Mapping[str, Callable[[ChatRequest, str], dict[str, Any]]] = {
    "anthropic": anthropic_request.body,
    "ollama": ollama.body,
    "openai": openai.body,
}
"""What makes the body of a request for a server, by its dialect."""

_NO_WISH = 4_096
"""From how many tokens on a limit of an answer is only what Anthropic's dialect requires.

Beside a long prompt, which is to be summarized, it would not fit the window of other servers.
"""


@dataclass(frozen=True, slots=True)
class UpstreamPrompt:
    """The prompt for the upstream.

    Attributes:
        window: Tokens for prompt and answer together, or None for the upstream's default.
        max_output: The limit of the answer in tokens, or None.
        onward: The body for an upstream of the client's dialect, or None.
        only: The only session that a memory may quote from, or None for all.
        session: Its session, or None without memory.
    """

    asked: ChatApiRequest
    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...]
    window: int | None
    max_output: int | None
    onward: Mapping[str, Any] | None
    only: str | None = None
    session: str | None = None

    def is_raw(self, model: ChatModel | None) -> bool:
        """Return whether a model's answer can be passed on byte for byte."""
        there = relaying(model)
        if there is None or self.onward is None:
            return False
        return there.address.dialect == self.asked.dialect


def with_memory(
    asked: ChatApiRequest, context: Context, sent: ChatRequest, only: str | None = None
) -> UpstreamPrompt:
    """Return the prompt of a request that memory has prepared."""
    limit = sent.max_output
    if asked.dialect == "anthropic" and limit is not None and sent.window is not None:
        room = sent.window - context.ledger.prompt_tokens - context.budget.margin
        limit = min(limit, max(1, room))  # else servers refuse a limit beyond their window
    return UpstreamPrompt(
        asked=asked,
        messages=tuple(sent.messages),
        tools=tuple(sent.tools),
        window=sent.window,
        max_output=limit,
        onward=asked.onward(context.edits, sent) if asked.onward and context.edits else None,
        only=only,
        session=context.scope.session,
    )


def without_memory(
    asked: ChatApiRequest, clock: Clock, window: int | None = None, *, unchanged: bool = False
) -> UpstreamPrompt:
    """Return the prompt of a request without memory.

    Args:
        asked: The request.
        clock: The time, and ids.
        window: The window for Ollama; None for the client's, or the upstream's own.
        unchanged: Whether an upstream of the client's dialect gets the body as it came.
    """
    now, limit = clock.now(), asked.request_options.max_output
    if asked.dialect == "anthropic" and limit and limit >= _NO_WISH:
        limit = None
    body = asked.body if unchanged or asked.dialect != "ollama" else in_window(asked.body, window)
    messages = (Message(clock.new_id(), draft.role, draft.parts, now) for draft in asked.drafts)
    return UpstreamPrompt(
        asked=asked,
        messages=tuple(messages),
        tools=asked.request_options.tools,
        window=window or asked.request_options.window,
        max_output=limit,
        onward=body if asked.onward else None,
    )


def for_upstream(asked: ChatApiRequest, model: ChatModel | None) -> ChatApiRequest:
    """Return a request with remarks on what its translation for a model leaves out.

    It may ask the model's server for its abilities: not for event loops.

    Args:
        asked: The request.
        model: The model; None for quotations.

    Raises:
        InputError: It contains something that the model's server cannot take.
    """
    there = relaying(model)
    inside = model.provider if model is not None else "quote"
    upstream = there.address.dialect if there else inside
    if asked.dialect == upstream:
        return asked
    if asked.dialect == "anthropic":
        notes = anthropic_request.check_translatable(asked.body, asked.drafts, upstream)
        # Its window and its limit are those of Anthropic's models, and the limit is no wish: the
        # dialect requires one.
        own = asked.request_options
        most = model.abilities().max_output if model is not None else None
        limit = min(own.max_output or most, most) if most else own.max_output
        asked = replace(asked, request_options=replace(own, window=None, max_output=limit))
    elif upstream == "anthropic":
        offered = asked.request_options.tools
        notes = anthropic_request.check_for_anthropic(asked.drafts, offered)
    else:
        notes = ()
    return replace(asked, notes=(*asked.notes, *notes)) if notes else asked


def relaying(model: object) -> SupportsRelay | None:
    """Return a model on a server, whose answers can be passed on, or None."""
    return model if isinstance(model, SupportsRelay) else None


async def put(
    service: Service, scope: Scope, model: ChatModel | None, question: UpstreamPrompt
) -> UpstreamAnswer:
    """Send a prompt; return the answer once it begins. Count and trace it.

    Without a model the answer quotes the memory of the scope.

    Raises:
        RefusedError: The server returned an error.
        UpstreamError: The server does not answer.
        UnabridgedError: The prompt cannot be sent.
    """
    span, began = _span(service, model), perf_counter()
    try:
        said = await _asked(service, scope, model, question)
    except BaseException as error:
        span.failed(type(error.error if isinstance(error, RefusedError) else error).__name__)
        span.end()
        raise
    return _WatchedAnswer(said, service.metrics, span, began)


class _WatchedAnswer:
    # An answer whose call is counted and traced, from the prompt to its end.

    def __init__(
        self, answer: UpstreamAnswer, metrics: Metrics, span: ModelSpan, began: float
    ) -> None:
        self._answer = answer
        self._metrics = metrics
        self._span = span
        self._began = began
        self._first = True

    @property
    def headers(self) -> Mapping[str, str]:
        return self._answer.headers

    async def pieces(self) -> AsyncIterator[Sequence[StreamPiece]]:
        try:
            async for pieces in self._answer.pieces():
                self._note(pieces)
                yield pieces
        except UnabridgedError as error:
            self._span.failed(type(error).__name__)
            self._span.end()
            raise

    async def close(self) -> None:
        self._span.end()
        await self._answer.close()

    def _note(self, pieces: Sequence[StreamPiece]) -> None:
        seconds = perf_counter() - self._began
        for chunk in (piece.chunk for piece in pieces):
            if chunk is not None and (self._first or chunk.done):
                if self._first:
                    self._metrics.took("first_chunk", seconds)
                self._span.piece(chunk, seconds, first=self._first)
                self._first = False
        if pieces and pieces[-1].last:
            self._metrics.took("whole", seconds)


def _span(service: Service, model: ChatModel | None) -> ModelSpan:
    if model is None:
        return service.tracing.asking(QUOTING, QUOTING)
    there = relaying(model)
    url = urlsplit(there.address.url) if there else urlsplit("")
    address, port = url.hostname or "", url.port or 0
    return service.tracing.asking(model.provider, model.model, address=address, port=port)


async def _asked(
    service: Service, scope: Scope, model: ChatModel | None, question: UpstreamPrompt
) -> UpstreamAnswer:
    if model is None:
        request = _request(question, "openai")

        def quoted(space: Space) -> list[StreamChunk]:
            return list(space.quoting(question.session, question.only).chat(request))

        return SaidAnswer(await service.run(scope, quoted))
    there = relaying(model)
    relay = service.relay_to(there.address) if there else None
    if relay is None or there is None:
        return InnerAnswer(model, _request(question, "openai"))
    dialect = relay.address.dialect
    if question.is_raw(model) and question.onward is not None:
        body: Mapping[str, Any] = question.onward
    else:
        body = _BODIES[dialect](_request(question, dialect), model.model)
    asked, raw = question.asked, question.is_raw(model)
    listener = partial(_listener, dialect, question, usage=asked.usage if raw else True)
    if not raw:
        return await relayed(relay, there, body, listener, question.window)
    return await relayed(
        relay,
        there,
        body,
        listener,
        question.window,
        headers=with_address(asked.headers, relay.address),
        query=asked.query,
        came=(asked.body, asked.raw) if asked.raw else None,
    )


def _request(question: UpstreamPrompt, upstream: str) -> ChatRequest:
    asked, messages = question.asked, question.messages
    if asked.dialect == "anthropic":
        messages = tuple(anthropic_request.translated(one, upstream) for one in messages)
    elif upstream == "anthropic":
        messages = tuple(map(anthropic_request.for_anthropic, messages))
    if asked.options is None:
        options: Mapping[str, Any] = options_for(asked.dialect, upstream, asked.body)
    else:
        options = asked.options(upstream)
    return ChatRequest(
        messages=messages,
        tools=question.tools,
        window=question.window,
        max_output=question.max_output,
        options=without_private(options),
    )


def _listener(dialect: str, question: UpstreamPrompt, *, usage: bool) -> Listener:
    if dialect == "anthropic":
        return MessagesListener()
    if dialect == "openai":
        return OpenAIListener(usage=usage)
    return OllamaListener(sum(len(message.calls) for message in question.messages))
