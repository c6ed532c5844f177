"""One message a line.

The fields are ``role``, ``content`` and, if present, ``time``, ``session``, ``id``, ``model``. Other
common names of the same fields are read too (see ``NAMES``). ``content`` is a text or a list of parts
as in OpenAI's chat API (``text``, ``image_url``, ``input_text``, ``refusal``); ``tool_calls`` and
messages of the role ``tool`` are kept. A line with a list of ``messages`` is a whole session, as in
files for fine-tuning. A file whose lines name no session is one session. The messages of a session
may be anywhere in the file, so the whole file is held in memory. An array of messages is read too.
The shapes are those of platform.openai.com/docs/api-reference/chat (messages).
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from unabridged.domain.message import Part, Reasoning, Role, Text, ToolCall, ToolResult
from unabridged.domain.results import SkippedRecord
from unabridged.transfer.build_conversation import (
    ImportOrigin,
    RawMessage,
    build_transcript,
    content_key,
)
from unabridged.transfer.foreign_format import Format, signs
from unabridged.transfer.formats.responses_items import Said, content, is_item, role_of, said_by
from unabridged.transfer.ids import digest
from unabridged.transfer.lenient_fields import (
    BROKEN_CHARACTER,
    EMPTY_MESSAGE,
    REPEATED_MESSAGE,
    Reasons,
    as_bytes,
    as_id,
    as_list,
    as_object,
    as_text,
)
from unabridged.transfer.reader import Item
from unabridged.transfer.records import JsonRecord

NAMES = {
    "content": ("content", "text"),
    "time": ("time", "timestamp", "created_at", "create_time", "created", "date"),
    "session": ("session", "session_id", "conversation", "conversation_id", "thread_id"),
    "id": ("id", "message_id", "uuid"),
}
"""The fields with their possible names; the first present one counts."""

_MADE_OF = "made of "


@dataclass(slots=True)
class _Group:
    """The messages of one session, in the order of the file."""

    id: str | None
    title: str = ""
    messages: list[RawMessage] = field(default_factory=list)
    said: dict[str, tuple[Part, ...]] = field(default_factory=dict)


def read(records: Iterable[JsonRecord | SkippedRecord]) -> Iterator[Item]:
    """Read conversations."""
    groups: dict[str | None, _Group] = {}
    alike = Counter[str]()
    for record in records:
        if isinstance(record, SkippedRecord):
            yield record
            continue
        reasons = Reasons()
        for session, data in _spread(record, reasons, alike):
            group = groups.setdefault(session, _Group(session))
            group.title = group.title or as_text(data.get("title"))
            _add(group, data, record.where, reasons)
        if record.repaired:
            reasons[BROKEN_CHARACTER] += record.repaired
        yield from reasons.records(record.where)
    for group in groups.values():
        name = group.id or ""
        own = None if name.startswith(_MADE_OF) else group.id
        woven = build_transcript(
            ImportOrigin(FORMAT.name, own, group.title, seed=name), group.messages
        )
        yield from woven.unread
        if woven.conversation is not None:
            yield woven.conversation


def _spread(
    record: JsonRecord, reasons: Reasons, alike: Counter[str]
) -> Iterator[tuple[str | None, dict[str, Any]]]:
    data = record.value
    if not isinstance(data, dict):
        reasons.lost("not a message: not an object", data)
        return
    session = as_id(_named(data, "session"))
    if not isinstance(data.get("messages"), list):
        yield session, data
        return
    session = session or as_id(data.get("id")) or _made_of(data["messages"], alike)
    for each in data["messages"]:
        if isinstance(each, dict):
            yield session, {"title": data.get("title"), "model": data.get("model"), **each}
        else:
            reasons.lost("not a message: not an object", each)


def _made_of(messages: list[Any], alike: Counter[str]) -> str:
    made = digest(*(as_bytes(each).decode("utf-8", "surrogatepass") for each in messages))
    alike[made] += 1
    return f"{_MADE_OF}{made}/{alike[made]}"


def _add(group: _Group, data: dict[str, Any], where: str, reasons: Reasons) -> None:
    told = said_in(data, reasons)
    if told is None:
        return
    role, parts = told
    position = len(group.messages)
    key = as_id(_named(data, "id")) or content_key(position, role.value, parts)
    if key in group.said:
        if group.said[key] == parts:
            reasons[REPEATED_MESSAGE] += 1
            return
        key = f"{key}/{content_key(position, role.value, parts)}"
    parent = group.messages[-1].key if group.messages else None
    at = reasons.time(_named(data, "time"))
    model = as_text(data.get("model")) or None
    group.messages.append(RawMessage(key, role, parts, parent, at, model, where=where))
    group.said[key] = parts


def said_in(data: Mapping[str, Any], reasons: Reasons) -> Said | None:
    """Read a message of a chat.

    Returns:
        Its content; None if nothing of it is imported.
    """
    if is_item(as_text(data.get("type"))) and not as_text(data.get("role")):
        return said_by(data, reasons)
    name = as_text(data.get("role")) or as_text(data.get("sender"))
    why = f"not a message: its role is {name[:20]!r}" if name else "not a message: no role"
    role = role_of(name, data, reasons, why)
    if role is None:
        return None
    parts = tuple(parts_of(role, data, reasons))
    if not parts:
        reasons[EMPTY_MESSAGE] += 1
    return (role, parts) if parts else None


def parts_of(role: Role, data: Mapping[str, Any], reasons: Reasons) -> Iterator[Part]:
    """Return the parts of a message; count what cannot be one."""
    thinking = as_text(data.get("reasoning_content")) or as_text(data.get("reasoning"))
    if thinking:
        yield Reasoning(thinking)
    said = list(content(_named(data, "content"), reasons))
    if role is Role.TOOL:
        text = "\n".join(part.text for part in said if isinstance(part, Text))
        call = as_id(data.get("tool_call_id")) or as_text(data.get("name"))
        yield ToolResult(call, as_text(data.get("name")), text)
        return
    yield from said
    older = [{"function": data["function_call"]}] if data.get("function_call") else []
    for call in [*as_list(data.get("tool_calls")), *older]:
        function = as_object(as_object(call).get("function"))
        arguments = reasons.arguments(function.get("arguments"))
        name = as_text(function.get("name"))
        yield ToolCall(as_id(as_object(call).get("id")) or name, name, arguments)


def _named(data: Mapping[str, Any], field_name: str) -> Any:
    return next((data[name] for name in NAMES[field_name] if data.get(name) is not None), None)


FORMAT = Format(
    "jsonl",
    "JSON Lines of messages (role, content, time)",
    signs("role content", "role text", "sender text", "role tool_calls", "messages"),
    read,
)
