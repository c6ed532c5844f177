"""Anthropic's Messages API, requests: tools, options, the body for a server, what has no translation.

Source of the format: the official ``anthropic`` Python client 2.14.0 (types). Pure functions.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from unabridged.domain.chat import ChatRequest, ToolSpec
from unabridged.domain.message import Foreign, Message, Part, Reasoning, Role, Text
from unabridged.errors import InputError
from unabridged.wire.anthropic import messages
from unabridged.wire.incoming_message import IncomingMessage, Wire
from unabridged.wire.lenient_json import mapping, mappings, text

LEAST_MAX_TOKENS = 8_192
"""The limit of an answer if nobody sets one: the dialect requires it, and every model allows it."""
_PDF = "data:application/pdf;base64,"
_PLAIN = ("temperature", "top_p", "top_k")
_CHOICES: Mapping[str, str] = {"auto": "auto", "any": "required", "none": "none"}
"""``tool_choice`` in this dialect and in that of chat completions."""
_OURS: Mapping[str, str] = {ours: theirs for theirs, ours in _CHOICES.items()}


def tool_spec(tool: Mapping[str, Any]) -> ToolSpec:
    """Read a tool; one that a server defines is kept as it is.

    Raises:
        InputError: It has no name.
    """
    name, kind = tool.get("name"), tool.get("type")
    if kind not in (None, "custom"):
        return ToolSpec(text(name) or str(kind), "", {}, tool)
    if not isinstance(name, str) or not name:
        raise InputError("A tool has no name.", hint="Name every tool.")
    schema = mapping(tool.get("input_schema")) or {"type": "object", "properties": {}}
    return ToolSpec(name, text(tool.get("description")), schema)


# ---- a client's request for another upstream --------------------------------------------------


def options(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a request in the form of chat completions."""
    taken = {name: body[name] for name in _PLAIN if body.get(name) is not None}
    if stops := body.get("stop_sequences"):
        taken["stop"] = stops
    form = mapping(mapping(body.get("output_config")).get("format"))
    if form.get("type") == "json_schema":
        schema = {"name": "answer", "schema": form.get("schema")}
        taken["response_format"] = {"type": "json_schema", "json_schema": schema}
    choice = mapping(body.get("tool_choice"))
    if choice.get("type") == "tool":
        taken["tool_choice"] = {"type": "function", "function": {"name": choice.get("name")}}
    elif (named := _CHOICES.get(text(choice.get("type")))) is not None:
        taken["tool_choice"] = named
    if choice.get("disable_parallel_tool_use"):
        taken["parallel_tool_calls"] = False
    return taken


def check_translatable(
    body: Mapping[str, Any], drafts: Sequence[IncomingMessage], upstream: str
) -> tuple[str, ...]:
    """Check a request that goes to an upstream of another dialect; return remarks for people.

    Raises:
        InputError: It contains something that the upstream cannot take.
    """
    for name in ("mcp_servers", "container"):
        if body.get(name):
            raise _untranslatable(f"the field {name}", upstream)
    for tool in mappings(body.get("tools")):
        if tool.get("type") not in (None, "custom"):
            raise _untranslatable(f"the tool {tool.get('type')}", upstream)
    notes: list[str] = []
    for draft in drafts:
        for part in draft.parts:
            if isinstance(part, Foreign) and part.kind == "redacted_thinking":
                notes.append("Redacted thinking was left out: only Anthropic can read it.")
            elif isinstance(part, Foreign) and not _translated(part, upstream):
                raise _untranslatable(f"a block of the type {part.kind}", upstream)
    return tuple(dict.fromkeys(notes))


def _untranslatable(what: str, upstream: str) -> InputError:
    return InputError(
        f"The request has {what}, which an upstream of the kind {upstream} cannot take.",
        hint="Leave it out, or set upstream to anthropic.",
    )


def translated(message: Message, upstream: str) -> Message:
    """Return a message of this dialect for an upstream of another one."""
    if not any(isinstance(part, Foreign) for part in message.parts):
        return message
    parts = (p for part in message.parts for p in _parts_for(part, upstream))
    return replace(message, parts=tuple(parts), tokens=None)


def _parts_for(part: Part, upstream: str) -> Iterator[Part]:
    if isinstance(part, Foreign):
        yield from _translated(part, upstream)
    else:
        yield part


def _translated(part: Foreign, upstream: str) -> tuple[Part, ...]:
    data = mapping(json.loads(part.data))
    match data:
        case {"type": "text", "text": str(said)}:
            return (Text(said),)
        case {"type": "document", "source": {"type": "text", "data": str(said)}}:
            title = text(data.get("title"))
            return (Text(f"<document>\n{title}\n{said}\n</document>"),)
        case {
            "type": "document",
            "source": {"type": "base64", "media_type": "application/pdf", "data": str(pdf)},
        } if upstream == "openai":
            name = text(data.get("title")) or "document.pdf"
            file = {"filename": name, "file_data": f"{_PDF}{pdf}"}
            return (Foreign("file", json.dumps({"type": "file", "file": file})),)
        case _:
            return ()


