"""Ollama's native dialect, both ways: ``/api/chat`` as request, answer and stream.

Source of the format: ollama/ollama v0.33.0-rc2, docs/api.md, api/types.go (ChatRequest, Message,
ToolCall, ChatResponse, Metrics) and server/routes.go; facts only. Servers before 0.12 ignore
``truncate`` and ``shift``. Pure functions without network.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from unabridged.domain.chat import ChatRequest, StreamChunk, Usage
from unabridged.domain.message import (
    Image,
    Message,
    Part,
    Reasoning,
    Role,
    Text,
    ToolCall,
    ToolResult,
)
from unabridged.errors import InputError, UpstreamBrokenError
from unabridged.wire.incoming_message import (
    IncomingMessage,
    Wire,
    images,
    joined,
    merged,
    reasoning_of,
    results_together,
    role_of,
    with_reminders,
)
from unabridged.wire.lenient_json import mapping, mappings, number, text
from unabridged.wire.stream_lines import Characters
from unabridged.wire.upstream_errors import refusal_of

_DATA_MARK = ";base64,"
_FORMAT_KEYS = ("format", "keep_alive", "think", "logprobs", "top_logprobs")
"""Options next to ``options``, not in it."""


def full_name(model: str) -> str:
    """Return a model's full name: ``llama3`` is ``llama3:latest``."""
    if not model or ":" in model.rsplit("/", 1)[-1]:
        return model
    return f"{model}:latest"


def short_name(model: str) -> str:
    """Return a model's name as people write it: without ``:latest``."""
    return model.removesuffix(":latest")


# ---- for a server -------------------------------------------------------------------------


def messages(prompt: Sequence[Message | IncomingMessage]) -> tuple[Wire, ...]:
    """Return a prompt as the dialect's messages, in order and none merged.

    Pictures are sent as base64. One with only an address is named in the text, since Ollama
    fetches nothing. Prompts of our own contain no reasoning.
    """
    return results_together(prompt, _message)


def _message(message: Message | IncomingMessage) -> Iterator[Wire]:
    results = [part for part in message.parts if isinstance(part, ToolResult)]
    for result in results:
        wire: Wire = {"role": "tool", "content": result.text, "tool_name": result.name}
        if result.call_id:
            wire["tool_call_id"] = result.call_id
        yield wire
    calls = [_call(part) for part in message.parts if isinstance(part, ToolCall)]
    data = [uri.split(_DATA_MARK, 1)[1] for uri in _uris(message.parts) if _DATA_MARK in uri]
    away = [f"[image: {uri}]" for uri in _uris(message.parts) if _DATA_MARK not in uri]
    content = "\n".join(part for part in (joined(with_reminders(message.parts)), *away) if part)
    if results and not (content or calls or data):
        return
    role = Role.USER if message.role is Role.TOOL else message.role
    wire = {"role": role.value, "content": content}
    if data:
        wire["images"] = data
    if calls:
        wire["tool_calls"] = calls
    if thought := reasoning_of(message.parts):
        wire["thinking"] = thought
    yield wire


def _uris(parts: tuple[Part, ...]) -> tuple[str, ...]:
    return tuple(image.uri for image in images(parts))


def _call(call: ToolCall) -> Wire:
    return {"id": call.id, "function": {"name": call.name, "arguments": _object(call.arguments)}}


def _object(arguments: str) -> Wire:
    try:
        value = json.loads(arguments) if arguments.strip() else {}
    except ValueError:
        value = arguments
    return value if isinstance(value, dict) else {"input": value}


def body(request: ChatRequest, model: str, *, stream: bool = True, refuse: bool = True) -> Wire:
    """Return the body of ``POST /api/chat``.

    The window becomes ``num_ctx``, the limit ``num_predict``. ``refuse`` makes the server refuse a
    prompt that is too long instead of cutting it (``truncate``, ``shift``).
    """
    options = {key: value for key, value in request.options.items() if key not in _FORMAT_KEYS}
    beside = {key: request.options[key] for key in _FORMAT_KEYS if key in request.options}
    if request.window is not None:
        options["num_ctx"] = request.window
    if request.max_output is not None:
        options["num_predict"] = request.max_output
    wire: Wire = {"model": model, "messages": list(messages(request.messages)), **beside}
    if request.tools:
        wire["tools"] = [spec.schema for spec in request.tools]
    wire["stream"] = stream
    if options:
        wire["options"] = options
    if refuse:
        wire |= {"truncate": False, "shift": False}
    return wire


# ---- from a server ----------------------------------------------------------------------------


class OllamaStreamAssembler:
    """Reads the lines of one stream.

    Args:
        calls_before: Tool calls in the prompt: servers before 0.12 send no ids, and the ids made
            here must differ from theirs.
    """

    def __init__(self, calls_before: int = 0) -> None:
        self._calls = calls_before
        self._called = False
        self._ended = False
        self._text, self._thought = Characters(), Characters()

    def feed(self, line: Mapping[str, Any]) -> StreamChunk | None:
        """Read a line; return its chunk, or None if it has none.

        Raises:
            UpstreamError: The line is an error object, or not a line of this dialect.
        """
        error = refusal_of(line)
        if error is not None:
            raise error
        message = line.get("message")
        if not isinstance(message, Mapping):
            raise UpstreamBrokenError(
                "The server sent a line without a message.",
                hint="Check that the address is that of Ollama.",
            )
        calls = tuple(self._call(call) for call in mappings(message.get("tool_calls")))
        self._called = self._called or bool(calls)
        said = self._text.feed(text(message.get("content")))
        thought = self._thought.feed(text(message.get("thinking")))
        if not line.get("done"):
            some = said or thought or calls
            return StreamChunk(text=said, reasoning=thought, calls=calls) if some else None
        self._ended = True
        said, thought = said + self._text.end(), thought + self._thought.end()
        finish = str(line.get("done_reason") or "stop")
        if self._called and finish == "stop":
            finish = "tool_calls"
        return StreamChunk(said, thought, calls, done=True, finish=finish, usage=usage(line))

    def _call(self, call: Mapping[str, Any]) -> ToolCall:
        function = mapping(call.get("function"))
        arguments = function.get("arguments") or {}
        written = arguments if isinstance(arguments, str) else _text(arguments)
        call_id = str(call.get("id") or f"call_{self._calls}")
        self._calls += 1
        return ToolCall(call_id, text(function.get("name")), written)

    def end(self) -> None:
        """Check that the stream is complete.

        Raises:
            UpstreamBrokenError: It stopped before the line that has ``done``.
        """
        if not self._ended:
            raise UpstreamBrokenError(
                "The answer broke off: the stream ended before it was done.",
                hint="What arrived is kept; ask again.",
            )


