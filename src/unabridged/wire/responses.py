"""OpenAI's Responses API as a server reads it: items, tools and options of ``POST /responses``.

Source of the format: the official ``openai`` Python client 3.54.0 (types/responses), against which
it is tested. What is read comes out as chat completions have it, so that one way serves both.
Pure functions: nothing here talks to anybody.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from unabridged.domain.chat import ToolSpec
from unabridged.domain.client_history import RequestOptions
from unabridged.domain.message import Image, Part, Role, Text, ToolCall, ToolResult
from unabridged.errors import InputError
from unabridged.wire.incoming_message import IncomingMessage, Wire, role_of
from unabridged.wire.lenient_json import mapping, mappings, number, text
from unabridged.wire.openai import function_spec

Find = Callable[[str], Sequence[Mapping[str, Any]] | None]
"""Gives the items that an ``item_reference`` stands for, or None where it names nothing."""

_OWN = frozenset(
    (
        "input instructions model stream stream_options store previous_response_id metadata include "
        "truncation background background_options conversation prompt max_tool_calls tools "
        "tool_choice text reasoning max_output_tokens top_logprobs context_management num_ctx "
        "prompt_cache_options prompt_cache_retention moderation image access_programs"
    ).split()
)
"""Fields that chat completions do not have, or have under another name; all others go on."""

_PASSED_OVER = ("reasoning", "compaction_trigger")
"""Items that say nothing to a model of another server: thinking is never sent again."""


@dataclass(frozen=True, slots=True)
class ResponsesRequest:
    """A request as it was read.

    Attributes:
        drafts: The messages; ``instructions`` come first, as a system message.
        request_options: Tools, limits and options, these as chat completions have them.
        previous: The response that it goes on from (``previous_response_id``), or None.
        echo: What a response repeats of its request.
        notes: What a person should know: tools that were left out.
    """

    model: str
    drafts: tuple[IncomingMessage, ...]
    request_options: RequestOptions
    previous: str | None = None
    stream: bool = False
    echo: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def asked(
    body: Mapping[str, Any],
    *,
    names: Mapping[str, str] | None = None,
    find: Find = lambda _: None,
) -> ResponsesRequest:
    """Read a request.

    ``names`` has the tools of earlier calls by the calls' ids; ``find`` looks up an ``item_reference``.

    Raises:
        InputError: It has an item, a tool or a wish that cannot be taken. Tools that only
            OpenAI's servers run are left out instead, and told in ``notes``.
    """
    _check(body)
    instructions, stream = body.get("instructions"), body.get("stream")
    if stream not in (None, True, False):
        raise InputError("The field stream is neither true nor false.")
    if instructions is not None and not isinstance(instructions, str):
        raise InputError("The instructions are no text.", hint="Send them as one text.")
    system = (IncomingMessage(Role.SYSTEM, (Text(instructions),)),) if instructions else ()
    offered = _offered(body)
    tools, choice = _chosen(body, tuple(_tool(tool) for tool in offered.functions))
    return ResponsesRequest(
        model=text(body.get("model")),
        drafts=system + drafts(body.get("input"), names=names, find=find),
        request_options=RequestOptions(
            tools=tools,
            window=number(body.get("num_ctx")),
            max_output=number(body.get("max_output_tokens")) or None,
            options=_options(body, choice),
        ),
        previous=text(body.get("previous_response_id")) or None,
        stream=stream is True,
        echo=_echo(body),
        notes=offered.notes,
    )


_NOT_HERE = {
    "background": "Ask without background, and stream the answer where it takes long.",
    "conversation": "Go on with previous_response_id, or send the whole history.",
    "prompt": "Send the prompt's words as instructions and input.",
}


def _check(body: Mapping[str, Any]) -> None:
    for name, hint in _NOT_HERE.items():
        if body.get(name):
            raise InputError(f"This server has no {name}.", hint=hint)


# ---- items ------------------------------------------------------------------------------------


def drafts(
    given: Any, *, names: Mapping[str, str] | None = None, find: Find = lambda _: None
) -> tuple[IncomingMessage, ...]:
    """Read ``input``: a text, or a list of items.

    Words and calls of the assistant that follow each other are one message, as in chat
    completions. Reasoning is passed over.

    Raises:
        InputError: It is neither, or an item cannot be taken.
    """
    if given is None:
        return ()
    if isinstance(given, str):
        return (IncomingMessage(Role.USER, (Text(given),)),)
    if not isinstance(given, list):
        raise InputError("The input is neither a text nor a list of items.")
    known = dict(names or {})
    read: list[IncomingMessage] = []
    for place, item in enumerate(_whole(given, find)):
        draft = _draft(item, place, known)
        if draft is None:
            continue
        known.update((call.id, call.name) for call in draft.calls)
        if read and _goes_with(read[-1], draft):
            read[-1] = IncomingMessage(draft.role, _words_first(read[-1].parts + draft.parts))
        else:
            read.append(draft)
    return tuple(read)


def _whole(given: list[Any], find: Find) -> Iterator[Mapping[str, Any]]:
    for place, item in enumerate(given):
        if not isinstance(item, Mapping):
            raise InputError(f"Item {place + 1} of the input is no object.")
        refers = item.get("type") == "item_reference" or set(item) == {"id"}
        if not refers:
            yield item
            continue
        found = find(text(item.get("id")))
        if found is None:
            raise InputError(
                f"Item {place + 1} refers to {item.get('id')!r}, which is not stored.",
                hint="Send the item itself.",
            )
        yield from found


def _goes_with(before: IncomingMessage, draft: IncomingMessage) -> bool:
    if before.role is not Role.ASSISTANT or draft.role is not Role.ASSISTANT:
        return False
    return bool(draft.calls) or bool(before.calls and not before.text)


def _words_first(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    return tuple(sorted(parts, key=lambda part: isinstance(part, ToolCall)))


def _draft(item: Mapping[str, Any], place: int, names: Mapping[str, str]) -> IncomingMessage | None:
    kind = item.get("type") or ("message" if "role" in item else None)
    if kind == "message":
        return IncomingMessage(role_of(item, place), _parts(item.get("content"), place))
    if kind == "function_call":
        return IncomingMessage(Role.ASSISTANT, (_call(item, place),))
    if kind == "function_call_output":
        call_id = text(item.get("call_id"))
        said = _output(item.get("output"), place)
        return IncomingMessage(Role.TOOL, (ToolResult(call_id, names.get(call_id, ""), said),))
    if kind in _PASSED_OVER:
        return None
    raise InputError(
        f"Item {place + 1} of the input has the type {kind!r}.",
        hint="Messages, function_call, function_call_output and reasoning can be taken.",
    )


def _call(item: Mapping[str, Any], place: int) -> ToolCall:
    name, arguments = item.get("name"), item.get("arguments", "{}")
    if not isinstance(name, str):
        raise InputError(f"Item {place + 1} of the input is a function call without a name.")
    written = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return ToolCall(text(item.get("call_id")) or text(item.get("id")), name, written or "{}")


def _output(output: Any, place: int) -> str:
    if isinstance(output, str):
        return output
    if isinstance(output, list):
        parts = [_part(part, place) for part in output]
        if all(isinstance(part, Text) for part in parts):
            return "\n".join(part.text for part in parts if isinstance(part, Text))
    raise InputError(
        f"Item {place + 1} of the input is an output that is not a text.",
        hint="Send what the tool gave back as text.",
    )


def _parts(content: Any, place: int) -> tuple[Part, ...]:
    if content is None or content == "":
        return ()
    if isinstance(content, str):
        return (Text(content),)
    if isinstance(content, list):
        return tuple(_part(part, place) for part in content)
    raise InputError(
        f"Item {place + 1} of the input has content of the type {type(content).__name__}."
    )


_TEXTS = frozenset({"input_text", "output_text", "text"})


def _part(part: Any, place: int) -> Part:
    match part:
        case {"type": str(named), "text": str(said)} if named in _TEXTS:
            return Text(said)
        case {"type": "refusal", "refusal": str(said)}:
            return Text(said)
        case {"type": "input_image", "image_url": str(uri)} if uri:
            return Image(uri)
        case _:
            pass
    kind = part.get("type") if isinstance(part, Mapping) else type(part).__name__
    raise InputError(
        f"Item {place + 1} of the input has a part of the type {kind!r} that cannot be taken.",
        hint="Send input_text, output_text, or input_image with an image_url: no files are kept.",
    )


# ---- tools and options ------------------------------------------------------------------------


_KIND = re.compile(r"[a-z0-9_]{1,64}")


@dataclass(frozen=True, slots=True)
class _Offered:
    """The tools of a request: functions, and the kinds of those that only OpenAI's servers have."""

    functions: tuple[Mapping[str, Any], ...]
    others: tuple[str, ...]

    @property
    def notes(self) -> tuple[str, ...]:
        """What a person should know of those that are left out."""
        return tuple(f"The tool {kind} was left out: nobody runs it here." for kind in self.others)


