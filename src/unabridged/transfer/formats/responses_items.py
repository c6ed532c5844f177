"""Items of OpenAI's Responses API, which Codex also uses for its sessions.

An item has a ``type``: ``message`` (``role``, ``content`` of ``input_text``, ``output_text``,
``refusal``, ``input_image``), ``reasoning`` (``summary``, ``content``, ``encrypted_content``),
``function_call`` (``call_id``, ``name``, ``arguments``) and its ``function_call_output``, and more
tools after the same pattern. Facts: platform.openai.com/docs/api-reference/responses and
github.com/openai/codex (codex-rs/protocol/src/models.rs).
"""

from collections.abc import Iterator, Mapping
from typing import Any

from unabridged.domain.message import Image, Part, Reasoning, Role, Text, ToolCall, ToolResult
from unabridged.transfer.lenient_fields import (
    HIDDEN_REASONING,
    SYSTEM_MESSAGE,
    Reasons,
    as_id,
    as_list,
    as_object,
    as_text,
)

ROLES: Mapping[str, Role] = {
    "user": Role.USER,
    "human": Role.USER,
    "assistant": Role.ASSISTANT,
    "bot": Role.ASSISTANT,
    "ai": Role.ASSISTANT,
    "model": Role.ASSISTANT,
    "tool": Role.TOOL,
    "function": Role.TOOL,
}
"""The roles by the names in files."""
SYSTEM_ROLES = frozenset({"system", "developer"})


Said = tuple[Role, tuple[Part, ...]]
"""The content and role of one message or item."""

_NOT_SAID = frozenset({"ghost_snapshot", "compaction", "context_compaction", "compaction_summary"})
_CALL, _OUTPUT = "_call", "_output"
_HANDLED = frozenset({"id", "type", "status", "call_id", "name", "internal_chat_message_metadata"})


def role_of(name: Any, held: Any, reasons: Reasons, unknown: str) -> Role | None:
    """Return the role; count a message of the system or of an unknown role."""
    said = as_text(name).lower()
    if said in SYSTEM_ROLES:
        reasons[SYSTEM_MESSAGE] += 1
        return None
    if said not in ROLES:
        reasons.lost(unknown, held)
    return ROLES.get(said)


def is_item(kind: str) -> bool:
    """Return whether a type is an item other than a message: a call, its output, thinking."""
    return kind == "reasoning" or kind.endswith((_CALL, _CALL + _OUTPUT))


def said_by(data: Mapping[str, Any], reasons: Reasons) -> Said | None:
    """Read one item.

    Returns:
        Its content; None if nothing of it is imported.
    """
    kind = as_text(data.get("type"))
    if kind in ("message", ""):
        return _message(data, reasons)
    if kind == "reasoning":
        text = _reasoning(data)
        if not text:
            reasons[HIDDEN_REASONING] += 1
        return (Role.ASSISTANT, (Reasoning(text),)) if text else None
    if kind.endswith(_CALL + _OUTPUT):
        return (Role.TOOL, _result(data, reasons))
    if kind.endswith(_CALL):
        return (Role.ASSISTANT, (_call(kind, data, reasons),))
    if kind in _NOT_SAID:
        reasons["program note"] += 1
    else:
        reasons.lost(f"an item of the type {kind[:40]!r}", data)
    return None


def content(value: Any, reasons: Reasons) -> Iterator[Part]:
    """Read the content of a message: a text, or a list of parts."""
    if isinstance(value, str):
        if value:
            yield Text(value)
        return
    for each in as_list(value):
        part = {"type": "text", "text": each} if isinstance(each, str) else as_object(each)
        text = as_text(part.get("text")) or as_text(part.get("refusal"))
        image = part.get("image_url")
        uri = as_text(image) or as_text(as_object(image).get("url"))
        if text:
            yield Text(text)
        elif uri:
            yield Image(uri)
        elif part != {"type": "text", "text": ""}:
            reasons.lost(f"content of the type {as_text(part.get('type'))[:40]!r}", each)


def _message(data: Mapping[str, Any], reasons: Reasons) -> Said | None:
    role = role_of(data.get("role"), data, reasons, "a message of an unknown role")
    if role is None:
        return None
    parts = tuple(content(data.get("content"), reasons))
    return (role, parts) if parts else None


def _reasoning(data: Mapping[str, Any]) -> str:
    listed = [*as_list(data.get("summary")), *as_list(data.get("content"))]
    return "\n\n".join(filter(None, (as_text(as_object(each).get("text")) for each in listed)))


def _call(kind: str, data: Mapping[str, Any], reasons: Reasons) -> ToolCall:
    call = as_id(data.get("call_id")) or as_id(data.get("id")) or ""
    name = as_text(data.get("name")) or kind.removesuffix(_CALL)
    arguments = data.get("arguments")
    if not isinstance(arguments, str):
        rest = {key: value for key, value in data.items() if key not in _HANDLED}
        arguments = reasons.json(arguments if isinstance(arguments, dict) else rest)
    return ToolCall(call, name, arguments)


def _result(data: Mapping[str, Any], reasons: Reasons) -> tuple[Part, ...]:
    output = data.get("output")
    failed = as_object(output).get("success") is False
    if isinstance(output, dict):
        inner = output.get("content")
        output = inner if isinstance(inner, (str, list)) else reasons.json(output)
    parts = tuple(content(output, reasons))
    text = "\n".join(part.text for part in parts if isinstance(part, Text))
    images = tuple(part for part in parts if isinstance(part, Image))
    call = as_id(data.get("call_id")) or ""
    return (ToolResult(call, as_text(data.get("name")), text, failed), *images)