# ---- the body for a server --------------------------------------------------------------------


def body(request: ChatRequest, model: str, *, stream: bool = True) -> Wire:
    """Return the body of ``POST /v1/messages``."""
    # The dialect has one place for system messages, before all others.
    system = [one.text for one in request.messages if one.role is Role.SYSTEM]
    rest = [one for one in request.messages if one.role is not Role.SYSTEM]
    wire: Wire = {**request.options, "model": model, "messages": list(messages(rest))}
    if any(system):
        wire["system"] = "\n\n".join(each for each in system if each)
    if request.tools:
        wire["tools"] = [_tool(spec) for spec in request.tools]
    else:
        wire.pop("tool_choice", None)
    wire["max_tokens"] = request.max_output or LEAST_MAX_TOKENS
    wire["stream"] = stream
    return wire


def _tool(spec: ToolSpec) -> Wire:
    if spec.given is not None:
        return dict(spec.given)
    schema = dict(spec.parameters) or {"type": "object", "properties": {}}
    return {"name": spec.name, "description": spec.description, "input_schema": schema}


def from_chat_completions(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return options in the form of chat completions as those of this dialect.

    Raises:
        InputError: ``response_format`` has no counterpart.
    """
    taken = {name: options[name] for name in _PLAIN if options.get(name) is not None}
    if isinstance(heat := taken.get("temperature"), int | float):
        taken["temperature"] = min(heat, 1)
    if stops := options.get("stop"):
        taken["stop_sequences"] = [stops] if isinstance(stops, str) else stops
    match options.get("response_format"):
        case None | {"type": "text"}:
            pass
        case {"type": "json_schema", "json_schema": {"schema": dict() as schema}}:
            form = {"type": "json_schema", "schema": schema}
            taken["output_config"] = {"format": form}
        case _:
            raise InputError(
                "The upstream has Anthropic's API, which has no JSON mode without a schema.",
                hint="Send a response_format of the type json_schema.",
            )
    if (choice := _choice(options)) is not None:
        taken["tool_choice"] = choice
    return taken


def _choice(options: Mapping[str, Any]) -> Wire | None:
    match options.get("tool_choice"):
        case {"function": {"name": str(name)}}:
            choice: Wire = {"type": "tool", "name": name}
        case str(named) if named in _OURS:
            choice = {"type": _OURS[named]}
        case _:
            choice = {"type": "auto"}
            if options.get("parallel_tool_calls") is not False:
                return None
    if options.get("parallel_tool_calls") is False and choice["type"] != "none":
        choice["disable_parallel_tool_use"] = True
    return choice


def check_for_anthropic(
    drafts: Sequence[IncomingMessage], tools: Sequence[ToolSpec]
) -> tuple[str, ...]:
    """Check a request of another dialect for an upstream of this one; return remarks for people.

    Raises:
        InputError: It contains something that the upstream cannot take.
    """
    for tool in tools:
        if tool.given is not None:
            raise _not_taken(f"the tool {tool.name}")
    notes: list[str] = []
    for draft in drafts:
        for part in draft.parts:
            if isinstance(part, Reasoning):
                notes.append("Reasoning was left out: Anthropic takes none without its signature.")
            elif isinstance(part, Foreign) and _document(part) is None:
                raise _not_taken(f"a part of the type {part.kind}")
    return tuple(dict.fromkeys(notes))


def _not_taken(what: str) -> InputError:
    return InputError(
        f"The request has {what}, which Anthropic's API cannot take.",
        hint="Leave it out, or set another upstream.",
    )


def for_anthropic(message: Message) -> Message:
    """Return a message of another dialect with its files as documents."""
    found = {part: _document(part) for part in message.parts if isinstance(part, Foreign)}
    if not found:
        return message
    parts = tuple(found.get(p) or p if isinstance(p, Foreign) else p for p in message.parts)
    return replace(message, parts=parts, tokens=None)


def _document(part: Foreign) -> Foreign | None:
    match json.loads(part.data):
        case {"type": "file", "file": {"file_data": str(uri), **about}} if uri.startswith(_PDF):
            source = {"type": "base64", "media_type": "application/pdf"}
            block: Wire = {"type": "document", "source": {**source, "data": uri[len(_PDF) :]}}
            if title := text(about.get("filename")):
                block["title"] = title
            return Foreign("document", json.dumps(block, ensure_ascii=False))
        case {"type": "text"}:
            return part  # a reminder is the same in both dialects
        case _:
            return None
