"""Bytes to lines to values, whatever pieces the network makes of them."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Protocol, TypeVar

from unabridged.errors import UpstreamBrokenError

Piece_co = TypeVar("Piece_co", covariant=True)
"""A line or the data of an event."""
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_SSE_LINE = re.compile(rb"\r\n|\n|\r")
_FRAME_END = re.compile(rb"\r\n\r\n|\n\n|\r\r")


def encode(body: Mapping[str, Any]) -> bytes:
    """Give a JSON object as UTF-8. A lone surrogate, which no server takes, becomes U+FFFD."""
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    return _LONE_SURROGATE.sub("\ufffd", text).encode()


def decode(line: str | bytes) -> dict[str, Any]:
    """Read one JSON object of a stream.

    Raises:
        UpstreamBrokenError: It is not a JSON object.
    """
    try:
        value = json.loads(line)
    except ValueError as error:
        raise UpstreamBrokenError(
            f"The server sent a line that is not JSON: {_start(line)}", hint=_AGAIN
        ) from error
    if not isinstance(value, dict):
        raise UpstreamBrokenError(
            f"The server sent a line that is not a JSON object: {_start(line)}", hint=_AGAIN
        )
    return value


_AGAIN = "Check that the address is a model server's; if it is, ask again."


def _start(line: str | bytes) -> str:
    text = line.decode("utf-8", "replace") if isinstance(line, bytes) else line
    return repr(text[:60])


class Splitter(Protocol[Piece_co]):
    """Cuts bytes into pieces that stand for themselves."""

    def feed(self, data: bytes) -> Iterator[Piece_co]:
        """Take the next bytes; give what became whole."""
        ...

    def end(self) -> Iterator[Piece_co]:
        """Give what is left."""
        ...


def cut(stream: Iterable[bytes], splitter: Splitter[Piece_co]) -> Iterator[Piece_co]:
    """Cut a stream into its pieces, to the last."""
    for data in stream:
        yield from splitter.feed(data)
    yield from splitter.end()


class Lines:
    r"""Splits a stream of newline-delimited JSON at ``\n`` only.

    ``str.splitlines`` would also split at U+2028 and U+0085, which may stand bare inside JSON.
    """

    def __init__(self) -> None:
        self._rest = bytearray()

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Take the next bytes; give the lines that became whole, empty ones left out."""
        start = len(self._rest)
        self._rest += data
        if self._rest.find(b"\n", start) < 0:
            return
        *whole, rest = bytes(self._rest).split(b"\n")
        self._rest = bytearray(rest)
        yield from (line for line in whole if line.strip())

    def end(self) -> Iterator[bytes]:
        """Give what stands behind the last line break, if anything."""
        rest, self._rest = bytes(self._rest), bytearray()
        if rest.strip():
            yield rest


class Events:
    """Reads server-sent events: gives the data of each, by the WHATWG event stream format.

    Comments, event names and ids are passed over, since no chat dialect needs them.
    """

    def __init__(self) -> None:
        self._rest = bytearray()
        self._data: list[str] = []

    def feed(self, data: bytes) -> Iterator[str]:
        """Take the next bytes; give the data of the events that became whole."""
        self._rest += data
        while (found := _SSE_LINE.search(self._rest)) is not None:
            if found.group() == b"\r" and found.end() == len(self._rest):
                return  # the \n that belongs to it may come with the next bytes
            line = bytes(self._rest[: found.start()])
            del self._rest[: found.end()]
            yield from self._line(line)

    def end(self) -> Iterator[str]:
        """Give the last event where the server closed without an empty line behind it."""
        line, self._rest = bytes(self._rest), bytearray()
        yield from self._line(line.rstrip(b"\r"))
        yield from self._line(b"")

    def _line(self, line: bytes) -> Iterator[str]:
        if line.startswith(b"data:"):
            self._data.append(line[5:].decode("utf-8", "replace").removeprefix(" "))
        elif not line and self._data:
            data, self._data = "\n".join(self._data), []
            yield data


class Frames:
    """Splits server-sent events as they came, so that they can be passed on byte for byte.

    A frame ends with an empty line; comments, which keep a connection alive, are frames too.
    """

    def __init__(self) -> None:
        self._rest = bytearray()

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Take the next bytes; give the frames that became whole, each with its empty line."""
        if not self._rest and data.endswith(b"\n\n") and b"\r" not in data:
            yield from (frame + b"\n\n" for frame in data[:-2].split(b"\n\n"))
            return
        self._rest += data
        start = 0
        for found in _FRAME_END.finditer(self._rest):
            yield bytes(self._rest[start : found.end()])
            start = found.end()
        del self._rest[:start]

    def end(self) -> Iterator[bytes]:
        """Give what stands behind the last empty line, if anything."""
        rest, self._rest = bytes(self._rest), bytearray()
        if rest.strip():
            yield rest + b"\n\n"


def data_of(frame: bytes) -> bytes:
    """Give the data of one frame; empty for a comment."""
    if frame.startswith(b"data: ") and frame.find(b"\n") == len(frame) - 2 and b"\r" not in frame:
        return frame[6:-2]  # one line, as every server sends it
    lines = (line for line in _SSE_LINE.split(frame) if line.startswith(b"data:"))
    return b"\n".join(line[5:].removeprefix(b" ") for line in lines)


class Characters:
    """Makes characters whole that a server cut between two pieces.

    Servers that count in UTF-16 may send the halves of one character in two events; JSON lets
    them. A half that stays alone becomes U+FFFD, since nothing can store it.
    """

    def __init__(self) -> None:
        self._half = ""

    def feed(self, text: str) -> str:
        """Take the next piece; give it with whole characters only, one may come later."""
        if not self._half and text.isascii():
            return text
        text, self._half = self._half + text, ""
        if text and "\ud800" <= text[-1] <= "\udbff":
            text, self._half = text[:-1], text[-1]
        return _whole(text)

    def end(self) -> str:
        """Give what is left of a half."""
        half, self._half = self._half, ""
        return _whole(half)


def _whole(text: str) -> str:
    if not _LONE_SURROGATE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
