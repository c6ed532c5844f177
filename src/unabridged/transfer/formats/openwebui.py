"""Open WebUI's chats: all of an account (``all-chats-export-….json``) or one (``chat-export-….json``).

A list of chats, each with ``id``, ``user_id``, ``title``, ``created_at``, ``updated_at`` and ``chat``,
whose ``history`` is a tree: ``messages`` by id, and ``currentId``, the newest one of the path
that was shown last. A message has ``id``, ``parentId``, ``childrenIds``, ``role``, ``content``,
``timestamp`` (seconds) and, of an answer, ``model`` and ``done``; answers of several models are
siblings. Reasoning, tool calls and code that ran are in the content as ``<details type="…">``; if the
content is empty, newer versions have the same in ``output``, in the shapes of OpenAI's Responses
API. Old chats have no history but a list of ``messages``.

The form is that of github.com/open-webui/open-webui (backend/open_webui/models/chats.py,
backend/open_webui/utils/middleware.py: serialize_output).
"""

import html
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from unabridged.domain.message import Image, Part, Reasoning, Role, Text, ToolCall, ToolResult
from unabridged.transfer.build_conversation import (
    ImportOrigin,
    RawMessage,
    chained,
    split_by_speaker,
    transcript,
)
from unabridged.transfer.foreign_format import Format, each_record, signs
from unabridged.transfer.formats import placeholders
from unabridged.transfer.formats.jsonl import parts_of
from unabridged.transfer.formats.message_rows import MessageRow
from unabridged.transfer.formats.responses_items import role_of
from unabridged.transfer.lenient_fields import Reasons, as_id, as_list, as_object, as_text
from unabridged.transfer.reader import Item
from unabridged.transfer.records import JsonRecord

_DETAILS = re.compile(
    r'<details type="(reasoning|tool_calls)"([^<>]*)>(.*?)</details>\s?', re.DOTALL
)
_END = "</details>"
_BESIDE = ("sources", "citations", "merged", "code_executions")
"""Fields of a message with text that is not part of it."""
_ATTRIBUTE = re.compile(r'(\w+)="([^"]*)"')
_QUOTED = re.compile(r"^(?:>|&gt;) ?", re.MULTILINE)


def _chat(record: JsonRecord) -> Iterator[Item]:
    data = as_object(record.value)
    chat = as_object(data.get("chat")) or data
    history = as_object(chat.get("history"))
    if isinstance(history.get("messages"), dict) and history["messages"]:
        yield from _conversation(record, data, chat, history)
    elif isinstance(chat.get("messages"), list):
        yield from _old(record, data, chat)
    else:
        yield record.unread("not a chat: it has no messages")


def _conversation(
    record: JsonRecord, data: Mapping[str, Any], chat: Mapping[str, Any], history: Mapping[str, Any]
) -> Iterator[Item]:
    reasons = Reasons()
    found: dict[str, list[RawMessage]] = {}
    parents: dict[str, str | None] = {}
    for key, each in history["messages"].items():
        found[key] = _pieces(key, each, reasons)
        parents[key] = as_id(as_object(each).get("parentId"))
    messages, last = chained(found, parents, reasons)
    current = last.get(as_id(history.get("currentId")) or "")
    origin = _origin(data, chat, reasons, current)
    yield from transcript(record, origin, placeholders.opened(messages), reasons)


def _old(record: JsonRecord, data: Mapping[str, Any], chat: Mapping[str, Any]) -> Iterator[Item]:
    reasons = Reasons()
    row = MessageRow(reasons)
    for number, each in enumerate(chat["messages"], start=1):
        row.add(each, f"message {number}")
    origin = _origin(data, chat, reasons, None)
    yield from transcript(record, origin, placeholders.opened(row.messages), reasons)


def _origin(
    data: Mapping[str, Any], chat: Mapping[str, Any], reasons: Reasons, current: str | None
) -> ImportOrigin:
    models = [each for each in as_list(chat.get("models")) if as_text(each)]
    return ImportOrigin(
        FORMAT.name,
        id=as_id(data.get("id")) or as_id(chat.get("id")),
        title=as_text(data.get("title")) or as_text(chat.get("title")),
        created=reasons.time(data.get("created_at") or chat.get("timestamp")),
        updated=reasons.time(data.get("updated_at")),
        current=current,
        model=models[0] if len(models) == 1 else None,
    )


