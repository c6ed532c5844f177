"""Asking the upstream: one request to it, and its answer as frames and chunks as they arrive.

A frame is what is passed on byte for byte where client and upstream speak the same dialect; a
chunk is what it says. An upstream inside this process gives chunks only.
"""

import asyncio
import queue
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Protocol

import msgspec

from unabridged.domain.chat import ChatRequest, Chunk
from unabridged.errors import UnabridgedError, UpstreamBrokenError, UpstreamError
from unabridged.ports import ChatModel, SupportsRelay
from unabridged.remote.relay import Relay, Reply
from unabridged.wire import ollama, openai
from unabridged.wire.faults import refusal, refusal_of
from unabridged.wire.lines import Frames, Lines, data_of, encode

_JSON = {"content-type": "application/json"}
_PATHS = {"ollama": "/api/chat", "openai": "/chat/completions"}
_HELD = 64
"""Chunks of an upstream inside this process that may wait for the client to take them."""


@dataclass(frozen=True, slots=True)
class Piece:
    """What arrived.

    Attributes:
        frame: As it came, to be passed on; empty where there is no such thing.
        chunk: What it says; None where it says nothing for the reader.
        quiet: Whether it is not passed on: nobody asked for it.
        last: Whether it ends the answer.
    """

    frame: bytes
    chunk: Chunk | None
    quiet: bool = False
    last: bool = False


class RefusedError(Exception):
    """The upstream answered with an error.

    Args:
        error: As a typed error.
        status: Its status.
        headers: Its headers.
        body: Its body, byte for byte.
    """

    def __init__(
        self, error: UpstreamError, status: int, headers: Mapping[str, str], body: bytes
    ) -> None:
        super().__init__(str(error))
        self.error = error
        self.status = status
        self.headers = headers
        self.body = body


class Answer(Protocol):
    """An answer that has begun."""

    @property
    def headers(self) -> Mapping[str, str]:
        """The upstream's headers; empty where it has none."""
        ...

    def pieces(self) -> AsyncIterator[Piece]:
        """Give it as it arrives; raises ``UpstreamError`` where it breaks off."""
        ...

    async def close(self) -> None:
        """Stop the upstream where the answer did not come to its end."""
        ...


class RelayedAnswer:
    """An answer of a server, whose frames can be passed on.

    Args:
        reply: The answer.
        listener: What reads its dialect.
        stream: Whether it comes in pieces; else as one object.
    """

    def __init__(self, reply: Reply, listener: "Listener", *, stream: bool) -> None:
        self._reply = reply
        self._listener = listener
        self._stream = stream

    @property
    def headers(self) -> Mapping[str, str]:
        """The upstream's headers."""
        return self._reply.headers

    async def pieces(self) -> AsyncIterator[Piece]:
        """Give it as it arrives."""
        if not self._stream:
            for piece in self._listener.whole(await self._reply.read()):
                yield piece
            return
        async for data in self._reply.pieces():
            for piece in self._listener.feed(data):
                yield piece
        for piece in self._listener.end():
            yield piece

    async def close(self) -> None:
        """Close the connection."""
        await self._reply.close()


class Listener(Protocol):
    """Reads one answer of a dialect."""

    def feed(self, data: bytes) -> Iterator[Piece]:
        """Take the next bytes."""
        ...

    def end(self) -> Iterator[Piece]:
        """Take note that there are no more."""
        ...

    def whole(self, body: bytes) -> Iterator[Piece]:
        """Take an answer that came as one object."""
        ...


class OllamaListener:
    """Reads lines of JSON.

    Args:
        calls_before: Tool calls in the prompt, so that those of servers that give no ids differ.
    """

    def __init__(self, calls_before: int = 0) -> None:
        self._lines = Lines()
        self._assembler = ollama.Assembler(calls_before)

    def feed(self, data: bytes) -> Iterator[Piece]:
        """Take the next bytes."""
        return map(self._piece, self._lines.feed(data))

    def end(self) -> Iterator[Piece]:
        """Take note that there are no more."""
        yield from map(self._piece, self._lines.end())
        self._assembler.end()

    def whole(self, body: bytes) -> Iterator[Piece]:
        """Take an answer that came as one object."""
        yield self._piece(body)
        self._assembler.end()

    def _piece(self, line: bytes) -> Piece:
        chunk = self._assembler.feed(_object(line))
        return Piece(line + b"\n", chunk, last=chunk is not None and chunk.done)


class OpenAIListener:
    """Reads server-sent events.

    Args:
        usage: Whether the client asked for the event that tells the usage.
    """

    def __init__(self, *, usage: bool) -> None:
        self._frames = Frames()
        self._assembler = openai.Assembler()
        self._usage = usage
        self._done = False

    def feed(self, data: bytes) -> Iterator[Piece]:
        """Take the next bytes."""
        return map(self._piece, self._frames.feed(data))

    def end(self) -> Iterator[Piece]:
        """Take note that there are no more."""
        yield from map(self._piece, self._frames.end())
        if not self._done:
            yield Piece(b"data: [DONE]\n\n", self._assembler.end(), last=True)

    def whole(self, body: bytes) -> Iterator[Piece]:
        """Take an answer that came as one object."""
        said = self._assembler.feed(_object(body))
        last = self._assembler.end()
        yield Piece(b"", said, quiet=True)
        yield Piece(body, last, last=True)

    def _piece(self, frame: bytes) -> Piece:
        data = data_of(frame)
        if not data:
            return Piece(frame, None)
        if data.strip() == b"[DONE]":
            self._assembler.done()
            self._done = True
            return Piece(frame, self._assembler.end(), last=True)
        event = _object(data)
        chunk = self._assembler.feed(event)
        tells_usage = not event.get("choices") and "usage" in event
        return Piece(frame, chunk, quiet=tells_usage and not self._usage)


