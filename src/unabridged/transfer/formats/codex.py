"""Sessions of OpenAI's Codex: ``rollout-*.jsonl`` below ``~/.codex/sessions``.

Since September 2025 every line is ``{"timestamp", "type", "payload"}`` with the types
``session_meta``, ``response_item``, ``event_msg``, ``turn_context``, ``compacted`` and more; before,
the first line is ``{"id", "timestamp", "instructions"}`` and each further one a separate item, or
``{"record_type": "state"}``. The words are in the items; of the events only those count that change
the course (``turn_aborted``, ``thread_rolled_back``), or all if a file has no items. What the
program adds as the user's (instructions, environment), summaries and sub-agents are left out.

Facts: github.com/openai/codex (codex-rs/protocol/src/models.rs and protocol.rs, of December 2025)
and descriptions of real files in public repositories: github.com/jnarowski/agentcmd
(.agent/research/codex/format-comparison.md), github.com/kvsankar/agent-history
(docs/codex-format.md) and readers found by the string ``"record_type":"state"``.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from unabridged.domain.message import Role, Text
from unabridged.domain.results import Skip, SkippedRecord
from unabridged.transfer.build_conversation import (
    EMPTY_CONVERSATION,
    ImportOrigin,
    RawMessage,
    build_transcript,
    content_key,
)
from unabridged.transfer.foreign_format import Format, signs
from unabridged.transfer.formats.responses_items import Said, is_item, said_by
from unabridged.transfer.lenient_fields import (
    BROKEN_CHARACTER,
    PROGRAM_MESSAGE,
    SUBAGENT_MESSAGE,
    Reasons,
    as_id,
    as_list,
    as_object,
    as_text,
)
from unabridged.transfer.reader import Item
from unabridged.transfer.records import JsonRecord

PUT_IN = (
    "<environment_context>",
    "<user_instructions>",
    "<permissions instructions>",
    "<collaboration_mode>",
    "<multi_agent_mode>",
    "<apps_instructions>",
    "<skills_instructions>",
    "<turn_aborted>",
    "<user_action>",
    "<INSTRUCTIONS>",
    "# AGENTS.md instructions",
)
"""The beginnings of messages that the program writes in the user's name."""
_SPOKEN_EVENTS: Mapping[str, Role] = {
    "user_message": Role.USER,
    "agent_message": Role.ASSISTANT,
    "UserMessage": Role.USER,
    "AgentMessage": Role.ASSISTANT,
}
_NOT_SAID = frozenset({"turn_context", "world_state", "inter_agent_communication_metadata"})


@dataclass(slots=True)
class _Session:
    """The content of one file so far."""

    reasons: Reasons = field(default_factory=Reasons)
    id: str | None = None
    where: str = ""
    created: datetime | None = None
    model: str | None = None
    subagent: bool = False
    items: list[RawMessage] = field(default_factory=list)
    events: list[RawMessage] = field(default_factory=list)
    path: list[int] = field(default_factory=list)

    def add(self, where: str, said: Said, at: datetime | None) -> None:
        """Add a message after the session's current one."""
        parent = self.items[self.path[-1]].key if self.path else None
        self.path.append(len(self.items))
        self.items.append(self._loose(len(self.items), parent, where, said, at))

    def add_event(self, where: str, said: Said, at: datetime | None) -> None:
        """Add the text of an event after the one before it."""
        parent = self.events[-1].key if self.events else None
        self.events.append(self._loose(len(self.events), parent, where, said, at))

    def _loose(
        self, place: int, parent: str | None, where: str, said: Said, at: datetime | None
    ) -> RawMessage:
        role, parts = said
        model = self.model if role is Role.ASSISTANT else None
        key = content_key(place, role.value, parts)
        return RawMessage(key, role, parts, parent, at, model, where=where)

    def roll_back(self, turns: int) -> None:
        """Undo turns: the next message begins another branch."""
        while self.path and turns > 0:
            turns -= self.items[self.path.pop()].role is Role.USER

    def break_off(self) -> None:
        """Mark the newest answer as incomplete."""
        if self.path and self.items[self.path[-1]].role is Role.ASSISTANT:
            self.items[self.path[-1]] = replace(self.items[self.path[-1]], broken=True)

    def shown(self) -> tuple[list[RawMessage], str | None]:
        """Return the messages, and the key of the newest that a person sees."""
        if any(loose.role is Role.USER for loose in self.items) or not self.events:
            return self.items, self.items[self.path[-1]].key if self.path else None
        return self.events, self.events[-1].key


