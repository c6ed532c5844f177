"""Prepared answers of a protocol server."""

import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from unabridged.domain.chat import StreamChunk, Usage
from unabridged.domain.message import ToolCall


@dataclass(frozen=True, slots=True)
class ScriptedReply:
    """One answer.

    Attributes:
        text: The text.
        calls: Tool calls, sent after the text.
        reasoning: Thinking, sent before the text.
        finish: The finish reason; empty for the fitting one.
        cached: Tokens of the prompt reported as cached, or None.
        status: An HTTP status from 400 on refuses, with ``error`` as the reason.
        error: The reason; without a status it is sent in mid-stream, after ``after`` pieces.
        breaks: Break the connection after ``after`` pieces, without an error.
        after: The number of pieces before the fault.
        delay: Seconds before the answer begins, as while a model loads.
        pause: Seconds between two pieces.
        ends: How a stream of server-sent events ends: ``done`` with ``[DONE]``, ``silent``
            without it, ``cut`` without a reason either.
    """

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    reasoning: str = ""
    finish: str = ""
    cached: int | None = None
    status: int = 200
    error: str = ""
    breaks: bool = False
    after: int = 1
    delay: float = 0.0
    pause: float = 0.0
    ends: str = "done"

    def pieces(self) -> Iterator[StreamChunk]:
        """Yield the answer in pieces, without its end."""
        for word in split(self.reasoning):
            yield StreamChunk(reasoning=word)
        for word in split(self.text):
            yield StreamChunk(text=word)
        if self.calls:
            yield StreamChunk(calls=self.calls)

    def end(self, prompt: int, answer: int) -> StreamChunk:
        """Return the last piece, with the usage."""
        finish = self.finish or ("tool_calls" if self.calls else "stop")
        return StreamChunk(done=True, finish=finish, usage=Usage(prompt, answer, self.cached))


def split(text: str) -> list[str]:
    """Split a text into words, without loss."""
    return re.findall(r"\S+\s*|\s+", text)


Replier = Callable[[Mapping[str, Any]], "ScriptedReply | str"]
"""Makes an answer from a request's body."""
Script = Replier | str | ScriptedReply | Sequence[str | ScriptedReply]
"""One answer, several in order (the last repeats), or a function."""
Counter = Callable[[str], int]
"""Counts the tokens of a text."""


def words(text: str) -> int:
    """Count words as tokens: crude, but predictable in tests."""
    return len(text.split())


@dataclass(slots=True)
class Scripted:
    """The answers of a script."""

    script: Script
    _next: int = field(default=0)

    def reply(self, body: Mapping[str, Any]) -> ScriptedReply:
        """Return the next answer."""
        if callable(self.script):
            made = self.script(body)
        elif isinstance(self.script, (str, ScriptedReply)):
            made = self.script
        else:
            made = self.script[min(self._next, len(self.script) - 1)]
            self._next += 1
        return ScriptedReply(made) if isinstance(made, str) else made


def paced(reply: ScriptedReply) -> Iterator[StreamChunk]:
    """Yield a reply's pieces with its pause between them."""
    if reply.delay:
        time.sleep(reply.delay)
    for chunk in reply.pieces():
        yield chunk
        if reply.pause:
            time.sleep(reply.pause)


def spoken(messages: Iterable[Mapping[str, Any]]) -> str:
    """Return all words of wire messages, as a template puts them into the prompt."""
    said: list[str] = []
    for message in messages:
        content = message.get("content")
        if isinstance(content, list):
            content = " ".join(str(part.get("text", "")) for part in content)
        said.append(f"{message.get('role', '')} {content or ''}")
        said += [str(call.get("function", "")) for call in message.get("tool_calls") or ()]
    return "\n".join(said)
