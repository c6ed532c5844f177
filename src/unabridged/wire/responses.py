"""OpenAI's Responses API, requests: items, tools and options of ``POST /responses``.

Source of the format: the official ``openai`` Python client 3.54.0 (types/responses), against which
it is tested. The result has the form of chat completions, so that both share one path. Pure
functions, without any connection.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from unabridged.domain.client_history import RequestOptions
from unabridged.domain.message import (
    Foreign,
    Image,
    Part,
    Reasoning,
    Role,
    Text,
    ToolCall,
    ToolResult,
)
from unabridged.errors import InputError
from unabridged.wire.incoming_message import IncomingMessage, Wire, joined, role_of
from unabridged.wire.lenient_json import mapping, mappings, number, text
from unabridged.wire.responses_tools import chosen_tools, offered_tools, tool_spec, within

Find = Callable[[str], Sequence[Mapping[str, Any]] | None]
"""Returns the items of an ``item_reference``, or None if it is unknown."""

_OWN = frozenset(
    (
        "input instructions model stream stream_options store previous_response_id metadata include "
        "truncation background background_options conversation prompt max_tool_calls tools "
        "tool_choice text reasoning max_output_tokens top_logprobs context_management num_ctx "
        "prompt_cache_options prompt_cache_retention moderation image access_programs"
    ).split()
)
"""Fields that chat completions lack or call differently; all others are passed on."""

_PASSED_OVER = ("compaction_trigger",)
"""Items that ask the server for something, and say nothing."""
_CALLS = ("function_call", "custom_tool_call")
_OUTPUTS = ("function_call_output", "custom_tool_call_output")


@dataclass(frozen=True, slots=True)
class ResponsesRequest:
    """A parsed request.

    Attributes:
        drafts: The messages; ``instructions`` come first, as a system message.
        request_options: Tools, limits and options, these as chat completions have them.
        previous: The response that it continues (``previous_response_id``), or None.
        echo: The part of a request that its response repeats.
        notes: Remarks for people: tools that were left out.
        custom: The names of its custom tools, which take a text instead of JSON.
        spaces: The namespace of each tool that is in one, by the name that other servers get.
    """

    model: str
    drafts: tuple[IncomingMessage, ...]
    request_options: RequestOptions
    previous: str | None = None
    stream: bool = False
    echo: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    custom: frozenset[str] = frozenset()
    spaces: Mapping[str, str] = field(default_factory=dict)


def asked(
    body: Mapping[str, Any],
    *,
    names: Mapping[str, str] | None = None,
    find: Find = lambda _: None,
) -> ResponsesRequest:
    """Parse a request.

    ``names`` maps the ids of earlier calls to their tools; ``find`` looks up an ``item_reference``.

    Raises:
        InputError: It has an unsupported item, tool or option. Tools that only OpenAI's servers run
            are left out instead, and listed in ``notes``.
    """
    _check(body)
    instructions, stream = body.get("instructions"), body.get("stream")
    if stream not in (None, True, False):
        raise InputError("The field stream is neither true nor false.")
    if instructions is not None and not isinstance(instructions, str):
        raise InputError("The instructions are not a text.", hint="Send them as one text.")
    system = (IncomingMessage(Role.SYSTEM, (Text(instructions),)),) if instructions else ()
    offered = offered_tools(body)
    tools, choice = chosen_tools(body, tuple(map(tool_spec, offered.functions)), offered.spaces)
    return ResponsesRequest(
        model=text(body.get("model")),
        drafts=system + drafts(body.get("input"), names=names, find=find),
        request_options=RequestOptions(
            tools=tools,
            window=number(body.get("num_ctx")),
            max_output=number(body.get("max_output_tokens")) or None,
            options=_options(body, choice, offered=bool(tools)),
        ),
        previous=text(body.get("previous_response_id")) or None,
        stream=stream is True,
        echo=_echo(body),
        notes=offered.notes,
        custom=offered.custom,
        spaces=offered.spaces,
    )


_NOT_HERE = {
    "background": "Leave background out, and stream long answers.",
    "conversation": "Use previous_response_id, or send the whole history.",
    "prompt": "Send the prompt's text as instructions and input.",
}


def _check(body: Mapping[str, Any]) -> None:
    for name, hint in _NOT_HERE.items():
        if body.get(name):
            raise InputError(f"This server does not support {name}.", hint=hint)


# ---- items ------------------------------------------------------------------------------------


def drafts(
    given: Any, *, names: Mapping[str, str] | None = None, find: Find = lambda _: None
) -> tuple[IncomingMessage, ...]:
    """Parse ``input``: a text, or a list of items.

    Consecutive reasoning, texts and calls of the assistant are one message, as in chat completions.
    An item of a kind that only OpenAI's servers have is kept as it is.

    Raises:
        InputError: It is neither, or an item has no type.
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
            parts = _words_first(read[-1].parts + draft.parts)
            read[-1] = IncomingMessage(draft.role, parts, items=read[-1].items + draft.items)
        else:
            read.append(draft)
    return tuple(read)


