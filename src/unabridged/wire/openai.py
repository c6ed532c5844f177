"""The OpenAI dialect, both ways: chat completions as requests, answers and streams.

Source of the format: the official ``openai`` Python client 3.54.0 (types/chat), against which it
is tested; ``reasoning_content`` as DeepSeek, vLLM and llama.cpp send it, ``reasoning`` as
OpenRouter does. Pure functions without network.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from unabridged.domain.chat import ChatRequest, StreamChunk, ToolSpec, Usage
from unabridged.domain.message import (
    Foreign,
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
from unabridged.language.strip_pasted import is_reminder
from unabridged.wire.incoming_message import (
    IncomingMessage,
    Wire,
    joined,
    merged,
    reasoning_of,
    reminder_of,
    results_together,
    role_of,
    with_reminders,
)
from unabridged.wire.lenient_json import mapping, mappings, number, text
from unabridged.wire.stream_lines import Characters
from unabridged.wire.upstream_errors import refusal_of

DONE = "[DONE]"
"""The data of the event that ends a stream."""
THOUGHTS = ("reasoning_content", "reasoning", "thinking")
"""The fields in which clients send reasoning; Open WebUI uses the one of Ollama."""


# ---- for a server -------------------------------------------------------------------------


def messages(prompt: Sequence[Message | IncomingMessage]) -> tuple[Wire, ...]:
    """Return a prompt as the dialect's messages, in order and none merged.

    Text alone becomes a plain string; with other parts, a list of parts. A message with several
    tool results becomes several messages. Prompts of our own contain no reasoning.
    """
    return results_together(prompt, _message)


def _message(message: Message | IncomingMessage) -> Iterator[Wire]:
    results = [part for part in message.parts if isinstance(part, ToolResult)]
    for result in results:
        yield {"role": "tool", "tool_call_id": result.call_id, "content": result.text}
    calls = [_call(part) for part in message.parts if isinstance(part, ToolCall)]
    content = _content(message.parts)
    if results and not content and not calls:
        return
    role = Role.USER if message.role is Role.TOOL else message.role
    wire: Wire = {"role": role.value, "content": content}
    if calls:
        wire["content"] = content or None
        wire["tool_calls"] = calls
    if thought := reasoning_of(message.parts):
        wire["reasoning_content"] = thought
    yield wire


def _content(given: tuple[Part, ...]) -> str | list[Wire]:
    parts = with_reminders(given)
    if not any(isinstance(part, Image | Foreign) for part in parts):
        return joined(parts)
    content: list[Wire] = []
    for part in parts:
        if isinstance(part, Text):
            content.append({"type": "text", "text": part.text})
        elif isinstance(part, Image):
            content.append({"type": "image_url", "image_url": {"url": part.uri}})
        elif isinstance(part, Foreign):
            content.append(_other(part))
    return content


_PARTS = frozenset({"file", "input_audio", "audio_url", "video_url"})
"""Other kinds of parts that servers of this dialect take."""


def _other(part: Foreign) -> Wire:
    if part.kind in _PARTS:
        return dict(mapping(json.loads(part.data)))
    return {"type": "text", "text": f"[{part.kind}: {part.data}]"}


def _call(call: ToolCall) -> Wire:
    function = {"name": call.name, "arguments": call.arguments or "{}"}
    return {"id": call.id, "type": "function", "function": function}


def body(
    request: ChatRequest, model: str, *, stream: bool = True, limit: str = "max_tokens"
) -> Wire:
    """Return the body of ``POST /chat/completions``.

    ``limit`` names the field that limits the answer: some servers know only ``max_completion_tokens``.
    """
    wire: Wire = {**request.options, "model": model, "messages": list(messages(request.messages))}
    if request.tools:
        wire["tools"] = [spec.schema for spec in request.tools]
    if request.max_output is not None:
        wire[limit] = request.max_output
    wire["stream"] = stream
    if stream:
        wire["stream_options"] = {"include_usage": True}
    return wire


# ---- from a server ----------------------------------------------------------------------------


def usage(data: Any) -> Usage | None:
    """Read a usage object; None if there is none."""
    if not isinstance(data, Mapping):
        return None
    cached = mapping(data.get("prompt_tokens_details")).get("cached_tokens")
    figures = (data.get("prompt_tokens"), data.get("completion_tokens"), cached)
    return Usage(*(number(figure) for figure in figures))


class OpenAIStreamAssembler:
    """Puts the events of one stream together; tool calls come out whole."""

    def __init__(self) -> None:
        self._calls: list[dict[str, str]] = []
        self._by_index: dict[Any, dict[str, str]] = {}
        self._finish = ""
        self._usage: Usage | None = None
        self._ended = False
        self._text, self._thought = Characters(), Characters()

    def feed(self, event: Mapping[str, Any]) -> StreamChunk | None:
        """Read an event; return its chunk, or None if it has nothing for the reader.

        Raises:
            UpstreamError: The event is an error object, or not an event.
        """
        error = refusal_of(event)
        if error is not None:
            raise error
        self._usage = usage(event.get("usage")) or self._usage
        choices = event.get("choices")
        if choices is None and "usage" in event:
            return None
        if not isinstance(choices, list) or not all(isinstance(c, Mapping) for c in choices):
            raise UpstreamBrokenError(
                "The server sent an event without choices.",
                hint="Check that the address is that of a chat completions server.",
            )
        return self._choice(choices[0]) if choices else None

    def _choice(self, choice: Mapping[str, Any]) -> StreamChunk | None:
        self._finish = text(choice.get("finish_reason")) or self._finish
        delta = mapping(choice.get("delta") or choice.get("message"))
        for call in mappings(delta.get("tool_calls")):
            self._call(call)
        said, thought = _said(delta)
        said, thought = self._text.feed(said), self._thought.feed(thought)
        return StreamChunk(text=said, reasoning=thought) if said or thought else None

    def _call(self, delta: Mapping[str, Any]) -> None:
        function = mapping(delta.get("function"))
        index, call_id = number(delta.get("index")), text(delta.get("id"))
        name, arguments = text(function.get("name")), function.get("arguments") or ""
        call = self._by_index.get(index)
        if index is None and not call_id and self._calls:
            call = self._calls[-1]
        # Some servers give every call the index 0 or none at all: a new id begins a new call.
        begins = call is None or bool(call_id and call["id"] and call["id"] != call_id)
        if call is None or begins:
            call = {"id": "", "name": "", "arguments": ""}
            self._calls.append(call)
            self._by_index[index] = call
        call["id"] = call["id"] or call_id
        call["name"] = call["name"] or name
        call["arguments"] += arguments if isinstance(arguments, str) else json.dumps(arguments)

    def done(self) -> None:
        """Note that the server ended the stream."""
        self._ended = True

    def end(self) -> StreamChunk:
        """Return the last chunk, with the tool calls, the reason and the usage.

        Raises:
            UpstreamBrokenError: The stream stopped without ``[DONE]`` and without a reason.
        """
        if not (self._ended or self._finish):
            raise UpstreamBrokenError(
                "The answer broke off: the stream ended without a reason.",
                hint="What arrived is kept; ask again.",
            )
        calls = tuple(
            ToolCall(call["id"] or f"call_{place}", call["name"], call["arguments"] or "{}")
            for place, call in enumerate(self._calls)
        )
        finish = self._finish or ("tool_calls" if calls else "stop")
        said, thought = self._text.end(), self._thought.end()
        return StreamChunk(said, thought, calls, done=True, finish=finish, usage=self._usage)


def _said(delta: Mapping[str, Any]) -> tuple[str, str]:
    thought = text(delta.get("reasoning_content")) or text(delta.get("reasoning"))
    content = delta.get("content")
    if isinstance(content, list):
        said = "".join(text(part.get("text")) for part in mappings(content))
        inner = [mappings(part.get("thinking")) for part in mappings(content)]
        return said, thought + "".join(text(each.get("text")) for part in inner for each in part)
    return text(content) or text(delta.get("refusal")), thought


# ---- as a server ------------------------------------------------------------------------------


def drafts(wire: Sequence[Mapping[str, Any]]) -> tuple[IncomingMessage, ...]:
    """Read a client's messages.

    Raises:
        InputError: A message has an unknown role, or content that is not accepted.
    """
    names: dict[str, str] = {}
    read: list[IncomingMessage] = []
    for place, message in enumerate(wire):
        role = role_of(message, place)
        if role is Role.TOOL:
            call_id = str(message.get("tool_call_id") or "")
            name = str(message.get("name") or names.get(call_id, ""))
            told = _parts(message.get("content"), place)
            others = tuple(part for part in told if not isinstance(part, Text))
            result = (ToolResult(call_id, name, joined(told)), *others)
            read.append(IncomingMessage(role, result, place, ("openai", message)))
            continue
        calls = tuple(_read_calls(message, place))
        names.update((call.id, call.name) for call in calls)
        thought = next(filter(None, (text(message.get(name)) for name in THOUGHTS)), "")
        reasoning = (Reasoning(thought),) if thought else ()
        said = message.get("content") or message.get("refusal")
        told = _parts(said, place)
        parts = reasoning + (_heard(told) if role is Role.USER else told) + calls
        read.append(IncomingMessage(role, parts, place, ("openai", message)))
    return tuple(read)


def _parts(content: Any, place: int) -> tuple[Part, ...]:
    if content is None or content == "":
        return ()
    if isinstance(content, str):
        return (Text(content),)
    if isinstance(content, list):
        return tuple(_part(item, place) for item in content)
    raise InputError(f"Message {place + 1} has content of the type {type(content).__name__}.")


def _heard(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    added = [isinstance(part, Text) and is_reminder(part.text) for part in parts]
    if all(added):
        return parts
    return tuple(
        reminder_of(part.text) if isinstance(part, Text) and is_added else part
        for part, is_added in zip(parts, added, strict=True)
    )


def _part(item: Any, place: int) -> Part:
    match item:
        case {"type": "text", "text": str(said)} | {"type": "refusal", "refusal": str(said)}:
            return Text(said)
        case {"type": "image_url", "image_url": {"url": str(uri)}}:
            return Image(uri)
        case _:
            pass
    if isinstance(item, Mapping) and isinstance(kind := item.get("type"), str):
        return Foreign(kind, json.dumps(item, ensure_ascii=False))
    raise InputError(
        f"Message {place + 1} has a part without a type.",
        hint='Send parts as objects: {"type": "text", "text": "…"}.',
    )


def _read_calls(message: Mapping[str, Any], place: int) -> Iterator[ToolCall]:
    given = message.get("tool_calls") or ()
    if not isinstance(given, (list, tuple)):
        raise InputError(f"Message {place + 1} has tool calls that are not a list.")
    for count, call in enumerate(given):
        match call:
            case {"function": {"name": str(name), **function}}:
                arguments = function.get("arguments", "{}")
                said = arguments if isinstance(arguments, str) else json.dumps(arguments)
                yield ToolCall(str(call.get("id") or f"call_{count}"), name, said)
            case {"custom": {"name": str(name), "input": str(said)}}:
                yield ToolCall(str(call.get("id") or f"call_{count}"), name, said)
            case _:
                raise InputError(f"Message {place + 1} has a tool call without a function.")


def tool_spec(wire: Mapping[str, Any]) -> ToolSpec:
    """Read a client's tool definition; one that is no function is passed on as it is.

    Raises:
        InputError: It has neither a function nor a type.
    """
    match wire:
        case {"function": {"name": str(name), **rest}}:
            return function_spec(name, rest)
        case {"type": str(kind)} if kind != "function":
            about = mapping(wire.get(kind))
            return ToolSpec(text(about.get("name")) or kind, "", {}, given=wire)
        case _:
            raise InputError("A tool definition names no function.")


def function_spec(name: str, about: Mapping[Any, Any]) -> ToolSpec:
    """Read a client's description of a function."""
    parameters = mapping(about.get("parameters")) or {"type": "object", "properties": {}}
    return ToolSpec(name, text(about.get("description")), parameters)


