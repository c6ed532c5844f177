"""ChatGPT's account export: ``conversations.json``, alone or in its archive.

An array of conversations, in some exports under the key ``conversations``. Each is a tree:
``mapping`` from node id to ``message``, ``parent`` and ``children``; ``current_node`` is the newest
node of the path that was shown last; edited messages and regenerated answers are siblings. Large
accounts get ``conversations-000.json`` and so on.

Hidden messages, custom instructions and recordings are skipped and counted: the words of a
recording are in its transcription. The vendor publishes no description; the facts are from people
who read many exports: github.com/mitkury/chatgpt-export-parser
(docs/chatgpt-data-export-format.md), github.com/mohamed-chs/convoviz (docs/dev/chatgpt-spec.md),
github.com/TomzxCode/llm-conversations-viewer (docs/formats.md) and
difegam.github.io/chatgpt-to-markdown (reference/data-models, explanation/export-format).
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from unabridged.domain.message import Image, Part, Reasoning, Role, Text, ToolCall, ToolResult
from unabridged.transfer.build_conversation import ImportOrigin, RawMessage, in_order, transcript
from unabridged.transfer.foreign_format import Format, each_record, signs
from unabridged.transfer.formats import placeholders
from unabridged.transfer.lenient_fields import (
    CIRCLE,
    SYSTEM_MESSAGE,
    Reasons,
    as_id,
    as_list,
    as_object,
    as_text,
)
from unabridged.transfer.reader import Item
from unabridged.transfer.records import JsonRecord

_CONTEXT_TYPES = {
    "user_editable_context": "custom instruction message",
    "model_editable_context": "saved memory message",
}
_REASONING_TYPES = frozenset({"thoughts", "reasoning_recap"})
_TEXT_FIELDS = ("text", "result", "content", "output", "output_str", "summary", "title", "url")
_NESTED_FIELDS = ("screenshot", "image", "parts", "items", "data")
"""The fields of unknown parts that may hold pictures and texts."""
_SYSTEM_ROLES = frozenset({"system", "developer"})
_BROKEN = frozenset({"interrupted", "max_tokens"})
_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT, "tool": Role.TOOL}


def _conversation(record: JsonRecord) -> Iterator[Item]:
    data, reasons = as_object(record.value), Reasons()
    if isinstance(data.get("conversations"), list):
        for number, each in enumerate(data["conversations"], start=1):
            yield from _conversation(JsonRecord(f"{record.where}, conversation {number}", each))
        return
    if not isinstance(data.get("mapping"), dict):
        yield record.unread("not a conversation: it has no mapping of messages")
        return
    messages, shown = _messages(data["mapping"], reasons)
    if any(each.role is not Role.TOOL for each in messages):
        messages = placeholders.opened(messages)
    current = data.get("current_node")
    origin = ImportOrigin(
        format=FORMAT.name,
        id=as_id(data.get("conversation_id")) or as_id(data.get("id")),
        title=as_text(data.get("title")),
        created=reasons.time(data.get("create_time")),
        updated=reasons.time(data.get("update_time")),
        current=shown.get(current) if isinstance(current, str) else None,
        model=as_text(data.get("default_model_slug")) or None,
    )
    yield from transcript(record, origin, messages, reasons)


def _messages(
    mapping: Mapping[str, Any], reasons: Reasons
) -> tuple[list[RawMessage], dict[str, str | None]]:
    nodes = {key: node for key, node in mapping.items() if isinstance(node, dict)}
    for node in mapping.values():
        if not isinstance(node, dict):
            reasons.lost("a message that is not an object", node)
    parents = {key: as_text(node.get("parent")) or None for key, node in nodes.items()}
    order, circles = in_order(parents)
    reasons[CIRCLE] += circles
    messages: list[RawMessage] = []
    shown: dict[str, str | None] = {}
    calls: dict[str, str] = {}
    for key in order:
        above = parents[key] or ""
        parent, call = shown.get(above), calls.get(above, "")
        loose = _message(key, nodes[key].get("message"), reasons, parent=parent, call=call)
        if loose is not None:
            messages.append(loose)
            call = next((part.id for part in loose.parts if isinstance(part, ToolCall)), call)
        shown[key], calls[key] = parent if loose is None else key, call
    return messages, shown


def _message(
    key: str, data: Any, reasons: Reasons, *, parent: str | None, call: str
) -> RawMessage | None:
    if not isinstance(data, dict):
        return None
    author, metadata = as_object(data.get("author")), as_object(data.get("metadata"))
    content, said = as_object(data.get("content")), as_text(author.get("role"))
    kind = as_text(content.get("content_type"))
    if skipped := _not_shown(said, kind, content, metadata):
        reasons[skipped] += 1
        return None
    role = _ROLES.get(said)
    if role is None:
        reasons.lost(f"a message of the unknown role {said[:20]!r}", data)
        return None
    recipient = as_text(data.get("recipient")) or "all"
    parts = (*_parts(content, reasons), *_attached(role, metadata))
    if role is Role.ASSISTANT and recipient != "all" and kind not in _REASONING_TYPES:
        parts = (ToolCall(key, recipient, _arguments(content, parts)),)
    elif role is Role.TOOL:
        parts = _result(call, as_text(author.get("name")), kind, parts)
    if not parts:
        return None
    at = reasons.time(data.get("create_time"))
    model = as_text(metadata.get("model_slug")) or None
    return RawMessage(key, role, parts, parent, at, model, _broke_off(data), f"message {key}")


def _not_shown(
    role: str, kind: str, content: Mapping[str, Any], metadata: Mapping[str, Any]
) -> str:
    hidden = bool(metadata.get("is_visually_hidden_from_conversation"))
    if kind in _CONTEXT_TYPES:
        return _CONTEXT_TYPES[kind]
    if role in _SYSTEM_ROLES:
        empty = not any(as_list(content.get("parts"))) and not _joined(content)
        return "hidden system message" if hidden or empty else SYSTEM_MESSAGE
    return "hidden message" if hidden else ""


def _attached(role: Role, metadata: Mapping[str, Any]) -> Iterator[Part]:
    # Pictures are parts of the message; of other files only the name is in the export.
    for each in as_list(metadata.get("attachments")) if role is Role.USER else ():
        file = as_object(each)
        name = as_text(file.get("name")) or "a file"
        kind = as_text(file.get("mime_type")) or as_text(file.get("mimeType"))
        if not kind.startswith(("image/", "audio/", "video/")):
            yield Text(f"[attached: {name}]")


def _parts(content: Mapping[str, Any], reasons: Reasons) -> Iterator[Part]:
    kind = as_text(content.get("content_type"))
    if kind in _REASONING_TYPES:
        text = _reasoning(content)
        if text:
            yield Reasoning(text)
        return
    listed = content.get("parts")
    if not isinstance(listed, list):
        yield from _object_part(content, reasons)
        return
    transcribed = any(_joined(part) for part in listed if isinstance(part, dict))
    for part in listed:
        if isinstance(part, str):
            if part:
                yield Text(part)
        elif isinstance(part, dict):
            recording = _recording(part)
            if recording:
                reasons[f"{recording} recording"] += 1
                if not transcribed:
                    yield Text(f"[{recording} without a transcript]")
            else:
                yield from _object_part(part, reasons)


def _recording(part: Mapping[str, Any]) -> str:
    kind = as_text(part.get("content_type"))
    if "asset_pointer" not in kind or "image" in kind:
        return ""
    return "audio" if "audio" in kind else "video" if "video" in kind else ""


def _object_part(part: Mapping[str, Any], reasons: Reasons) -> Iterator[Part]:
    if not part.keys() - {"content_type", "language", "response_format_name"}:
        return
    found = list(_found(part))
    yield from found
    if not found and any(part[name] for name in part.keys() - {"content_type"}):
        reasons.lost(f"content of the type {as_text(part.get('content_type'))[:40]!r}", part)


def _found(part: Any, depth: int = 3) -> Iterator[Part]:
    data = as_object(part)
    pointer, text = as_text(data.get("asset_pointer")), _joined(data)
    if text:
        yield Text(text)
    elif pointer and "image" in as_text(data.get("content_type")):
        yield Image(pointer)
    elif isinstance(part, str) and part:
        yield Text(part)
    elif depth:
        for name in _NESTED_FIELDS:
            held = data.get(name)
            for each in held if isinstance(held, list) else [held]:
                yield from _found(each, depth - 1)


def _arguments(content: Mapping[str, Any], parts: tuple[Part, ...]) -> str:
    text = "\n".join(part.text for part in parts if isinstance(part, Text))
    try:
        if isinstance(json.loads(text), dict):
            return text
    except (ValueError, RecursionError):
        pass
    wrapped = {"language": as_text(content.get("language")) or "unknown", "text": text}
    return json.dumps(wrapped, ensure_ascii=False)


def _result(call: str, name: str, kind: str, parts: tuple[Part, ...]) -> tuple[Part, ...]:
    text = "\n".join(part.text for part in parts if isinstance(part, Text))
    images = tuple(part for part in parts if isinstance(part, Image))
    if not text and not images:
        return ()
    return (ToolResult(call, name, text, failed=kind == "system_error"), *images)


def _reasoning(content: Mapping[str, Any]) -> str:
    thoughts = content.get("thoughts")
    if isinstance(thoughts, str):
        return thoughts
    if not isinstance(thoughts, list):
        return _joined(content) or "\n".join(
            filter(None, map(as_text, as_list(content.get("parts"))))
        )
    said = (as_object(thought) for thought in thoughts)
    pairs = ((as_text(each.get("summary")), as_text(each.get("content"))) for each in said)
    return "\n\n".join("\n".join(filter(None, pair)) for pair in pairs if any(pair))


def _joined(data: Mapping[str, Any]) -> str:
    return "\n".join(filter(None, (as_text(data.get(name)) for name in _TEXT_FIELDS)))


def _broke_off(data: Mapping[str, Any]) -> bool:
    details = as_object(as_object(data.get("metadata")).get("finish_details"))
    return data.get("status") == "in_progress" or as_text(details.get("type")) in _BROKEN


FORMAT = Format(
    "chatgpt",
    "ChatGPT account export",
    signs("mapping", "conversations/mapping"),
    each_record(_conversation),
)
