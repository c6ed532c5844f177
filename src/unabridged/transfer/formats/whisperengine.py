"""WhisperEngine's memories: loose messages from its vector store.

A list, or a line each, of memories with ``id``, ``user_id``, ``content``, ``timestamp`` and a role in
``metadata.role``, ``role`` or ``source`` (``user_message``, ``bot_response``), or of points whose
``payload`` is such a memory with ``memory_type`` (``conversation``, the others are notes about the
user). Nothing links an answer to its message, and a search returns them in any order. They are
sorted by time; a bot's message answers the user's message before it if it came within 60 seconds,
as in that program. ``overall_significance``, the importance of a memory, is kept. One that came later, or without a message, follows a line in brackets. Messages of
one user (and channel, if there is one) are one conversation.

The rule and the fields are those of the seed whisperengine-fidelity-first.md ("Pair Reconstruction
Logic") and of github.com/whisperengine-ai/whisperengine (src/memory/vector_memory_system.py,
analyze_vector_episodic_data.py).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from unabridged.domain.message import Role, Text
from unabridged.domain.results import SkippedRecord
from unabridged.transfer.build_conversation import ImportOrigin, RawMessage, transcript
from unabridged.transfer.foreign_format import Format, signs
from unabridged.transfer.formats import placeholders
from unabridged.transfer.formats.responses_items import ROLES
from unabridged.transfer.ids import digest
from unabridged.transfer.lenient_fields import Reasons, as_id, as_object, as_text
from unabridged.transfer.reader import Item
from unabridged.transfer.records import JsonRecord
from unabridged.transfer.times import UNDATED

WITHIN = timedelta(seconds=60)
"""The longest time from a user's message to its answer."""

_SOURCES = {"user_message": Role.USER, "bot_response": Role.ASSISTANT}
_LATE = "What this answers was said more than a minute before, or was not kept."


def read(records: Iterable[JsonRecord | SkippedRecord]) -> Iterator[Item]:
    """Read conversations.

    Args:
        records: The memories. All are held in memory, to sort them by time.
    """
    reasons = Reasons()
    talks: dict[tuple[str, str], dict[str, RawMessage]] = {}
    repaired = 0
    where = "line 1"
    for record in records:
        if isinstance(record, SkippedRecord):
            yield record
            continue
        repaired, where = repaired + record.repaired, record.where
        data = as_object(record.value)
        memory = {**data, **as_object(data.get("payload"))}
        loose = _message(memory, record, reasons)
        if loose is not None:
            about = as_object(memory.get("metadata"))
            channel = as_id(memory.get("channel_id")) or as_id(about.get("channel_id")) or ""
            talk = talks.setdefault((as_id(memory.get("user_id")) or "", channel), {})
            if talk.setdefault(loose.key, loose) is not loose:
                reasons["repeated memory"] += 1
    for (user, channel), talk in talks.items():
        messages = paired(list(talk.values()))
        name = "/".join(filter(None, (user, channel)))
        title = placeholders.title(messages)
        origin = ImportOrigin(FORMAT.name, id=name or None, title=title)
        place = JsonRecord(f"user {user}" if user else where, sorted(talk), repaired)
        yield from transcript(place, origin, messages, reasons)
        reasons, repaired = Reasons(), 0
    if not talks:
        place = JsonRecord(where, None, repaired)
        yield from transcript(place, ImportOrigin(FORMAT.name), (), reasons)


def paired(messages: Sequence[RawMessage]) -> list[RawMessage]:
    """Sort loose messages and pair them by the time between them.

    Args:
        messages: Messages without parents. Those without a time come first, in their order.

    Returns:
        The messages, each after the one before it, with lines in brackets before answers without
            a user's message within ``WITHIN``.
    """
    ordered = sorted(messages, key=lambda each: each.at or UNDATED)
    row: list[RawMessage] = []
    asked: RawMessage | None = None
    for each in ordered:
        if each.role is Role.USER:
            asked = each
        elif asked is None or (each.at or UNDATED) - (asked.at or UNDATED) > WITHIN:
            above = row[-1].key if row else None
            asked = placeholders.user_line(
                each.key, _LATE, at=each.at, parent=above, where=each.where
            )
            row.append(asked)
        row.append(replace(each, parent=row[-1].key if row else None))
    return row


def _message(memory: Mapping[str, Any], record: JsonRecord, reasons: Reasons) -> RawMessage | None:
    about, text = as_object(memory.get("metadata")), as_text(memory.get("content"))
    said = as_text(about.get("role")) or as_text(memory.get("role"))
    source = as_text(memory.get("source")) or as_text(about.get("source"))
    role = ROLES.get(said.lower()) or _SOURCES.get(source)
    kind = as_text(memory.get("memory_type")) or "conversation"
    if role not in (Role.USER, Role.ASSISTANT) or kind != "conversation" or not text:
        reasons.skip("unrelated memory", record.value)
        return None
    time = memory.get("timestamp") or memory.get("timestamp_unix")
    at = reasons.time(time)
    key = as_id(memory.get("id")) or digest("memory", role.value, str(time), text)
    stated = reasons.stated(None, memory.get("overall_significance"))
    return RawMessage(key, role, (Text(text),), None, at, where=record.where, stated=stated)


FORMAT = Format(
    "whisperengine",
    "WhisperEngine memories",
    signs(
        "user_id content metadata/role",
        "payload/memory_type payload/content",
        "memory_type content user_id",
    ),
    read,
)