def _offered(body: Mapping[str, Any]) -> _Offered:
    given = body.get("tools") or ()
    if not isinstance(given, (list, tuple)):
        raise InputError("The tools are no list.")
    functions: list[Mapping[str, Any]] = []
    others: list[str] = []
    for place, tool in enumerate(given):
        kind = tool.get("type") if isinstance(tool, Mapping) else None
        if not isinstance(kind, str) or not _KIND.fullmatch(kind):
            raise InputError(f"Tool {place + 1} has no type.", hint="Offer functions.")
        if kind == "function":
            functions.append(tool)
        elif kind not in others:
            others.append(kind)
    return _Offered(tuple(functions), tuple(others))


def _chosen(
    body: Mapping[str, Any], tools: tuple[ToolSpec, ...]
) -> tuple[tuple[ToolSpec, ...], Any]:
    match body.get("tool_choice"):
        case {"type": "function", "name": str(name)}:
            return tools, {"type": "function", "function": {"name": name}}
        case {"type": "allowed_tools", "mode": str(mode), "tools": list(allowed)}:
            kept = {text(tool.get("name")) for tool in mappings(allowed)}
            return tuple(tool for tool in tools if tool.name in kept), mode
        case str() | None as choice:
            return tools, choice
        case _:
            raise InputError(
                "The tool_choice names a tool that only OpenAI's own servers have.",
                hint="Use auto, none, required, a function, or allowed_tools.",
            )