def event(
    chunk: StreamChunk, *, answer: str, created: int, model: str, first: bool = False
) -> Wire:
    """Return one event of a stream; usage goes into ``usage_event``.

    ``answer`` is the id of the whole answer; the first event names the role.
    """
    delta: Wire = {"role": "assistant"} if first else {}
    if chunk.text or first:
        delta["content"] = chunk.text
    if chunk.reasoning:
        delta["reasoning_content"] = chunk.reasoning
    if chunk.calls:
        delta["tool_calls"] = [
            {"index": index, **_call(call)} for index, call in enumerate(chunk.calls)
        ]
    finish = (chunk.finish or "stop") if chunk.done else None
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    head = {"id": answer, "object": "chat.completion.chunk", "created": created, "model": model}
    return {**head, "choices": [choice]}


def usage_object(figures: Usage) -> Wire:
    """Return a usage object; an unknown figure is 0, since the dialect has no other way."""
    prompt, said = figures.prompt or 0, figures.answer or 0
    wire: Wire = {"prompt_tokens": prompt, "completion_tokens": said, "total_tokens": prompt + said}
    if figures.cached is not None:
        wire["prompt_tokens_details"] = {"cached_tokens": figures.cached}
    return wire


def usage_event(figures: Usage, *, answer: str, created: int, model: str) -> Wire:
    """Return the event that follows the last one if a client asked for ``include_usage``."""
    head = {"id": answer, "object": "chat.completion.chunk", "created": created, "model": model}
    return {**head, "choices": [], "usage": usage_object(figures)}


def completion(chunks: Sequence[StreamChunk], *, answer: str, created: int, model: str) -> Wire:
    """Return a whole answer as one object."""
    whole = merged(chunks)
    message: Wire = {"role": "assistant", "content": whole.text or (None if whole.calls else "")}
    if whole.reasoning:
        message["reasoning_content"] = whole.reasoning
    if whole.calls:
        message["tool_calls"] = [_call(call) for call in whole.calls]
    choice = {"index": 0, "message": message, "finish_reason": whole.finish or "stop"}
    wire = {"id": answer, "object": "chat.completion", "created": created, "model": model}
    figures = whole.usage or Usage()
    return {**wire, "choices": [choice], "usage": usage_object(figures)}


def error_body(
    message: str, *, kind: str = "invalid_request_error", code: str | None = None
) -> Wire:
    """Return an error as OpenAI's servers do."""
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}
