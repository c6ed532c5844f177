"""One message a line.

The fields are ``role``, ``content`` and, where there are, ``time``, ``session``, ``id``, ``model``. Names that others use for the same are understood (see ``NAMES``). ``content`` is a text or a list
of parts as in OpenAI's chat API (``text``, ``image_url``, ``input_text``, ``refusal``);
``tool_calls`` and messages of the role ``tool`` are kept. A line with a list of ``messages`` is a
whole session. A file whose lines name no session is one session. The messages of a session may
lie anywhere in the file, so the whole file is held in memory. An array of messages is read too.
The shapes are those of platform.openai.com/docs/api-reference/chat (messages).
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from unabridged.domain.message import Image, Part, Reasoning, Role, Text, ToolCall, ToolResult
from unabridged.domain.views import Unread
from unabridged.transfer.fields import as_id, as_list, as_object, as_text, as_time
from unabridged.transfer.reader import Item
from unabridged.transfer.records import Record
from unabridged.transfer.weave import Loose, Origin, content_key, skipped, weave

FORMAT = "jsonl"

NAMES = {
    "content": ("content", "text"),
    "time": ("time", "timestamp", "created_at", "create_time", "created", "date"),
    "session": ("session", "session_id", "conversation", "conversation_id", "thread_id"),
    "id": ("id", "message_id", "uuid"),
}
"""The fields, with the names under which they are found; the first that is there counts."""

ROLES = {
    "user": Role.USER,
    "human": Role.USER,
    "assistant": Role.ASSISTANT,
    "bot": Role.ASSISTANT,
    "ai": Role.ASSISTANT,
    "tool": Role.TOOL,
    "function": Role.TOOL,
}
"""What programs call those who speak, in small letters."""

SYSTEM_ROLES = frozenset({"system", "developer"})


@dataclass(slots=True)
class _Group:
    """The messages of one session, in the order of the file."""

    id: str | None
    title: str = ""
    messages: list[Loose] = field(default_factory=list)
    said: dict[str, tuple[Part, ...]] = field(default_factory=dict)


def read(records: Iterable[Record | Unread]) -> Iterator[Item]:
    """Read conversations.

    Args:
        records: The lines.
    """
    groups: dict[str | None, _Group] = {}
    for record in records:
        if isinstance(record, Unread):
            yield record
            continue
        reasons = Counter[str]()
        for session, data in _spread(record, reasons):
            group = groups.setdefault(session, _Group(session))
            group.title = group.title or as_text(data.get("title"))
            _add(group, data, record.where, reasons)
        if record.mended:
            reasons["half a character, replaced by U+FFFD"] += record.mended
        yield from skipped(record.where, reasons)
    for group in groups.values():
        woven = weave(Origin(FORMAT, group.id, group.title), group.messages)
        yield from woven.unread
        if woven.conversation is not None:
            yield woven.conversation


def _spread(record: Record, reasons: Counter[str]) -> Iterator[tuple[str | None, dict[str, Any]]]:
    """Give the messages of a record: itself, or those in its ``messages``."""
    data = record.value
    if not isinstance(data, dict):
        reasons["no message: not an object"] += 1
        return
    session = as_id(_named(data, "session"))
    if not isinstance(data.get("messages"), list):
        yield session, data
        return
    session = session or as_id(data.get("id")) or record.where
    for each in data["messages"]:
        if isinstance(each, dict):
            yield session, {"title": data.get("title"), **each}
        else:
            reasons["no message: not an object"] += 1


def _add(group: _Group, data: dict[str, Any], where: str, reasons: Counter[str]) -> None:
    name = as_text(data.get("role")) or as_text(data.get("sender"))
    if name.lower() in SYSTEM_ROLES:
        reasons["a system message"] += 1
        return
    role = ROLES.get(name.lower())
    if role is None:
        reasons[f"no message: its role is {name[:20]!r}" if name else "no message: no role"] += 1
        return
    parts = tuple(parts_of(role, data, reasons))
    if not parts:
        reasons["a message without content"] += 1
        return
    position = len(group.messages)
    key = as_id(_named(data, "id")) or content_key(position, role.value, parts)
    if key in group.said:
        if group.said[key] == parts:
            reasons["a message whose id was there before"] += 1
            return
        key = f"{key}/{content_key(position, role.value, parts)}"
    parent = group.messages[-1].key if group.messages else None
    at = as_time(_named(data, "time"), reasons)
    model = as_text(data.get("model")) or None
    group.messages.append(Loose(key, role, parts, parent, at, model, where=where))
    group.said[key] = parts


def parts_of(role: Role, data: Mapping[str, Any], reasons: Counter[str]) -> Iterator[Part]:
    """Give the parts of a message; what has no place among them is counted."""
    thinking = as_text(data.get("reasoning_content")) or as_text(data.get("reasoning"))
    if thinking:
        yield Reasoning(thinking)
    said = list(_content(_named(data, "content"), reasons))
    if role is Role.TOOL:
        text = "\n".join(part.text for part in said if isinstance(part, Text))
        call = as_id(data.get("tool_call_id")) or ""
        yield ToolResult(call, as_text(data.get("name")), text)
        return
    yield from said
    for call in as_list(data.get("tool_calls")):
        function = as_object(as_object(call).get("function"))
        arguments = function.get("arguments")
        if not isinstance(arguments, str):
            arguments = json.dumps(arguments or {}, ensure_ascii=False)
        name = as_text(function.get("name"))
        yield ToolCall(as_id(as_object(call).get("id")) or name, name, arguments)


def _content(content: Any, reasons: Counter[str]) -> Iterator[Part]:
    if isinstance(content, str):
        if content:
            yield Text(content)
        return
    for each in as_list(content):
        part = {"type": "text", "text": each} if isinstance(each, str) else as_object(each)
        text = as_text(part.get("text")) or as_text(part.get("refusal"))
        image = part.get("image_url")
        uri = as_text(image) or as_text(as_object(image).get("url"))
        if text:
            yield Text(text)
        elif uri:
            yield Image(uri)
        else:
            reasons[f"content of the type {as_text(part.get('type'))[:40]!r}"] += 1


def _named(data: Mapping[str, Any], field_name: str) -> Any:
    return next((data[name] for name in NAMES[field_name] if data.get(name) is not None), None)