def _object(data: bytes) -> dict[str, Any]:
    """Read one JSON object of a stream.

    Raises:
        UpstreamBrokenError: It is none.
    """
    try:
        value = msgspec.json.decode(data)
    except msgspec.DecodeError as error:
        raise _no_json(data) from error
    if not isinstance(value, dict):
        raise _no_json(data)
    return value


def _no_json(data: bytes) -> UpstreamBrokenError:
    """The error; it does not say what came, which may be words of the conversation."""
    return UpstreamBrokenError(
        f"The server sent {len(data):,} bytes that are no JSON object.",
        hint="Check that the address is a model server's; if it is, ask again.",
    )


async def relayed(
    relay: Relay,
    model: SupportsRelay,
    body: Mapping[str, Any],
    listener: Callable[[], Listener],
) -> RelayedAnswer:
    """Ask a server; give its answer when it has begun.

    Args:
        relay: The way to it.
        model: The model that is asked, which knows its server's accent.
        body: The request in the server's dialect.
        listener: Makes what reads the answer.

    Raises:
        RefusedError: It answered with an error.
        UpstreamError: It does not answer.
    """
    path = _PATHS[relay.address.dialect]
    while True:
        reply = await relay.open("POST", path, encode(model.accent(body)), _JSON)
        if reply.status < 400:
            return RelayedAnswer(reply, listener(), stream=bool(body.get("stream")))
        try:
            said = await reply.read()
        finally:
            await reply.close()
        error = _error_of(reply.status, said)
        if not model.mend(error):
            raise RefusedError(error, reply.status, reply.headers, said)


def _error_of(status: int, body: bytes) -> UpstreamError:
    """A refusal as a typed error."""
    try:
        value = msgspec.json.decode(body)
    except msgspec.DecodeError:
        value = None
    found = refusal_of(value, status) if isinstance(value, dict) else None
    return found or refusal(body[:200].decode("utf-8", "replace"), status=status)


class InnerAnswer:
    """An answer of a model inside this process: asked in a thread, taken as it comes.

    Args:
        model: The model.
        request: What it is asked.
    """

    def __init__(self, model: ChatModel, request: ChatRequest) -> None:
        self._loop = asyncio.get_running_loop()
        self._arrived: asyncio.Queue[Chunk | UnabridgedError | None] = asyncio.Queue()
        self._room: queue.Queue[None] = queue.Queue(_HELD)
        self._stop = threading.Event()
        self._thread = threading.Thread(
            target=self._run, args=(model, request), name="asking", daemon=True
        )
        self._thread.start()

    @property
    def headers(self) -> Mapping[str, str]:
        """None: nothing came over HTTP."""
        return {}

    async def pieces(self) -> AsyncIterator[Piece]:
        """Give it as it arrives."""
        while (said := await self._arrived.get()) is not None:
            if isinstance(said, UnabridgedError):
                raise said
            self._room.get_nowait()
            yield Piece(b"", said, last=said.done)

    async def close(self) -> None:
        """Stop it where it did not come to its end."""
        self._stop.set()
        await asyncio.to_thread(self._thread.join)

    def _run(self, model: ChatModel, request: ChatRequest) -> None:
        try:
            with closing(_closable(model.chat(request))) as chunks:
                for chunk in chunks:
                    if not self._wait():
                        return
                    self._tell(chunk)
        except UnabridgedError as error:
            self._tell(error)
        finally:
            self._tell(None)

    def _wait(self) -> bool:
        """Wait for room; False where nobody takes anything any more."""
        while not self._stop.is_set():
            try:
                self._room.put(None, timeout=0.2)
            except queue.Full:
                continue
            return True
        return False

    def _tell(self, said: Chunk | UnabridgedError | None) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._arrived.put_nowait, said)


def _closable(chunks: Iterator[Chunk]) -> Any:
    """The chunks as what can be closed; a generator is."""
    return chunks


class SaidAnswer:
    """An answer that is there already.

    Args:
        chunks: Its chunks; the last has ``done``.
    """

    def __init__(self, chunks: list[Chunk]) -> None:
        self._chunks = chunks

    @property
    def headers(self) -> Mapping[str, str]:
        """None: nothing came over HTTP."""
        return {}

    async def pieces(self) -> AsyncIterator[Piece]:
        """Give it."""
        for chunk in self._chunks:
            yield Piece(b"", chunk, last=chunk.done)

    async def close(self) -> None:
        """Nothing to stop."""