def _pieces(key: str, value: Any, reasons: Reasons) -> list[RawMessage]:
    data = as_object(value)
    role = role_of(data.get("role"), value, reasons, "a message of an unknown role")
    if role is None:
        return []
    for name in _BESIDE:
        if data.get(name):
            reasons.skip(f"{name} block", data[name])
    parts = [*_parts(key, role, data, reasons), *_files(data)]
    if not parts:
        if as_object(data.get("error")):
            reasons.skip("failed answer", value)
        return []
    message = RawMessage(
        key=key,
        role=role,
        parts=(),
        at=reasons.time(data.get("timestamp")),
        model=as_text(data.get("model")) or None,
        broken=data.get("done") is False and role is Role.ASSISTANT,
        where=f"message {key}",
    )
    return split_by_speaker(message, parts)


def _parts(key: str, role: Role, data: Mapping[str, Any], reasons: Reasons) -> Iterator[Part]:
    content = data.get("content")
    if role is not Role.ASSISTANT or not isinstance(content, str):
        yield from parts_of(role, data, reasons)
        return
    if not content.strip() and isinstance(data.get("output"), list):
        yield from _output(data["output"], reasons)
        return
    at = 0
    end = content.rfind(_END) + len(_END)
    for number, match in enumerate(_DETAILS.finditer(content, 0, end)):
        if content[at : match.start()].strip():
            yield Text(content[at : match.start()].strip("\n"))
        yield from _details(f"{key}-{number}", match)
        at = match.end()
    rest = content[at:]
    if rest.strip():
        yield Text(rest.lstrip("\n") if at else rest)


def _details(name: str, match: re.Match[str]) -> Iterator[Part]:
    inside = match[3].strip()
    if inside.startswith("<summary>"):
        inside = inside.partition("</summary>")[2].strip()
    if match[1] == "reasoning":
        text = html.unescape(_QUOTED.sub("", inside))
        if text:
            yield Reasoning(text)
        return
    fields = {key: html.unescape(value) for key, value in _ATTRIBUTE.findall(match[2])}
    call, tool = fields.get("id") or name, fields.get("name", "")
    yield ToolCall(call, tool, _inner(fields.get("arguments", "")) or "{}")
    result = _inner(fields.get("result", "")) or html.unescape(inside)
    if result:
        yield ToolResult(call, tool, result)


def _inner(text: str) -> str:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, str) else text


def _output(items: list[Any], reasons: Reasons) -> Iterator[Part]:
    names: dict[str, str] = {}
    for each in items:
        item = as_object(each)
        kind = as_text(item.get("type"))
        texts = [*_texts(item.get("summary")), *_texts(item.get("content"))]
        call = as_text(item.get("call_id")) or as_text(item.get("id"))
        if kind == "message":
            yield from map(Text, texts)
        elif kind == "reasoning":
            yield from map(Reasoning, texts)
        elif kind == "function_call":
            names[call] = as_text(item.get("name"))
            yield ToolCall(call, names[call], reasons.arguments(item.get("arguments")))
        elif kind == "function_call_output":
            said = as_text(item.get("output")) or "\n".join(_texts(item.get("output")))
            yield ToolResult(call, names.get(call, ""), said)
        else:
            reasons.skip(f"{kind[:40]} output", each)


def _texts(listed: Any) -> list[str]:
    return [text for each in as_list(listed) if (text := as_text(as_object(each).get("text")))]


def _files(data: Mapping[str, Any]) -> Iterator[Part]:
    for each in as_list(data.get("files")):
        file = as_object(each)
        inner = as_object(file.get("file"))
        name = as_text(file.get("name")) or as_text(inner.get("filename")) or "a file"
        words = as_text(as_object(inner.get("data")).get("content"))
        if as_text(file.get("type")) == "image" and as_text(file.get("url")):
            yield Image(as_text(file.get("url")))
        else:
            yield Text(f"[attached: {name}]\n{words}" if words else f"[attached: {name}]")


FORMAT = Format(
    "openwebui",
    "Open WebUI chats",
    signs("chat/history", "chat/messages user_id", "history/messages history/currentId"),
    each_record(_chat),
)
