"""The field of an answer that says what of its request was left out, in bytes that are passed on.

The official clients read objects with fields that they do not know. Each dialect has the field where
its streams name the answer as a whole; all other bytes stay as they came.
"""

import re
from collections.abc import Mapping
from typing import Any

from unabridged.wire.stream_lines import encode

NAME = "unabridged"
_OBJECT = re.compile(rb"\{(?=\s*\")")
_IN_STREAMS: Mapping[str, re.Pattern[bytes]] = {
    "openai": re.compile(rb"^data:\s*\{(?=\s*\")", re.MULTILINE),
    "anthropic": re.compile(rb'^data:.*?"message"\s*:\s*\{(?=\s*\")', re.MULTILINE),
    "ollama": _OBJECT,
}
"""The beginning of the object that gets it: the first event, ``message_start``, the last line."""


class OwnField:
    """Puts the field into one answer that is passed on byte for byte.

    Args:
        dialect: The answer's dialect.
        value: The field's value; an empty one adds nothing.
    """

    def __init__(self, dialect: str, value: Mapping[str, Any]) -> None:
        self._place = _IN_STREAMS[dialect] if value else None
        self._at_end = dialect == "ollama"
        self._text = b"%s," % encode({NAME: value})[1:-1]

    def streamed(self, frame: bytes, *, last: bool) -> bytes:
        """Return the next frame of a stream, with the field if it is the one that gets it."""
        if self._place is None or (self._at_end and not last):
            return frame
        if (found := self._place.search(frame)) is None:
            return frame
        self._place = None
        return frame[: found.end()] + self._text + frame[found.end() :]

    def whole(self, body: bytes) -> bytes:
        """Return an answer that is one object, with the field."""
        return body if self._place is None else _OBJECT.sub(lambda m: m[0] + self._text, body, 1)
