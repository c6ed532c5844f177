"""Continue a text with an upstream of the other dialect."""

from collections.abc import Iterator, Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from unabridged.domain.chat import StreamChunk
from unabridged.net.relay import UpstreamRelay
from unabridged.server.chat_flow import Writing
from unabridged.server.chat_request import AnswerInfo, ChatApiRequest
from unabridged.server.client_disconnect import while_there
from unabridged.server.model_lists import refused
from unabridged.server.state import service_of
from unabridged.server.stream_answer import AnswerStream
from unabridged.server.stream_parser import Listener, StreamPiece
from unabridged.server.upstream_request import RelayedAnswer
from unabridged.server.usual_window import in_usual_window
from unabridged.wire import text_completion as wire
from unabridged.wire.openai import DONE
from unabridged.wire.stream_lines import Events, Lines, decode, encode

_JSON = {"content-type": "application/json"}


class GenerateListener:
    """Parses the lines of ``/api/generate``."""

    def __init__(self) -> None:
        self._lines = Lines()

    def feed(self, data: bytes) -> Iterator[StreamPiece]:
        """Parse the next bytes."""
        return map(self._piece, self._lines.feed(data))

    def end(self) -> Iterator[StreamPiece]:
        """Finish: there are no more bytes."""
        return map(self._piece, self._lines.end())

    def whole(self, body: bytes) -> Iterator[StreamPiece]:
        """Parse an answer that is one object."""
        yield self._piece(body)

    def _piece(self, line: bytes) -> StreamPiece:
        chunk = wire.generated(decode(line))
        return StreamPiece(b"", chunk, last=chunk.done)


class CompletionsListener:
    """Parses the events of ``/v1/completions``; the last is yielded once its usage is known."""

    def __init__(self) -> None:
        self._events = Events()
        self._last: StreamChunk | None = None
        self._told = False

    def feed(self, data: bytes) -> Iterator[StreamPiece]:
        """Parse the next bytes."""
        for said in self._events.feed(data):
            yield from self._pieces(said)

    def end(self) -> Iterator[StreamPiece]:
        """Finish: there are no more bytes."""
        for said in self._events.end():
            yield from self._pieces(said)
        yield from self._ended()

    def whole(self, body: bytes) -> Iterator[StreamPiece]:
        """Parse an answer that is one object."""
        yield from self._pieces(body.decode("utf-8", "replace"))
        yield from self._ended()

    def _pieces(self, said: str) -> Iterator[StreamPiece]:
        if said.strip() == DONE:
            yield from self._ended()
            return
        chunk = wire.completed(decode(said))
        if chunk is None:
            return
        if chunk.done:
            self._last = chunk
        else:
            yield StreamPiece(b"", chunk)

    def _ended(self) -> Iterator[StreamPiece]:
        if self._last is not None and not self._told:
            self._told = True
            yield StreamPiece(b"", self._last, last=True)


async def continued(
    request: Request,
    relay: UpstreamRelay,
    asked: ChatApiRequest,
    body: Mapping[str, Any],
    writing: Writing,
) -> Response:
    """Let an upstream of the other dialect continue a text; return its answer.

    The body is in the upstream's dialect; the writer writes the answer in the client's.

    Raises:
        UpstreamError: The upstream does not answer, or refuses.
        ClientLeftError: The client left before the answer began.
    """
    there = relay.address.dialect
    path = "/api/generate" if there == "ollama" else "/completions"
    sent = await in_usual_window(request, body) if there == "ollama" else encode(body)
    reply = await while_there(request, relay.open("POST", path, sent, _JSON))
    if reply.status >= 400:
        raise await refused(reply)
    clock = service_of(request).clock
    moment = AnswerInfo(id=clock.new_id(), at=clock.now(), model=asked.model, clock=clock)
    listener: Listener = GenerateListener() if there == "ollama" else CompletionsListener()
    delivery = AnswerStream(
        RelayedAnswer(reply, listener, stream=asked.stream),
        writing(asked, moment),
        stream=asked.stream,
    )
    return await delivery.respond(request)
