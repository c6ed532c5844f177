"""WorkspaceAI's memory: ``memory.json`` of versions 1 and 2, and version 3 with a file for each model.

Version 1 is ``{"current_conversation": [{"user", "assistant", "timestamp"}]}``, or that list by
itself; version 2 has ``metadata.version`` 2.0, version 3 has 3.0 and ``metadata.model``, and in both
``user`` and ``assistant`` are objects with ``content`` and ``tokens``, next to ``metadata`` with
``timestamp``, ``mode`` and perhaps ``model``. The program's own older files hold messages with
``role``, ``content``, ``timestamp`` and ``tool_calls`` instead. ``recent_conversations`` holds whole
conversations (``{"date", "messages"}``, or a list of exchanges) or, like
``summarized_conversations``, only a ``summary`` with ``date`` or ``date_range``: such a
summary is kept as an exchange with a note in brackets, since its originals are gone. The token
counts are estimates of three characters a token and are not imported. If neither exchange nor
file names a model, there is none.

The forms are those of the seed workspaceai-unified-memory.md (3, "Memory File Structure" and
"Backward Compatibility") and of github.com/grandpaul2/Qwen-AI-Assistant (src/memory.py,
src/model_specific_memory.py, tests/unit/test_memory.py).
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from unabridged.domain.message import Role, Text
from unabridged.domain.results import SkippedRecord
from unabridged.domain.session import title_from
from unabridged.transfer.build_conversation import ImportOrigin, RawMessage, content_key, transcript
from unabridged.transfer.foreign_format import Format, rows, signs
from unabridged.transfer.formats import own_files, placeholders
from unabridged.transfer.formats.message_rows import MessageRow
from unabridged.transfer.ids import digest
from unabridged.transfer.lenient_fields import SUMMARY_ONLY, Reasons, as_object, as_text
from unabridged.transfer.reader import Item
from unabridged.transfer.records import JsonRecord

LISTS = ("current_conversation", "recent_conversations", "summarized_conversations")
"""Where a memory keeps what was said, the newest first."""

_WHOLE = ("messages", "exchanges", "conversation")
"""Where an earlier conversation keeps its exchanges, if it still has them."""
_MODES = frozenset({"chat", "tools"})


def read(records: Iterable[JsonRecord | SkippedRecord]) -> Iterator[Item]:
    """Read conversations."""
    bare: list[Any] = []
    repaired = 0
    for record in records:
        if isinstance(record, SkippedRecord):
            yield record
        elif own_files.is_ours(record.value):
            yield from own_files.read_one(record)
        elif any(name in as_object(record.value) for name in LISTS):
            yield from _memory(record)
        elif _is_exchange(record.value) or "role" in as_object(record.value):
            bare.append(record.value)
            repaired += record.repaired
        else:
            yield record.unread("no exchange: it has neither user nor assistant")
    if bare:
        yield from _conversation(JsonRecord("the list", bare, repaired), bare, None)


def _memory(record: JsonRecord) -> Iterator[Item]:
    data = record.value
    model = as_text(as_object(data.get("metadata")).get("model")) or None
    for name in reversed(LISTS):
        held = data.get(name)
        if held is None:
            continue
        place = replace(record, where=f"{record.where}, {name}", value=held, repaired=0)
        if not isinstance(held, list):
            yield place.unread("no list")
        elif name == LISTS[0]:
            if held:
                yield from _conversation(replace(place, repaired=record.repaired), held, model)
        else:
            for number, each in reversed(list(enumerate(held, start=1))):
                own = replace(place, where=f"{place.where} {number}", value=each)
                yield from _earlier(own, model)


def _earlier(record: JsonRecord, model: str | None) -> Iterator[Item]:
    value, data = record.value, as_object(record.value)
    for name in _WHOLE:
        if isinstance(data.get(name), list):
            value = data[name]
    if isinstance(value, list):
        reasons = Reasons()
        yield from _conversation(record, value, model, reasons.time(data.get("date")))
    elif as_text(data.get("summary")):
        yield from _summary(record, model)
    else:
        yield record.unread("a conversation of which nothing is left, not even a summary")


def _summary(record: JsonRecord, model: str | None) -> Iterator[Item]:
    reasons, data = Reasons(), record.value
    told = data.get("date_range") or data.get("date") or data.get("summarized_at")
    ends = (as_text(as_object(told).get(name)) for name in ("start", "end"))
    dates = as_text(told) or " to ".join(filter(None, ends))
    count = data.get("exchange_count")
    stood = f"It stood for {count} exchanges." if isinstance(count, int) else ""
    note = f"{stood} {f'Dates: {dates}.' if dates else ''}".strip()
    at = reasons.time(dates.partition(" to ")[0])
    reasons.change(SUMMARY_ONLY, data)
    text = data["summary"]
    origin = ImportOrigin(
        FORMAT.name,
        title=f"Summary: {title_from(text)}",
        created=at,
        model=model,
        seed=digest("summary", text, note),
    )
    messages = placeholders.summary(text, note=note, at=at, where="summary")
    yield from transcript(record, origin, messages, reasons)


def _conversation(
    record: JsonRecord, listed: list[Any], model: str | None, created: datetime | None = None
) -> Iterator[Item]:
    reasons = Reasons()
    row = MessageRow(reasons)
    for number, each in enumerate(listed, start=1):
        where = f"exchange {number}"
        if _is_exchange(each):
            row.extend(_exchange(each, row, where, reasons))
        else:
            row.add(each, where)
    messages = placeholders.opened(row.messages)
    dated = any(each.at for each in messages)
    origin = ImportOrigin(
        FORMAT.name,
        title=placeholders.title(messages),
        created=None if dated else created,
        model=model,
    )
    yield from transcript(record, origin, messages, reasons)


def _is_exchange(value: Any) -> bool:
    data = as_object(value)
    return "user" in data or "assistant" in data


def _exchange(
    data: Mapping[str, Any], row: MessageRow, where: str, reasons: Reasons
) -> list[RawMessage]:
    about = as_object(data.get("metadata"))
    at = reasons.time(data.get("timestamp") or about.get("timestamp"))
    mode = as_text(about.get("mode")) or as_text(data.get("mode"))
    model = as_text(about.get("model")) or as_text(data.get("model")) or None
    asked, answered = _said(data.get("user")), _said(data.get("assistant"))
    if not asked and not answered:
        reasons.skip("empty exchange", data)
        return []
    position = len(row.messages)
    if asked:
        parts = (Text(asked),)
        key = content_key(position, "user", parts)
        first = RawMessage(key, Role.USER, parts, row.last, at, where=where)
    else:
        key = content_key(position, "user", (Text(answered),))
        said = placeholders.MISSING
        first = placeholders.user_line(key, said, at=at, parent=row.last, where=where)
    first = replace(first, mode=mode if mode in _MODES else "")
    if not answered:
        return [first]
    parts = (Text(answered),)
    key = content_key(position + 1, "assistant", parts)
    return [first, RawMessage(key, Role.ASSISTANT, parts, first.key, None, model, where=where)]


def _said(value: Any) -> str:
    if isinstance(value, str):
        return value
    content = as_object(value).get("content")
    if isinstance(content, list):
        texts = (as_text(as_object(each).get("text")) or as_text(each) for each in content)
        return "\n".join(filter(None, texts))
    return as_text(content)


FORMAT = Format(
    "workspaceai",
    "WorkspaceAI memory (version 1, 2 or 3)",
    signs(
        "current_conversation",
        "recent_conversations summarized_conversations",
        "user assistant",
    ),
    read,
    rows=rows(*LISTS, *(f"{name}/{each}" for name in LISTS[1:] for each in _WHOLE)),
)
