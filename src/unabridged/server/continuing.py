"""Going on with a text at an upstream of the other dialect: asked in its words, told in ours."""

from collections.abc import Iterator, Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from unabridged.domain.chat import Chunk
from unabridged.remote.relay import Relay
from unabridged.server.asked import Asked, Moment
from unabridged.server.asking import RelayedAnswer
from unabridged.server.deliver import Delivery
from unabridged.server.flow import Writing
from unabridged.server.leaving import while_there
from unabridged.server.listening import Listener, Piece
from unabridged.server.listing import refused
from unabridged.server.service import service_of
from unabridged.wire import continuing as wire
from unabridged.wire.lines import Events, Lines, decode, encode
from unabridged.wire.openai import DONE

_JSON = {"content-type": "application/json"}


class GenerateListener:
    """Reads the lines of ``/api/generate``."""

    def __init__(self) -> None:
        self._lines = Lines()

    def feed(self, data: bytes) -> Iterator[Piece]:
        """Take the next bytes."""
        return map(self._piece, self._lines.feed(data))

    def end(self) -> Iterator[Piece]:
        """Take note that there are no more."""
        return map(self._piece, self._lines.end())

    def whole(self, body: bytes) -> Iterator[Piece]:
        """Take an answer that came as one object."""
        yield self._piece(body)

    def _piece(self, line: bytes) -> Piece:
        chunk = wire.generated(decode(line))
        return Piece(b"", chunk, last=chunk.done)


class CompletionsListener:
    """Reads the events of ``/v1/completions``; the last is told when its usage is known."""

    def __init__(self) -> None:
        self._events = Events()
        self._last: Chunk | None = None
        self._told = False

    def feed(self, data: bytes) -> Iterator[Piece]:
        """Take the next bytes."""
        for said in self._events.feed(data):
            yield from self._pieces(said)

    def end(self) -> Iterator[Piece]:
        """Take note that there are no more."""
        for said in self._events.end():
            yield from self._pieces(said)
        yield from self._ended()

    def whole(self, body: bytes) -> Iterator[Piece]:
        """Take an answer that came as one object."""
        yield from self._pieces(body.decode("utf-8", "replace"))
        yield from self._ended()

    def _pieces(self, said: str) -> Iterator[Piece]:
        if said.strip() == DONE:
            yield from self._ended()
            return
        chunk = wire.completed(decode(said))
        if chunk is None:
            return
        if chunk.done:
            self._last = chunk
        else:
            yield Piece(b"", chunk)

    def _ended(self) -> Iterator[Piece]:
        if self._last is not None and not self._told:
            self._told = True
            yield Piece(b"", self._last, last=True)


def _heard_by_nobody(_: Chunk) -> None:
    """Texts that are gone on with are not recorded."""


async def _kept_nowhere(*, broken: bool) -> None:
    """Texts that are gone on with are not recorded."""


async def continued(
    request: Request,
    relay: Relay,
    asked: Asked,
    body: Mapping[str, Any],
    writing: Writing,
) -> Response:
    """Ask an upstream of the other dialect to go on with a text, and tell what it says.

    Args:
        request: The client's.
        relay: The way to the upstream.
        asked: What the client asks.
        body: The request in the upstream's dialect.
        writing: Makes what says the answer in the client's.

    Raises:
        UpstreamError: It does not answer, or refuses.
        ClientLeftError: The client left before the answer began.
    """
    there = relay.address.dialect
    path = "/api/generate" if there == "ollama" else "/completions"
    reply = await while_there(request, relay.open("POST", path, encode(body), _JSON))
    if reply.status >= 400:
        raise await refused(reply)
    clock = service_of(request).clock
    moment = Moment(id=clock.new_id(), at=clock.now(), model=asked.model, clock=clock)
    listener: Listener = GenerateListener() if there == "ollama" else CompletionsListener()
    delivery = Delivery(
        RelayedAnswer(reply, listener, stream=asked.stream),
        writing(asked, moment),
        _heard_by_nobody,
        _kept_nowhere,
        raw=False,
        stream=asked.stream,
        headers={},
    )
    return await delivery.respond(request)