def _text(arguments: Any) -> str:
    return json.dumps(arguments, ensure_ascii=False)


def usage(line: Mapping[str, Any]) -> Usage:
    """Read the usage of a last line. Servers leave out zeros."""
    return Usage(number(line.get("prompt_eval_count")), number(line.get("eval_count")))


# ---- as a server ------------------------------------------------------------------------------


def drafts(wire: Sequence[Mapping[str, Any]]) -> tuple[IncomingMessage, ...]:
    """Read a client's messages.

    A tool message without ``tool_call_id``, as clients of older servers send it, belongs to the
    first call of its name that has no result yet.

    Raises:
        InputError: A message has an unknown role, or content that is not accepted.
    """
    waiting: list[ToolCall] = []
    read: list[IncomingMessage] = []
    count = 0
    for place, message in enumerate(wire):
        role = role_of(message, place)
        content = message.get("content") or ""
        if not isinstance(content, str):
            raise InputError(f"Message {place + 1} has content that is not text.")
        if role is Role.TOOL:
            result = _result(message, content, waiting)
            told: tuple[Part, ...] = (result, *_pictures(message))
            read.append(IncomingMessage(role, told, place, ("ollama", message)))
            continue
        given = message.get("tool_calls") or ()
        if not isinstance(given, (list, tuple)):
            raise InputError(f"Message {place + 1} has tool calls that are not a list.")
        calls = [_read_call(call, count + nth, place) for nth, call in enumerate(given)]
        count += len(calls)
        waiting += calls
        parts = (*_said(message, content), *calls)
        read.append(IncomingMessage(role, parts, place, ("ollama", message)))
    return tuple(read)


def _said(message: Mapping[str, Any], content: str) -> Iterator[Part]:
    if thought := text(message.get("thinking")):
        yield Reasoning(thought)
    if content:
        yield Text(content)
    yield from _pictures(message)


def _pictures(message: Mapping[str, Any]) -> Iterator[Image]:
    given = message.get("images")
    for data in given if isinstance(given, (list, tuple)) else ():
        yield Image(f"data:{_media_type(str(data))}{_DATA_MARK}{data}")


_MAGIC = {"iVBOR": "image/png", "/9j/": "image/jpeg", "R0lGO": "image/gif", "UklGR": "image/webp"}
"""The beginning of base64 by format."""


def _media_type(data: str) -> str:
    found = (kind for start, kind in _MAGIC.items() if data.startswith(start))
    return next(found, "application/octet-stream")


def _result(message: Mapping[str, Any], content: str, waiting: list[ToolCall]) -> ToolResult:
    call_id, name = str(message.get("tool_call_id") or ""), str(message.get("tool_name") or "")
    call = next(
        (c for c in waiting if c.id == call_id or (not call_id and name in ("", c.name))), None
    )
    if call is not None:
        waiting.remove(call)
        call_id, name = call.id, name or call.name
    return ToolResult(call_id, name, content)


def _read_call(call: Any, count: int, place: int) -> ToolCall:
    match call:
        case {"function": {"name": str(name), **function}}:
            arguments = function.get("arguments") or {}
            written = arguments if isinstance(arguments, str) else _text(arguments)
            return ToolCall(str(call.get("id") or f"call_{count}"), name, written)
        case _:
            raise InputError(f"Message {place + 1} has a tool call without a function.")


def line(chunk: StreamChunk, *, model: str, created: str, seconds: float = 0.0) -> Wire:
    """Return one line of a stream.

    ``created`` is a time of RFC 3339; ``seconds`` is the time since the request.
    """
    message: Wire = {"role": "assistant", "content": chunk.text}
    if chunk.reasoning:
        message["thinking"] = chunk.reasoning
    if chunk.calls:
        message["tool_calls"] = [_call(call) for call in chunk.calls]
    wire: Wire = {"model": model, "created_at": created, "message": message, "done": chunk.done}
    if not chunk.done:
        return wire
    # The dialect has "stop" for tool calls too; the calls themselves show it.
    wire["done_reason"] = "length" if chunk.finish == "length" else "stop"
    wire["total_duration"] = int(seconds * 1e9)
    figures = chunk.usage or Usage()
    counts = {"prompt_eval_count": figures.prompt, "eval_count": figures.answer}
    return wire | {name: count for name, count in counts.items() if count is not None}


def answer(
    chunks: Sequence[StreamChunk], *, model: str, created: str, seconds: float = 0.0
) -> Wire:
    """Return a whole answer as one object."""
    return line(merged(chunks), model=model, created=created, seconds=seconds)
