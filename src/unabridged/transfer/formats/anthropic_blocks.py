"""Blocks of content as Anthropic's API has them: ``text``, ``thinking``, ``tool_use`` and so on.

Facts: docs.anthropic.com/en/api/messages (content blocks).
"""

from collections.abc import Iterator, Mapping
from typing import Any

from unabridged.domain.message import Image, Part, Reasoning, Text, ToolCall, ToolResult
from unabridged.transfer.lenient_fields import (
    HIDDEN_REASONING,
    Reasons,
    as_id,
    as_list,
    as_object,
    as_text,
)

_CALLS = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})
_RESULT = "tool_result"


def said(content: Any, name: str, reasons: Reasons) -> Iterator[Part]:
    """Read the text and calls of a message; ``results`` reads results of tools.

    The name identifies the message, for calls without an id.
    """
    for number, block in enumerate(_blocks(content)):
        kind = as_text(block.get("type"))
        if kind in _CALLS:
            call = as_id(block.get("id")) or f"{name}/{number}"
            arguments = reasons.json(block.get("input") or {})
            yield ToolCall(call, as_text(block.get("name")), arguments)
        elif not kind.endswith(_RESULT):
            yield from _plain(block, reasons)


def results(content: Any, reasons: Reasons) -> Iterator[Part]:
    """Read the results of tools in a message, each with its pictures."""
    for block in _blocks(content):
        if as_text(block.get("type")).endswith(_RESULT):
            yield from _result(block, reasons)


def _blocks(content: Any) -> Iterator[Mapping[str, Any]]:
    for each in as_list([content] if isinstance(content, str) else content):
        if isinstance(each, str):
            yield {"type": "text", "text": each}
        else:
            yield each if isinstance(each, dict) else {"type": "no object", "held": each}


def _plain(block: Mapping[str, Any], reasons: Reasons) -> Iterator[Part]:
    kind = as_text(block.get("type"))
    if kind == "text":
        if as_text(block.get("text")):
            yield Text(as_text(block.get("text")))
    elif kind == "thinking":
        if as_text(block.get("thinking")):
            yield Reasoning(as_text(block.get("thinking")))
    elif kind == "redacted_thinking":
        reasons[HIDDEN_REASONING] += 1
    elif kind == "image" and (uri := _picture(as_object(block.get("source")))):
        yield Image(uri)
    else:
        reasons.lost(f"content of the type {kind[:40]!r}", block)


def _result(block: Mapping[str, Any], reasons: Reasons) -> Iterator[Part]:
    inner = [part for each in _blocks(block.get("content")) for part in _plain(each, reasons)]
    text = "\n".join(part.text for part in inner if isinstance(part, Text))
    failed = block.get("is_error") is True
    call = as_id(block.get("tool_use_id")) or ""
    yield ToolResult(call, as_text(block.get("name")), text, failed)
    yield from (part for part in inner if isinstance(part, Image))


def _picture(source: Mapping[str, Any]) -> str:
    data, kind = as_text(source.get("data")), as_text(source.get("media_type"))
    return f"data:{kind};base64,{data}" if data else as_text(source.get("url"))
