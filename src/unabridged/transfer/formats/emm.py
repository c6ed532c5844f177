"""Aurora's Enhanced Memory Manager: ``memory.json`` and ``chat_history_….json``.

An object with ``metadata`` (``saved_at``, ``message_count``, ``total_tokens``, ``condensations``) and
``messages``, each of these with ``id``, ``content``, ``type`` (``user``, ``assistant``, ``system``,
``momentum_state``), ``timestamp``, ``tokens``, ``content_category``, ``condensed`` and, since its
later versions, ``importance_score``. Category and importance are kept as the file gives them. A condensed
message is a system message that replaced others, which are gone from the file: it is kept as an
exchange, with a note in brackets, in its place. Other system messages are notices of the
program, and a momentum state is the story engine's own bookkeeping; both are counted and left out.
The file has no id: once the program condenses its first messages, a later import takes the file for
another conversation.

The form is that of the seed emm-condensation.md and of github.com/kaosushijin/aurora-rp (emm.py,
memory.json).
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from unabridged.domain.annotation import Stated
from unabridged.transfer.build_conversation import ImportOrigin, transcript
from unabridged.transfer.foreign_format import Format, each_record, rows, signs
from unabridged.transfer.formats import placeholders
from unabridged.transfer.formats.message_rows import MessageRow
from unabridged.transfer.lenient_fields import SUMMARY_ONLY, Reasons, as_id, as_object, as_text
from unabridged.transfer.reader import Item
from unabridged.transfer.records import JsonRecord


def _conversation(record: JsonRecord) -> Iterator[Item]:
    memory, reasons = as_object(record.value), Reasons()
    if not isinstance(memory.get("messages"), list):
        yield record.unread("not a memory: it has no messages")
        return
    row = MessageRow(reasons)
    for number, each in enumerate(memory["messages"], start=1):
        data, where = as_object(each), f"message {number}"
        if data.get("type") == "momentum_state":
            reasons.skip("story engine state", each)
        elif data.get("condensed") is True and as_text(data.get("content")):
            reasons.change(SUMMARY_ONLY, each)
            _condensed(data, row, where, reasons)
        else:
            row.add(data, where, name="type", stated=_stated(data, reasons))
    saved = as_object(memory.get("metadata")).get("saved_at")
    origin = ImportOrigin(
        FORMAT.name, title=placeholders.title(row.messages), updated=reasons.time(saved)
    )
    yield from transcript(record, origin, placeholders.opened(row.messages), reasons)


def _condensed(data: Mapping[str, Any], row: MessageRow, where: str, reasons: Reasons) -> None:
    category = as_text(data.get("content_category"))
    if category in ("condensed_summary", "standard"):
        category = ""
    opened, summary = placeholders.summary(
        data["content"],
        key=as_id(data.get("id")) or "",
        note=f"Category: {category}." if category else "",
        at=reasons.time(data.get("timestamp")),
        parent=row.last,
        where=where,
    )
    row.extend([opened, replace(summary, stated=_stated(data, reasons))])


def _stated(data: Mapping[str, Any], reasons: Reasons) -> Stated | None:
    return reasons.stated(data.get("content_category"), data.get("importance_score"))


FORMAT = Format(
    "emm",
    "Aurora's Enhanced Memory Manager (EMM)",
    signs("messages/content_category", "metadata/condensations messages"),
    each_record(_conversation),
    rows=rows("messages"),
)
