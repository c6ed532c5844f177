"""The log: one line for each request and each failure, never any content.

A line contains the time, method, the route's template, status, milliseconds, bytes, the name of the
key and the context's id; ``unabridged why CONTEXT`` shows the rest to those with access. A line has
no query, no headers and no path with names in it. Of an error it has only the type and the place:
the message may quote a conversation.

Lines go to standard error, which systemd and containers store, rotate and limit; so there is no log
file here.
"""

import json
import sys
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from unabridged.ports import Clock

FORMS = ("text", "json", "none")
"""The formats of lines."""
WHERE = 3
"""The most places of a traceback in a line, the innermost last."""


@dataclass(frozen=True, slots=True)
class AccessLogLine:
    """One request.

    Attributes:
        route: The route's template.
        status: The HTTP status; 499 if the client left before there was one.
        seconds: From its first byte to the last of the answer.
        bytes: Bytes of the answer's body that were sent.
        whole: Whether the answer was sent to its end.
        key: The name of the key, ``token`` or ``loopback``; empty if it was refused.
        context: The id of the context that was sent, or empty.
    """

    method: str
    route: str
    status: int
    seconds: float
    bytes: int
    whole: bool
    key: str = ""
    context: str = ""


class RequestLog:
    """Writes lines to a stream (None for standard error) in one of ``FORMS``."""

    def __init__(self, clock: Clock, form: str = "text", stream: TextIO | None = None) -> None:
        self._clock = clock
        self._write = _WRITERS[form]
        self._stream = stream

    def access(self, access: AccessLogLine) -> None:
        """Write the line of a request."""
        self._line(
            {
                "method": access.method,
                "route": access.route,
                "status": access.status,
                "ms": round(access.seconds * 1000, 1),
                "bytes": access.bytes,
                "whole": access.whole,
                "key": access.key,
                "context": access.context,
            }
        )

    def failed(self, error: BaseException, doing: str) -> None:
        """Write a failure: the error's type and place, not its message.

        The activity is a route's template, ``background`` …
        """
        frames = traceback.extract_tb(error.__traceback__)[-WHERE:]
        places = [f"{Path(frame.filename).name}:{frame.lineno} {frame.name}" for frame in frames]
        self._line({"error": type(error).__name__, "doing": doing, "at": places})

    def say(self, event: str, **figures: float | str) -> None:
        """Write an event of the server itself."""
        self._line({"event": event, **figures})

    def _line(self, data: Mapping[str, Any]) -> None:
        at = self._clock.now().isoformat(timespec="milliseconds")
        if line := self._write({"time": at, **data}):
            print(line, file=self._stream or sys.stderr, flush=True)


def _as_text(data: Mapping[str, Any]) -> str:
    at, *rest = data.items()
    words = (f"{name}={_word(value)}" for name, value in rest if value not in _LEFT_OUT)
    return " ".join((str(at[1]), *words))


_LEFT_OUT: tuple[Any, ...] = ("", [], True)
"""Values that text lines leave out; JSON lines have every field."""


def _word(value: Any) -> str:
    # Without blanks and control characters, so that no line can look like two.
    text = ",".join(map(str, value)) if isinstance(value, list) else str(value)
    plain = text.isprintable() and not set(text) & set(' "=')
    return text if plain else json.dumps(text)


_WRITERS: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "text": _as_text,
    "json": lambda data: json.dumps(data, ensure_ascii=True),
    "none": lambda _: "",
}
