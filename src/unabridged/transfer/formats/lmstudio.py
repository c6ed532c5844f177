"""LM Studio's conversations: ``conversations/….conversation.json``.

An object with ``name``, ``createdAt`` (milliseconds, also the file's name), ``lastUsedModel`` and
``messages``. A message has ``versions`` and ``currentlySelected``; versions are branches, and what
follows hangs on the one selected. A version of the type ``singleStep`` has ``role`` and ``content``; one of
the type ``multiStep`` has ``role``, ``senderInfo.senderName`` (a model) and ``steps``: a
``contentBlock`` has ``content``, ``stepIdentifier`` (beginning with its milliseconds), ``style``
(``thinking``) and ``genInfo``. Content is ``text``, ``file``, ``toolCallRequest`` or
``toolCallResult``; structural text is the frame of a thought. Debugging notes and the state of a tool call
are not imported.

The vendor publishes no description; the facts are from github.com/YorkieDev/lm-studio-conversation-converter
(script.js), github.com/zeveck/json_to_md (convert-conversation.js),
github.com/kfatehi/anthropic-to-lm-studio, and readers found by the names of these fields.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from unabridged.domain.message import Image, Part, Reasoning, Role, Text, ToolCall, ToolResult
from unabridged.transfer.build_conversation import (
    ImportOrigin,
    RawMessage,
    chained,
    content_key,
    transcript,
)
from unabridged.transfer.foreign_format import Format, each_record, signs
from unabridged.transfer.formats import placeholders
from unabridged.transfer.formats.responses_items import role_of
from unabridged.transfer.lenient_fields import (
    EMPTY_MESSAGE,
    SYSTEM_MESSAGE,
    Reasons,
    as_id,
    as_list,
    as_object,
    as_text,
)
from unabridged.transfer.reader import Item
from unabridged.transfer.records import JsonRecord

_MILLISECONDS = re.compile(r"(\d{13})-")
_BROKEN = frozenset(
    {"userStopped", "modelUnloaded", "failed", "maxPredictedTokensReached", "contextLengthReached"}
)
_QUIET = frozenset({"debugInfoBlock", "toolStatus", "genInfo", "status"})


def _conversation(record: JsonRecord) -> Iterator[Item]:
    data, reasons = as_object(record.value), Reasons()
    if not isinstance(data.get("messages"), list):
        yield record.unread("not a conversation: it has no messages")
        return
    found: dict[str, list[RawMessage]] = {}
    parents: dict[str, str | None] = {}
    above: str | None = None
    for position, each in enumerate(data["messages"]):
        message = as_object(each)
        versions = message.get("versions")
        if not isinstance(versions, list):
            reasons.skip(EMPTY_MESSAGE, each)
            continue
        chosen = message.get("currentlySelected")
        selected = above
        for number, version in enumerate(versions):
            pieces = _version(position, as_object(version), reasons)
            if not pieces:
                continue
            key = pieces[0].key
            if key in found:
                reasons["repeated version"] += 1
            else:
                found[key], parents[key] = pieces, above
            if number == chosen or selected == above:
                selected = key
        above = selected
    messages, last = chained(found, parents, reasons)
    if as_text(data.get("systemPrompt")).strip():
        reasons[SYSTEM_MESSAGE] += 1
    created = data.get("createdAt")
    model = as_object(data.get("lastUsedModel")).get("identifier")
    origin = ImportOrigin(
        FORMAT.name,
        id=as_id(created) if isinstance(created, (int, str)) else None,
        title=as_text(data.get("name")) or placeholders.title(messages),
        created=reasons.time(created),
        current=last.get(above or ""),
        model=as_text(model) or None,
    )
    yield from transcript(record, origin, placeholders.opened(messages), reasons)


def _version(position: int, data: Mapping[str, Any], reasons: Reasons) -> list[RawMessage]:
    role = role_of(data.get("role"), data, reasons, "a version of an unknown role")
    if role is None:
        return []
    model = as_text(as_object(data.get("senderInfo")).get("senderName")) or None
    at: datetime | None = None
    stopped = ""
    runs: list[tuple[Role, list[Part], datetime | None]] = []
    names: dict[str, str] = {}
    steps = as_list(data.get("steps")) or [{"type": "contentBlock", **data, "style": None}]
    for step in map(as_object, steps):
        kind = as_text(step.get("type"))
        about = as_object(step.get("genInfo"))
        model = as_text(about.get("identifier")) or model
        stopped = as_text(as_object(about.get("stats")).get("stopReason")) or stopped
        if kind not in ("contentBlock", "singleStep", "multiStep"):
            if kind not in _QUIET:
                reasons.lost(f"a step of the type {kind[:40]!r}", step)
            continue
        match = _MILLISECONDS.match(as_text(step.get("stepIdentifier")))
        at = reasons.time(int(match[1])) if match else at
        for part in _content(step, names, reasons):
            speaker = Role.TOOL if isinstance(part, ToolResult) else role
            if not runs or runs[-1][0] is not speaker:
                runs.append((speaker, [], at))
            runs[-1][1].append(part)
    if not runs:
        reasons["empty version"] += 1
        return []
    first = content_key(position, role.value, (part for _, parts, _ in runs for part in parts))
    broken = stopped in _BROKEN and role is Role.ASSISTANT
    return [
        RawMessage(
            key=f"{first}/{number}" if number else first,
            role=speaker,
            parts=tuple(parts),
            at=when,
            model=model if role is Role.ASSISTANT else None,
            broken=broken and speaker is role,
            where=f"message {position + 1}",
        )
        for number, (speaker, parts, when) in enumerate(runs)
    ]


def _content(step: Mapping[str, Any], names: dict[str, str], reasons: Reasons) -> Iterator[Part]:
    content = step.get("content")
    thinking = as_text(as_object(step.get("style")).get("type")) == "thinking"
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else as_list(content)
    for block in map(as_object, blocks):
        kind, text = as_text(block.get("type")), as_text(block.get("text"))
        call = as_id(block.get("callId")) or as_id(block.get("toolCallRequestId")) or ""
        if kind == "text":
            if text and block.get("isStructural") is not True:
                yield Reasoning(text) if thinking else Text(text)
        elif kind == "toolCallRequest":
            names[call] = as_text(block.get("name"))
            given = block.get("parameters") or block.get("arguments") or {}
            written = given if isinstance(given, str) else reasons.json(given)
            yield ToolCall(call, names[call], written)
        elif kind == "toolCallResult":
            said = block.get("content")
            result = as_text(said) if said is None or isinstance(said, str) else reasons.json(said)
            yield ToolResult(call, as_text(block.get("name")) or names.get(call, ""), result)
        elif kind in ("file", "image"):
            yield from _file(kind, block)
        else:
            reasons.lost(f"content of the type {kind[:40]!r}", block)


def _file(kind: str, block: Mapping[str, Any]) -> Iterator[Part]:
    name = as_text(block.get("fileIdentifier")) or as_text(block.get("name")) or "a file"
    picture = kind == "image" or as_text(block.get("fileType")) == "image"
    yield Image(f"lmstudio:{name}") if picture else Text(f"[attached: {name}]")


FORMAT = Format(
    "lmstudio",
    "LM Studio conversation",
    signs("messages/versions", "messages usePerChatPredictionConfig"),
    each_record(_conversation),
)