def _tool(tool: Mapping[str, Any]) -> ToolSpec:
    match tool:
        case {"name": str(name), **rest}:
            return function_spec(name, rest)
        case _:
            raise InputError("A function is offered without a name.", hint="Give it one.")


def _options(body: Mapping[str, Any], choice: Any) -> Wire:
    options: Wire = {
        name: value for name, value in body.items() if name not in _OWN and value is not None
    }
    if choice is not None:
        options["tool_choice"] = choice
    shape = mapping(body.get("text"))
    if (form := response_format(mapping(shape.get("format")))) is not None:
        options["response_format"] = form
    if verbosity := text(shape.get("verbosity")):
        options["verbosity"] = verbosity
    if effort := text(mapping(body.get("reasoning")).get("effort")):
        options["reasoning_effort"] = effort
    if (count := number(body.get("top_logprobs"))) is not None:
        options |= {"logprobs": True, "top_logprobs": count}
    return options


def response_format(form: Mapping[str, Any]) -> Wire | None:
    """Give ``text.format`` as the ``response_format`` of chat completions; None for plain text.

    Raises:
        InputError: It is of an unknown type.
    """
    kind = form.get("type") or "text"
    if kind == "text":
        return None
    if kind == "json_object":
        return {"type": "json_object"}
    if kind == "json_schema":
        inner = {name: value for name, value in form.items() if name != "type"}
        return {"type": "json_schema", "json_schema": inner}
    raise InputError(
        f"The text format {kind!r} is unknown.", hint="Use text, json_schema or json_object."
    )


_REPEATED: Mapping[str, Any] = {
    "instructions": None,
    "max_output_tokens": None,
    "max_tool_calls": None,
    "parallel_tool_calls": True,
    "previous_response_id": None,
    "prompt_cache_key": None,
    "reasoning": {"effort": None, "summary": None},
    "safety_identifier": None,
    "store": True,
    "temperature": None,
    "text": {"format": {"type": "text"}},
    "tool_choice": "auto",
    "tools": [],
    "top_p": None,
    "truncation": "disabled",
    "user": None,
}
"""What a response repeats of its request, with what stands there where the request is silent."""


def _echo(body: Mapping[str, Any]) -> Wire:
    said = {name: body[name] for name in _REPEATED if body.get(name) is not None}
    shape = {**_REPEATED["text"], **mapping(said.get("text"))}
    return {**_REPEATED, **said, "text": shape, "metadata": mapping(body.get("metadata"))}


def echoed() -> Wire:
    """What a response repeats of a request that is not known any more."""
    return _echo({})
