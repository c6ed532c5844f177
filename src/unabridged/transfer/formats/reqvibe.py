"""ReqVIBE's sessions: ``conversations/{user}/sessions.json``, or the sessions of a running program.

``{"sessions": [...]}``, where the list may also be an object from id to session; or one session, or
such an object. A session has ``id``, ``messages`` (``role`` and ``content``), ``title``,
``created_at`` and ``model``; messages carry no times. The program empties the oldest sessions once a
user has a megabyte, so a session may be empty. Requirements of a session or file are ``id``, ``text``
and ``volere`` with ``goal``, ``context`` and ``stakeholder``, or fields of a snow card by name; they
are imported as requirements.

The form is that of the seed reqvibe-memory-management.md and of
github.com/Jonglee999/RequirementVIBE-LEE- (domain/conversations/service.py,
domain/requirements/service.py).
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from unabridged.domain.fact import Requirement
from unabridged.transfer.build_conversation import ImportOrigin, transcript
from unabridged.transfer.foreign_format import Format, each_record, rows, signs
from unabridged.transfer.formats import own_files, placeholders
from unabridged.transfer.formats.message_rows import MessageRow
from unabridged.transfer.lenient_fields import Reasons, as_id, as_list, as_object, as_text
from unabridged.transfer.reader import Item
from unabridged.transfer.records import JsonRecord
from unabridged.transfer.times import UNDATED

_UNKNOWN = frozenset({"", "Not stated", "Not asked", "Unknown"})
_ROWS = ("messages", "requirements")
_TYPES = frozenset({"functional", "non-functional", "constraint"})
_PRIORITIES = frozenset({"must", "should", "could", "wont"})


def _read_one(record: JsonRecord) -> Iterator[Item]:
    data = as_object(record.value)
    if own_files.is_ours(data):
        yield from own_files.read_one(record)
    elif "sessions" in data:
        yield from _each(record, data["sessions"])
        yield from _requirements(record, None)
    elif isinstance(data.get("messages"), list):
        yield from _session(record)
    elif data and all("messages" in as_object(each) for each in data.values()):
        yield from _each(record, data)
    else:
        yield record.unread("not a session: it has no messages")


def _each(record: JsonRecord, sessions: Any) -> Iterator[Item]:
    named = list(sessions.items()) if isinstance(sessions, dict) else []
    listed = named or [(None, each) for each in as_list(sessions)]
    repaired = record.repaired
    for number, (name, each) in enumerate(listed, start=1):
        value = each
        if name is not None and isinstance(each, dict) and as_id(each.get("id")) is None:
            value = {**each, "id": name}
        own = replace(
            record, where=f"{record.where}, session {number}", value=value, repaired=repaired
        )
        repaired = 0
        yield from _session(own)


def _session(record: JsonRecord) -> Iterator[Item]:
    data, reasons = as_object(record.value), Reasons()
    messages = data.get("messages")
    created = reasons.time(data.get("created_at"))
    if not isinstance(messages, list):
        yield record.unread("not a session: it has no messages")
    elif not messages:
        yield record.unread("a session whose messages are gone")
    else:
        row = MessageRow(reasons)
        for number, each in enumerate(messages, start=1):
            row.add(each, f"message {number}")
        origin = ImportOrigin(
            FORMAT.name,
            id=as_id(data.get("id")),
            title=as_text(data.get("title")),
            created=created,
            model=as_text(data.get("model")) or None,
        )
        yield from transcript(record, origin, placeholders.opened(row.messages), reasons)
    yield from _requirements(record, created)


def _requirements(record: JsonRecord, at: datetime | None) -> Iterator[Item]:
    reasons = Reasons()
    listed = as_object(record.value).get("requirements")
    for each in as_list(listed):
        data = as_object(each)
        text, name = as_text(data.get("text")).strip(), as_id(data.get("id"))
        if text and name:
            yield _requirement(name, text, data, at or UNDATED)
        else:
            reasons.lost("a requirement without an id or a text", each)
    if listed is not None and not isinstance(listed, list):
        reasons.lost("requirements that are not a list", listed)
    yield from reasons.records(record.where)


def _requirement(name: str, text: str, data: Mapping[str, Any], at: datetime) -> Requirement:
    card = {**data, **as_object(data.get("volere"))}
    said = {key: as_text(value).strip() for key, value in card.items()}
    said = {key: "" if value in _UNKNOWN else value for key, value in said.items()}
    context = said.get("context")
    why = (said.get("rationale") or said.get("goal", ""), f"Context: {context}" if context else "")
    kind, priority = said.get("type", "").lower(), said.get("priority", "").lower()
    return Requirement(
        id=name,
        text=text,
        at=at,
        type=kind if kind in _TYPES else "functional",
        rationale="\n".join(filter(None, why)),
        fit_criterion=said.get("fit_criterion", ""),
        originator=said.get("originator") or said.get("stakeholder", ""),
        priority=priority if priority in _PRIORITIES else "",
        by=FORMAT.name,
    )


FORMAT = Format(
    "reqvibe",
    "ReqVIBE sessions",
    signs(
        "sessions/messages",
        "sessions/*/messages",
        "id messages title created_at model",
        "*/messages */title */created_at",
    ),
    each_record(_read_one),
    rows=rows(
        "sessions",
        *(f"{above}{name}" for above in ("", "*/", "sessions/", "sessions/*/") for name in _ROWS),
    ),
)