def read(records: Iterable[JsonRecord | SkippedRecord]) -> Iterator[Item]:
    """Read one session."""
    session = _Session()
    for record in records:
        if isinstance(record, SkippedRecord):
            yield record
        elif not isinstance(record.value, dict):
            yield record.unread("not a record of a session: not an object")
        else:
            session.reasons[BROKEN_CHARACTER] += record.repaired
            session.where = session.where or record.where
            _line(session, record.where, record.value)
    yield from _finished(session)


def _line(session: _Session, where: str, data: Mapping[str, Any]) -> None:
    kind, payload = as_text(data.get("type")), as_object(data.get("payload"))
    at = session.reasons.time(data.get("timestamp"))
    if kind == "response_item":
        _item(session, where, payload, at)
    elif kind == "event_msg":
        _event(session, where, payload, at)
    elif kind == "session_meta":
        _header(session, payload)
    elif kind == "turn_context":
        session.model = as_text(payload.get("model")) or session.model
    elif kind == "compacted":
        session.reasons["program summary"] += 1
    elif kind == "message" or is_item(kind):
        _item(session, where, data, at)
    elif not kind and "id" in data and "timestamp" in data:
        _header(session, data)
    elif kind not in _NOT_SAID and "record_type" not in data:
        session.reasons.skip(f"{kind[:40]} record", data)


def _header(session: _Session, data: Mapping[str, Any]) -> None:
    if session.id is not None:
        return
    session.id = as_id(data.get("id"))
    session.created = session.reasons.time(data.get("timestamp"))
    session.subagent = "subagent" in as_object(data.get("source"))


def _item(session: _Session, where: str, data: Mapping[str, Any], at: datetime | None) -> None:
    said = said_by(data, session.reasons)
    if said is None:
        return
    first = next((part.text for part in said[1] if isinstance(part, Text)), "")
    if said[0] is Role.USER and first.lstrip().startswith(PUT_IN):
        session.reasons[PROGRAM_MESSAGE] += 1
    else:
        session.add(where, said, at)


def _event(session: _Session, where: str, data: Mapping[str, Any], at: datetime | None) -> None:
    kind = as_text(data.get("type"))
    if kind == "turn_aborted":
        session.break_off()
    elif kind == "thread_rolled_back":
        turns = data.get("num_turns")
        session.roll_back(turns if isinstance(turns, int) else 1)
    if kind == "item_completed":
        data = as_object(data.get("item"))
        kind = as_text(data.get("type"))
    role = _SPOKEN_EVENTS.get(kind)
    listed = (as_text(as_object(each).get("text")) for each in as_list(data.get("content")))
    text = as_text(data.get("message")) or "\n".join(filter(None, listed))
    if role is not None and text:
        session.add_event(where, (role, (Text(text),)), at)


def _finished(session: _Session) -> Iterator[Item]:
    messages, last = session.shown()
    if session.subagent:
        session.reasons[SUBAGENT_MESSAGE] += len(messages)
        messages = []
    origin = ImportOrigin(FORMAT.name, session.id, created=session.created, current=last)
    woven = build_transcript(origin, messages)
    yield from session.reasons.records("the session")
    yield from woven.unread
    if woven.conversation is not None:
        yield woven.conversation
    elif session.where and not session.subagent and not messages:
        yield SkippedRecord("the session", EMPTY_CONVERSATION, kind=Skip.NORMAL)


FORMAT = Format(
    "codex",
    "Codex session",
    signs("timestamp type payload", "id timestamp instructions", "record_type"),
    read,
)
