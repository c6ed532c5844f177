"""Dana's conversation memory: ``conversation_memory.json``, or a file for each agent and session.

An object with ``conversation_id``, ``created_at``, ``updated_at``, ``history``, ``summaries`` and
``metadata``. A turn of the history has ``turn_id``, ``user_input``, ``agent_response``,
``timestamp`` and ``metadata``; the history is bounded (``max_turns``), so older turns are gone from the
file, and a later file of the same conversation adds to an earlier one. A summary has
``summary_id``, ``content``, ``created_at``, ``turn_count``, ``start_timestamp`` and
``end_timestamp``; one of turns that the file no longer holds is kept as an exchange with a note in
brackets. Such files are named ``{agent}_{session}_conversation.json``.

The form is that of the seed dana-conversation-memory.md and of github.com/aitomatic/dana
(dana/frameworks/memory/conversation_memory.py).
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from unabridged.domain.message import Role, Text
from unabridged.domain.results import SkippedRecord
from unabridged.transfer.build_conversation import ImportOrigin, RawMessage, content_key, transcript
from unabridged.transfer.foreign_format import Format, rows, signs
from unabridged.transfer.formats import own_files, placeholders
from unabridged.transfer.lenient_fields import (
    SUMMARY_ONLY,
    Reasons,
    as_id,
    as_list,
    as_object,
    as_text,
)
from unabridged.transfer.reader import Item
from unabridged.transfer.records import JsonRecord

_NAME = re.compile(r"(.+)_([^_]+)_conversation(?:\.json)?", re.DOTALL)
_KNOWN = frozenset({"model", "mode"})
_MODES = frozenset({"chat", "tools"})


def named(file: str) -> tuple[str, str] | None:
    """Return agent and session from a file's name, or None for another name.

    Args:
        file: The name, without its folder: ``agent_alpha_001_conversation.json``.
    """
    match = _NAME.fullmatch(file)
    return (match[1], match[2]) if match else None


def read(records: Iterable[JsonRecord | SkippedRecord]) -> Iterator[Item]:
    """Read conversations."""
    bare: list[Any] = []
    for record in records:
        if isinstance(record, SkippedRecord):
            yield record
        elif own_files.is_ours(record.value):
            yield from own_files.read_one(record)
        elif isinstance(as_object(record.value).get("history"), list):
            yield from _conversation(record)
        elif _is_turn(record.value):
            bare.append(record.value)
        else:
            yield record.unread("not a conversation: it has no history")
    if bare:
        yield from _conversation(JsonRecord("the list", {"history": bare}))


def _conversation(record: JsonRecord) -> Iterator[Item]:
    data, reasons = record.value, Reasons()
    turns = [_turn(number, each, reasons) for number, each in enumerate(data["history"], start=1)]
    said = [turn for turn in turns if turn]
    messages = _summaries(data, said, reasons)
    seen = {each.key for each in messages}
    for turn in said:
        if turn[0].key in seen:
            reasons["repeated turn"] += 1
            continue
        above = messages[-1].key if messages else None
        first, *rest = turn
        messages += [replace(first, parent=above), *rest]
        seen.add(first.key)
    origin = ImportOrigin(
        FORMAT.name,
        id=as_id(data.get("conversation_id")),
        title=placeholders.title(messages),
        created=reasons.time(data.get("created_at")),
        updated=reasons.time(data.get("updated_at")),
    )
    yield from transcript(record, origin, messages, reasons)


def _is_turn(value: Any) -> bool:
    data = as_object(value)
    return "user_input" in data or "agent_response" in data


def _turn(number: int, value: Any, reasons: Reasons) -> list[RawMessage]:
    data, where = as_object(value), f"turn {number}"
    asked, answered = as_text(data.get("user_input")), as_text(data.get("agent_response"))
    if not asked and not answered:
        reasons.skip("empty turn", value)
        return []
    about = as_object(data.get("metadata"))
    if about.keys() - _KNOWN:
        reasons.skip("metadata block", about)
    at = reasons.time(data.get("timestamp"))
    parts = (Text(asked or answered),)
    key = as_id(data.get("turn_id")) or content_key(number, as_text(data.get("timestamp")), parts)
    if asked:
        mode = as_text(about.get("mode"))
        first = RawMessage(
            key, Role.USER, parts, None, at, where=where, mode=mode if mode in _MODES else ""
        )
    else:
        first = placeholders.user_line(key, placeholders.MISSING, at=at, where=where)
    if not answered:
        return [first]
    model = as_text(about.get("model")) or None
    answer = (Text(answered),)
    return [first, RawMessage(f"{key}/answer", Role.ASSISTANT, answer, first.key, None, model)]


def _summaries(
    data: Mapping[str, Any], turns: list[list[RawMessage]], reasons: Reasons
) -> list[RawMessage]:
    # Read the summaries of missing turns as exchanges, the oldest first.
    times = [turn[0].at for turn in turns if turn[0].at]
    oldest = min(times) if times else None
    messages: list[RawMessage] = []
    for each in as_list(data.get("summaries")):
        summary = as_object(each)
        text, start = (
            as_text(summary.get("content")),
            reasons.time(summary.get("start_timestamp")),
        )
        if not text:
            reasons.skip("empty summary", each)
        elif start is not None and oldest is not None and start >= oldest:
            reasons["redundant summary"] += 1
        else:
            reasons.change(SUMMARY_ONLY, each)
            above = messages[-1].key if messages else None
            at = start or reasons.time(summary.get("created_at"))
            key = as_id(summary.get("summary_id")) or ""
            kept = placeholders.summary(text, key=key, at=at, parent=above, where="summary")
            if kept[0].key not in {known.key for known in messages}:
                messages += kept
    return messages


FORMAT = Format(
    "dana",
    "Dana conversation memory",
    signs("history conversation_id", "history/user_input", "user_input agent_response"),
    read,
    rows=rows("history", "summaries"),
)
