"""Builds a reply from chunks: what came of one request so far."""

from dataclasses import dataclass, field

from unabridged.domain.chat import StreamChunk, Usage
from unabridged.domain.message import Part, Reasoning, Text, ToolCall


@dataclass
class ReplyBuilder:
    """What came of one request so far.

    Attributes:
        text: Words of the answer, piece by piece.
        reasoning: The model's thinking, likewise.
        calls: Tool calls.
        usage: What the server reported; None before the end.
        finish: Why it ended; empty before the end.
    """

    text: list[str] = field(default_factory=list)
    reasoning: list[str] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    usage: Usage | None = None
    finish: str = ""

    def add(self, chunk: StreamChunk) -> None:
        """Take in a chunk."""
        self.text.append(chunk.text)
        self.reasoning.append(chunk.reasoning)
        self.calls.extend(chunk.calls)
        if chunk.done:
            self.usage, self.finish = chunk.usage, chunk.finish

    def clear(self) -> None:
        """Begin the next request: what came is stored."""
        self.text.clear()
        self.reasoning.clear()
        self.calls.clear()
        self.usage, self.finish = None, ""

    @property
    def parts(self) -> list[Part]:
        """The parts of the message that it makes."""
        parts: list[Part] = []
        if reasoning := "".join(self.reasoning):
            parts.append(Reasoning(reasoning))
        if text := "".join(self.text):
            parts.append(Text(text))
        return [*parts, *self.calls]