def _whole(given: list[Any], find: Find) -> Iterator[Mapping[str, Any]]:
    for place, item in enumerate(given):
        if not isinstance(item, Mapping):
            raise InputError(f"Item {place + 1} of the input is not an object.")
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
    # Results follow the message with the calls, so that nothing may come between calls.
    return bool(draft.calls or before.calls) or all(
        isinstance(part, Reasoning) for part in before.parts
    )


def _words_first(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    order = {Reasoning: 0, ToolCall: 2}
    return tuple(sorted(parts, key=lambda part: order.get(type(part), 1)))


def _thought(item: Mapping[str, Any]) -> str:
    told = (*mappings(item.get("summary")), *mappings(item.get("content")))
    return "\n".join(text(part.get("text")) for part in told if part.get("text"))


def _draft(item: Mapping[str, Any], place: int, names: Mapping[str, str]) -> IncomingMessage | None:
    kind = item.get("type") or ("message" if "role" in item else None)
    if kind == "message":
        return IncomingMessage(role_of(item, place), _parts(item.get("content"), place))
    if kind in _CALLS:
        return IncomingMessage(Role.ASSISTANT, (_call(item, place),))
    if kind in _OUTPUTS:
        call_id = text(item.get("call_id"))
        told = _output(item.get("output"), place)
        result = ToolResult(call_id, names.get(call_id, ""), joined(told))
        others = tuple(part for part in told if not isinstance(part, Text))
        return IncomingMessage(Role.TOOL, (result, *others))
    if kind == "reasoning":
        thought = _thought(item)
        return IncomingMessage(Role.ASSISTANT, (Reasoning(thought),)) if thought else None
    if kind in _PASSED_OVER:
        return None
    if isinstance(kind, str):
        return IncomingMessage(Role.ASSISTANT, (_foreign(kind, item),))
    raise InputError(
        f"Item {place + 1} of the input has no type.",
        hint="Use messages, function_call, function_call_output or reasoning.",
    )


def _foreign(kind: str, item: Mapping[str, Any]) -> Foreign:
    return Foreign(kind, json.dumps(item, ensure_ascii=False))


def _call(item: Mapping[str, Any], place: int) -> ToolCall:
    name, arguments = item.get("name"), item.get("arguments", "{}")
    if not isinstance(name, str):
        raise InputError(f"Item {place + 1} of the input is a function call without a name.")
    if item.get("type") == "custom_tool_call":
        arguments = {"input": text(item.get("input"))}
    name = within(text(item.get("namespace")), name)
    written = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return ToolCall(text(item.get("call_id")) or text(item.get("id")), name, written or "{}")


def _output(output: Any, place: int) -> tuple[Part, ...]:
    return _parts(output, place)


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
        case {"type": "input_image" | "input_file", "file_id": str(name)} if name:
            raise InputError(
                f"Item {place + 1} of the input names a file that only OpenAI's servers hold.",
                hint="Send the content itself: image_url, or file_data.",
            )
        case {"type": "input_file", **file}:
            return _foreign("file", {"type": "file", "file": file})
        case {"type": str(kind)}:
            return _foreign(kind, part)
        case _:
            pass
    raise InputError(
        f"Item {place + 1} of the input has a part without a type.",
        hint='Send parts as objects: {"type": "input_text", "text": "…"}.',
    )


_OF_TOOLS = ("tool_choice", "parallel_tool_calls")
"""Options that chat completions take only with tools: Codex sends them without, to compact."""


def _options(body: Mapping[str, Any], choice: Any, *, offered: bool) -> Wire:
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
    return options if offered else {k: v for k, v in options.items() if k not in _OF_TOOLS}


def response_format(form: Mapping[str, Any]) -> Wire | None:
    """Return ``text.format`` as ``response_format`` of chat completions; None for plain text.

    Raises:
        InputError: Its type is unknown.
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
"""Return the part of a request that its response repeats, with defaults."""


def _echo(body: Mapping[str, Any]) -> Wire:
    said = {name: body[name] for name in _REPEATED if body.get(name) is not None}
    shape = {**_REPEATED["text"], **mapping(said.get("text"))}
    return {**_REPEATED, **said, "text": shape, "metadata": mapping(body.get("metadata"))}


def echoed() -> Wire:
    """Return the repeated part for a request that is no longer known."""
    return _echo({})
