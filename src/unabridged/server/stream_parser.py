"""Parse the bytes of an answer into frames and chunks.

A frame is passed on byte for byte if client and upstream have the same dialect; a chunk is its
content. An upstream inside this process has chunks only.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Protocol

import msgspec

from unabridged.domain.chat import StreamChunk
from unabridged.errors import UnabridgedError, UpstreamBrokenError
from unabridged.wire import ollama, openai
from unabridged.wire.anthropic_answer import MessagesStreamAssembler
from unabridged.wire.stream_lines import Frames, Lines, data_of


@dataclass(frozen=True, slots=True)
class StreamPiece:
    """One piece of an answer.

    Attributes:
        frame: The bytes as received, to be passed on; empty if there are none.
        chunk: Its content; None if there is none for the reader.
        quiet: Whether it is not passed on because the client did not request it.
        last: Whether it is the last.
    """

    frame: bytes
    chunk: StreamChunk | None
    quiet: bool = False
    last: bool = False


def together(pieces: Iterator[StreamPiece]) -> Iterator[list[StreamPiece]]:
    """Yield pieces that arrived together as one list, up to the last piece of the answer.

    If one is an error, those before it are yielded first.
    """
    found: list[StreamPiece] = []
    try:
        for piece in pieces:
            found.append(piece)
            if piece.last:
                break
    except UnabridgedError:
        if found:
            yield found
        raise
    if found:
        yield found


class Listener(Protocol):
    """Parses one answer of a dialect."""

    def feed(self, data: bytes) -> Iterator[StreamPiece]:
        """Parse the next bytes."""
        ...

    def end(self) -> Iterator[StreamPiece]:
        """Finish: there are no more bytes."""
        ...

    def whole(self, body: bytes) -> Iterator[StreamPiece]:
        """Parse an answer that is one object."""
        ...


class OllamaListener:
    """Parses lines of JSON.

    Args:
        calls_before: Tool calls in the prompt, to number those of servers that send no ids.
    """

    def __init__(self, calls_before: int = 0) -> None:
        self._lines = Lines()
        self._assembler = ollama.OllamaStreamAssembler(calls_before)

    def feed(self, data: bytes) -> Iterator[StreamPiece]:
        return map(self._piece, self._lines.feed(data))

    def end(self) -> Iterator[StreamPiece]:
        yield from map(self._piece, self._lines.end())
        self._assembler.end()

    def whole(self, body: bytes) -> Iterator[StreamPiece]:
        yield replace(self._piece(body), frame=body)
        self._assembler.end()

    def _piece(self, line: bytes) -> StreamPiece:
        chunk = self._assembler.feed(_object(line))
        return StreamPiece(line + b"\n", chunk, last=chunk is not None and chunk.done)


class OpenAIListener:
    """Parses server-sent events.

    Args:
        usage: Whether the client requested the event with the usage.
    """

    def __init__(self, *, usage: bool) -> None:
        self._frames = Frames()
        self._assembler = openai.OpenAIStreamAssembler()
        self._usage = usage
        self._done = False

    def feed(self, data: bytes) -> Iterator[StreamPiece]:
        return map(self._piece, self._frames.feed(data))

    def end(self) -> Iterator[StreamPiece]:
        yield from map(self._piece, self._frames.end())
        if not self._done:
            yield StreamPiece(b"data: [DONE]\n\n", self._assembler.end(), last=True)

    def whole(self, body: bytes) -> Iterator[StreamPiece]:
        said = self._assembler.feed(_object(body))
        last = self._assembler.end()
        yield StreamPiece(b"", said, quiet=True)
        yield StreamPiece(body, last, last=True)

    def _piece(self, frame: bytes) -> StreamPiece:
        data = data_of(frame)
        if not data:
            return StreamPiece(frame, None)
        if data.strip() == b"[DONE]":
            self._assembler.done()
            self._done = True
            return StreamPiece(frame, self._assembler.end(), last=True)
        event = _object(data)
        chunk = self._assembler.feed(event)
        tells_usage = not event.get("choices") and "usage" in event
        return StreamPiece(frame, chunk, quiet=tells_usage and not self._usage)


class MessagesListener:
    """Parses the server-sent events of Anthropic's dialect."""

    def __init__(self) -> None:
        self._frames = Frames()
        self._assembler = MessagesStreamAssembler()
        self._done = False

    def feed(self, data: bytes) -> Iterator[StreamPiece]:
        return map(self._piece, self._frames.feed(data))

    def end(self) -> Iterator[StreamPiece]:
        yield from map(self._piece, self._frames.end())
        if not self._done:
            self._assembler.end()

    def whole(self, body: bytes) -> Iterator[StreamPiece]:
        yield StreamPiece(body, self._assembler.whole(_object(body)), last=True)

    def _piece(self, frame: bytes) -> StreamPiece:
        data = data_of(frame)
        if not data:
            return StreamPiece(frame, None)
        chunk = self._assembler.feed(_object(data))
        self._done = chunk is not None and chunk.done
        return StreamPiece(frame, chunk, last=self._done)


def _object(data: bytes) -> dict[str, Any]:
    try:
        value = msgspec.json.decode(data)
    except (ValueError, RecursionError) as error:  # invalid UTF-8 is no DecodeError
        raise _no_json(data) from error
    if not isinstance(value, dict):
        raise _no_json(data)
    return value


def _no_json(data: bytes) -> UpstreamBrokenError:
    return UpstreamBrokenError(
        f"The server sent {len(data):,} bytes that are not a JSON object.",
        hint="Check that a model server runs at the address, then ask again.",
    )
