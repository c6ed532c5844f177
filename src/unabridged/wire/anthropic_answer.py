"""Anthropic's Messages API, answers: read from events or one object, and written as both.

Source of the format: the official ``anthropic`` Python client 2.14.0 (types). Pure functions.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from unabridged.domain.chat import StreamChunk, Usage
from unabridged.domain.message import ToolCall
from unabridged.errors import UpstreamBrokenError
from unabridged.wire.anthropic import object_of
from unabridged.wire.incoming_message import Wire, merged
from unabridged.wire.lenient_json import mapping, mappings, number, text
from unabridged.wire.stream_lines import Characters, encode
from unabridged.wire.upstream_errors import refusal_of

PREFIX = "msg_"
"""The prefix of an answer's id."""
_FINISH: Mapping[str, str] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "pause_turn": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tool_calls",
    "refusal": "content_filter",
}
"""Why an answer ended, as this dialect and as ours call it."""
_REASONS: Mapping[str, str] = {
    "length": "max_tokens",
    "tool_calls": "tool_use",
    "content_filter": "refusal",
}


# ---- from a server ----------------------------------------------------------------------------


def usage(data: Any) -> Usage | None:
    """Read a usage object; its parts of the prompt are added up. None if there is none."""
    if not isinstance(data, Mapping):
        return None
    names = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    counts = [number(data.get(name)) for name in names]
    known = [count for count in counts if count is not None]
    return Usage(sum(known) if known else None, number(data.get("output_tokens")), counts[2])


class MessagesStreamAssembler:
    """Puts the events of one stream together; tool calls come out whole."""

    def __init__(self) -> None:
        self._calls: dict[int, dict[str, str]] = {}
        self._usage: dict[str, Any] = {}
        self._finish = ""
        self._ended = False
        self._said = self._apart = False
        self._text, self._thought = Characters(), Characters()

    def feed(self, event: Mapping[str, Any]) -> StreamChunk | None:
        """Read an event; return its chunk, or None if it has nothing for the reader.

        Raises:
            UpstreamError: The event is an error object, or not an event.
        """
        error = refusal_of(event)
        if error is not None:
            raise error
        match event.get("type"):
            case "message_start":
                self._usage |= mapping(mapping(event.get("message")).get("usage"))
            case "content_block_start":
                return self._begun(number(event.get("index")) or 0, event.get("content_block"))
            case "content_block_delta":
                return self._piece(number(event.get("index")) or 0, mapping(event.get("delta")))
            case "message_delta":
                told = mapping(event.get("usage"))
                self._usage |= {name: count for name, count in told.items() if count is not None}
                reason = text(mapping(event.get("delta")).get("stop_reason"))
                self._finish = _FINISH.get(reason, reason) or self._finish
            case "message_stop":
                self._ended = True
                return self.end()
            case str():
                pass  # a ping, the end of a block, or an event of a later version
            case _:
                raise _no_answer("an event without a type")
        return None

    def whole(self, answer: Mapping[str, Any]) -> StreamChunk:
        """Read an answer that is one object.

        Raises:
            UpstreamError: It is an error object, or not an answer.
        """
        error = refusal_of(answer)
        if error is not None:
            raise error
        if not isinstance(answer.get("content"), list):
            raise _no_answer("an answer without content")
        chunks = [
            self._begun(place, block) or StreamChunk()
            for place, block in enumerate(mappings(answer["content"]))
        ]
        self._usage = dict(mapping(answer.get("usage")))
        reason = text(answer.get("stop_reason"))
        self._finish, self._ended = _FINISH.get(reason, reason), True
        return merged([*chunks, self.end()])

    def end(self) -> StreamChunk:
        """Return the last chunk, with the tool calls, the reason and the usage.

        Raises:
            UpstreamBrokenError: The stream stopped before its end.
        """
        if not self._ended:
            raise UpstreamBrokenError(
                "The answer broke off: the stream ended without message_stop.",
                hint="What arrived is kept; ask again.",
            )
        calls = tuple(
            ToolCall(call["id"], call["name"], call["arguments"] or "{}")
            for call in self._calls.values()
        )
        finish = self._finish or ("tool_calls" if calls else "stop")
        figures = usage(self._usage) if self._usage else None
        said, thought = self._text.end(), self._thought.end()
        return StreamChunk(said, thought, calls, done=True, finish=finish, usage=figures)

    def _begun(self, index: int, given: Any) -> StreamChunk | None:
        block = mapping(given)
        kind = block.get("type")
        if kind == "tool_use":
            told = block.get("input")
            arguments = json.dumps(told, ensure_ascii=False) if told else ""
            call = {"id": text(block.get("id")), "name": text(block.get("name"))}
            self._calls[index] = {**call, "arguments": arguments}
        if kind != "text":
            self._apart = self._said
        elif self._apart:
            # Texts with something between them are two, as the client sends them again.
            self._apart = False
            return StreamChunk(text="\n" + self._words(text(block.get("text"))))
        if kind == "thinking":
            return _some(thought=self._thought.feed(text(block.get("thinking"))))
        return _some(said=self._words(text(block.get("text")))) if kind == "text" else None

    def _piece(self, index: int, delta: Mapping[str, Any]) -> StreamChunk | None:
        match delta:
            case {"type": "text_delta", "text": str(said)}:
                return _some(said=self._words(said))
            case {"type": "thinking_delta", "thinking": str(thought)}:
                return _some(thought=self._thought.feed(thought))
            case {"type": "input_json_delta", "partial_json": str(more)} if index in self._calls:
                self._calls[index]["arguments"] += more
        return None

    def _words(self, said: str) -> str:
        self._said = self._said or bool(said)
        return self._text.feed(said)


