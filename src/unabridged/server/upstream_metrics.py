"""Calls: how long the upstream took, and what it reported, for the metrics and the trace."""

from collections.abc import AsyncIterator, Mapping
from time import perf_counter

from unabridged.errors import UnabridgedError
from unabridged.server.metrics import Metrics
from unabridged.server.stream_parser import StreamPiece
from unabridged.server.trace_spans import ModelSpan
from unabridged.server.upstream_request import RefusedError, UpstreamAnswer


class UpstreamCall:
    """One call of a model, from the question to the end of the answer.

    Args:
        metrics: What counts.
        span: What traces it; ended with the call.
    """

    def __init__(self, metrics: Metrics, span: ModelSpan) -> None:
        self._metrics = metrics
        self._span = span
        self._began = perf_counter()
        self._first = True

    def piece(self, piece: StreamPiece) -> None:
        """Take in a piece of the answer."""
        seconds = perf_counter() - self._began
        if piece.chunk is not None:
            if self._first:
                self._metrics.took("first_chunk", seconds)
            self._span.piece(piece.chunk, seconds, first=self._first)
            self._first = False
        if piece.last:
            self._metrics.took("whole", seconds)

    def failed(self, error: BaseException) -> None:
        """Say that it failed, and end it."""
        inner = error.error if isinstance(error, RefusedError) else error
        self._span.failed(type(inner).__name__)
        self.end()

    def end(self) -> None:
        """End it; a second call does nothing."""
        self._span.end()


class Watched:
    """An answer of which the call is told.

    Args:
        answer: The answer.
        call: The call.
    """

    def __init__(self, answer: UpstreamAnswer, call: UpstreamCall) -> None:
        self._answer = answer
        self._call = call

    @property
    def headers(self) -> Mapping[str, str]:
        """The upstream's headers."""
        return self._answer.headers

    async def pieces(self) -> AsyncIterator[StreamPiece]:
        """The answer, piece by piece; raises as the answer does."""
        try:
            async for piece in self._answer.pieces():
                self._call.piece(piece)
                yield piece
        except UnabridgedError as error:
            self._call.failed(error)
            raise

    async def close(self) -> None:
        """Let go of it."""
        self._call.end()
        await self._answer.close()
