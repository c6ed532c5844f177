"""Claude's account export: ``conversations.json``, alone or in its archive.

An array of conversations with ``uuid``, ``name``, ``created_at``, ``updated_at`` and
``chat_messages``, each of these with ``uuid``, ``sender`` (``human`` or ``assistant``), ``text``,
``content`` (blocks: ``text``, ``thinking``, ``tool_use``, ``tool_result``), ``attachments`` with
their ``extracted_content``, ``files``, and in newer exports ``parent_message_uuid``, which makes a
tree of them; a first message names 00000000-0000-4000-8000-000000000000 as its parent. The vendor
publishes no description; the facts are from github.com/TomzxCode/llm-conversations-viewer
(docs/formats.md), github.com/withLinda/claude-conversation-exporter (README) and further readers
of such exports found by the names of these fields.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from unabridged.domain.message import Part, Reasoning, Role, Text, ToolCall, ToolResult
from unabridged.transfer.build_conversation import (
    ImportOrigin,
    RawMessage,
    chained,
    content_key,
    split_by_speaker,
    transcript,
)
from unabridged.transfer.foreign_format import Format, each_record, signs
from unabridged.transfer.formats import placeholders
from unabridged.transfer.lenient_fields import (
    REPEATED_MESSAGE,
    Reasons,
    as_id,
    as_list,
    as_object,
    as_text,
)
from unabridged.transfer.reader import Item
from unabridged.transfer.records import JsonRecord

_NOT_SAID = frozenset({"token_budget", "flag"})
_TEXT_FIELDS = ("text", "transcript", "content", "title", "summary")
_TIMES = ("start_timestamp", "stop_timestamp", "flags", "citations")
_ROLES = {"human": Role.USER, "user": Role.USER, "assistant": Role.ASSISTANT}


def _conversation(record: JsonRecord) -> Iterator[Item]:
    data, reasons = as_object(record.value), Reasons()
    if not isinstance(data.get("chat_messages"), list):
        yield record.unread("not a conversation: it has no chat_messages")
        return
    messages, last = _messages(data["chat_messages"], reasons)
    if any(each.role is not Role.TOOL for each in messages):
        messages = placeholders.opened(messages)
    current = as_id(data.get("current_leaf_message_uuid"))
    origin = ImportOrigin(
        format=FORMAT.name,
        id=as_id(data.get("uuid")),
        title=as_text(data.get("name")),
        created=reasons.time(data.get("created_at")),
        updated=reasons.time(data.get("updated_at")),
        current=last.get(current or ""),
        model=as_text(data.get("model")) or None,
    )
    yield from transcript(record, origin, messages, reasons)


def _messages(
    listed: list[Any], reasons: Reasons
) -> tuple[list[RawMessage], dict[str, str | None]]:
    found: dict[str, list[RawMessage]] = {}
    parents: dict[str, str | None] = {}
    tree = any("parent_message_uuid" in as_object(data) for data in listed)
    before: str | None = None
    for position, data in enumerate(listed):
        pieces = _pieces(position, data, reasons)
        if not pieces:
            continue
        key = pieces[0].key
        if key in found:
            reasons[REPEATED_MESSAGE] += 1
            continue
        found[key] = pieces
        parents[key] = as_id(data.get("parent_message_uuid")) if tree else before
        before = key
    return chained(found, parents, reasons)


def _pieces(position: int, held: Any, reasons: Reasons) -> list[RawMessage]:
    data = as_object(held)
    role = _ROLES.get(as_text(data.get("sender")))
    if role is None:
        reasons.lost("a message of an unknown sender", held)
        return []
    parts = _parts(position, data, reasons)
    if not parts:
        return []
    at = reasons.time(data.get("created_at"))
    message = RawMessage(
        key=as_id(data.get("uuid")) or "",
        role=role,
        parts=(),
        at=at,
        model=as_text(data.get("model")) or None,
        broken=bool(data.get("truncated")) and role is Role.ASSISTANT,
        where=f"message {position + 1}",
    )
    if not message.key:
        said = split_by_speaker(message, parts)[0].parts
        message = replace(message, key=content_key(position, role.value, said))
    return split_by_speaker(message, parts)


def _parts(position: int, data: Mapping[str, Any], reasons: Reasons) -> list[Part]:
    parts = list(_blocks(position, as_list(data.get("content")), reasons))
    if not any(isinstance(part, Text) for part in parts) and as_text(data.get("text")):
        parts.append(Text(as_text(data.get("text"))))
    parts.extend(_attached(data))
    return parts


def _blocks(position: int, blocks: list[Any], reasons: Reasons) -> Iterator[Part]:
    call = ""
    for number, each in enumerate(blocks):
        block = as_object(each)
        kind, text = as_text(block.get("type")), as_text(block.get("text"))
        if kind == "text":
            if text:
                yield Text(text)
        elif kind == "thinking":
            if as_text(block.get("thinking")):
                yield Reasoning(as_text(block.get("thinking")))
        elif kind == "tool_use":
            call = as_id(block.get("id")) or f"call-{position}-{number}"
            arguments = reasons.json(block.get("input") or {})
            yield ToolCall(call, as_text(block.get("name")), arguments)
        elif kind == "tool_result":
            yield _result(block, call)
        elif kind not in _NOT_SAID:
            yield from _other(block, reasons)


def _other(block: Mapping[str, Any], reasons: Reasons) -> Iterator[Part]:
    # New features add kinds of blocks, but their text is mostly in the same fields.
    text = next((as_text(block.get(name)) for name in _TEXT_FIELDS if block.get(name)), "")
    if text:
        yield Text(text)
    elif block.keys() - {"type", *_TIMES}:
        reasons.lost(f"content of the type {as_text(block.get('type'))[:40]!r}", block)


def _result(block: Mapping[str, Any], call: str) -> ToolResult:
    content = block.get("content")
    if isinstance(content, list):
        texts = (as_text(as_object(each).get("text")) for each in content)
        text = "\n".join(filter(None, texts))
    else:
        text = as_text(content) or as_text(block.get("text"))
    named = as_id(block.get("tool_use_id")) or call
    failed = block.get("is_error") is True
    return ToolResult(named, as_text(block.get("name")), text, failed=failed)


def _attached(data: Mapping[str, Any]) -> Iterator[Part]:
    for each in as_list(data.get("attachments")):
        name = as_text(as_object(each).get("file_name")) or "pasted text"
        words = as_text(as_object(each).get("extracted_content"))
        yield Text(f"[attached: {name}]\n{words}" if words else f"[attached: {name}]")
    for each in as_list(data.get("files")):
        yield Text(f"[attached: {as_text(as_object(each).get('file_name')) or 'a file'}]")


FORMAT = Format(
    "claude",
    "Claude account export",
    signs("chat_messages"),
    each_record(_conversation),
)