def _some(said: str = "", thought: str = "") -> StreamChunk | None:
    return StreamChunk(text=said, reasoning=thought) if said or thought else None


def _no_answer(what: str) -> UpstreamBrokenError:
    return UpstreamBrokenError(
        f"The server sent {what}.",
        hint="Check that the address is that of a server with Anthropic's Messages API.",
    )


# ---- as a server ------------------------------------------------------------------------------


def usage_object(figures: Usage) -> Wire:
    """Return a usage object; an unknown figure is 0, since the dialect has no other way."""
    cached = figures.cached or 0
    return {
        "input_tokens": max(0, (figures.prompt or 0) - cached),
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": cached,
        "output_tokens": figures.answer or 0,
    }


@dataclass(frozen=True, slots=True)
class AnswerHead:
    """What all events of an answer share.

    Attributes:
        prompt: The tokens of the planned prompt.
        own: Fields of ours.
    """

    id: str
    model: str
    prompt: int = 0
    own: Mapping[str, Any] = field(default_factory=dict)

    def message(self, **more: Any) -> Wire:
        """Return the answer as an object."""
        head: Wire = {"id": self.id, "type": "message", "role": "assistant", "model": self.model}
        head |= {"content": [], "stop_reason": None, "stop_sequence": None}
        return {**head, **more, **self.own}


class MessagesSpeaker:
    """Says an answer as events, from chunks."""

    def __init__(self, head: AnswerHead) -> None:
        self._head = head
        self._open: str | None = None
        self._index = -1

    def begin(self) -> list[Wire]:
        """Return the events of the beginning."""
        figures = usage_object(Usage(self._head.prompt, 0))
        start = {"type": "message_start", "message": self._head.message(usage=figures)}
        return [start, {"type": "ping"}]

    def feed(self, chunk: StreamChunk) -> list[Wire]:
        """Return the events of a piece."""
        events: list[Wire] = []
        if chunk.reasoning:
            delta = {"type": "thinking_delta", "thinking": chunk.reasoning}
            events += self._within("thinking", {"thinking": "", "signature": ""}, delta)
        if chunk.text:
            delta = {"type": "text_delta", "text": chunk.text}
            events += self._within("text", {"text": ""}, delta)
        for call in chunk.calls:
            events += self._closed()
            about = {"id": call.id, "name": call.name, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": call.arguments or "{}"}
            events += [*self._within("tool_use", about, delta), *self._closed()]
        return events

    def end(self, last: StreamChunk) -> list[Wire]:
        """Return the events of the last piece and of the end."""
        delta = {"stop_reason": _reason(last), "stop_sequence": None}
        figures = usage_object(last.usage or Usage())
        return [
            *self.feed(last),
            *self._closed(),
            {"type": "message_delta", "delta": delta, "usage": figures},
            {"type": "message_stop"},
        ]

    def _within(self, kind: str, about: Wire, delta: Wire) -> list[Wire]:
        events: list[Wire] = []
        if self._open != kind:
            events += self._closed()
            self._open, self._index = kind, self._index + 1
            block = {"type": kind, **about}
            start = {"type": "content_block_start", "index": self._index, "content_block": block}
            events.append(start)
        return [*events, {"type": "content_block_delta", "index": self._index, "delta": delta}]

    def _closed(self) -> list[Wire]:
        if self._open is None:
            return []
        self._open = None
        return [{"type": "content_block_stop", "index": self._index}]


def _reason(last: StreamChunk) -> str:
    return _REASONS.get(last.finish, "end_turn")


def answer(chunks: Sequence[StreamChunk], head: AnswerHead) -> Wire:
    """Return a whole answer as one object."""
    whole = merged(chunks)
    content: list[Wire] = []
    if whole.reasoning:
        content.append({"type": "thinking", "thinking": whole.reasoning, "signature": ""})
    if whole.text:
        content.append({"type": "text", "text": whole.text})
    content += [
        {"type": "tool_use", "id": call.id, "name": call.name, "input": object_of(call.arguments)}
        for call in whole.calls
    ]
    figures = usage_object(whole.usage or Usage())
    return head.message(content=content, stop_reason=_reason(whole), usage=figures)


def frame(event: Mapping[str, Any]) -> bytes:
    """Return an event as a server-sent event, named like its type."""
    return b"event: " + str(event["type"]).encode() + b"\ndata: " + encode(event) + b"\n\n"


def error_body(kind: str, message: str) -> Wire:
    """Return an error as Anthropic's servers do."""
    return {"type": "error", "error": {"type": kind, "message": message}}
