"""Sessions of Claude Code: ``*.jsonl`` below ``~/.claude/projects``.

A line of the type ``user`` or ``assistant`` carries ``uuid``, ``parentUuid``, ``sessionId``,
``timestamp`` and a ``message`` as Anthropic's API has it: a text, or blocks of the types ``text``,
``thinking``, ``tool_use``, ``tool_result``, ``image``. One answer is several lines with one
``message.id``; results of tools are lines of the user. ``parentUuid`` makes a tree, through lines of
other types too (``system``, ``progress`` …); after a compaction ``logicalParentUuid`` continues.
``summary`` lines give titles to the sessions whose newest line they name. A file may repeat lines of
an earlier session, which keep its ``sessionId``: each session is read separately.

Left out and counted: sub-agents (``isSidechain``), what the program writes in the user's name
(``isMeta``, ``isCompactSummary``, output of local commands), lines of other types.

The vendor says that the format may change; the facts are from those who read many files:
github.com/microsoft/amplifier (ai_working/claude_code_logging/session_format_specification.md),
github.com/ticpu/claude-conversation-search-mcp (docs/jsonl-format.md),
github.com/Huntehhh/claude-code-chat (docs/claude-cli-jsonl-format.md).
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from unabridged.domain.message import Part, Role, Text, ToolCall, ToolResult
from unabridged.domain.results import Skip, SkippedRecord
from unabridged.transfer.build_conversation import (
    ImportOrigin,
    RawMessage,
    build_transcript,
    chained,
)
from unabridged.transfer.foreign_format import Format, signs
from unabridged.transfer.formats.anthropic_blocks import results, said
from unabridged.transfer.lenient_fields import (
    BROKEN_CHARACTER,
    PROGRAM_MESSAGE,
    SUBAGENT_MESSAGE,
    Reasons,
    as_id,
    as_object,
    as_text,
)
from unabridged.transfer.reader import Item
from unabridged.transfer.records import JsonRecord

_PUT_IN = ("<local-command-stdout>", "<local-command-stderr>", "<local-command-caveat>")
_INTERRUPTED = "[Request interrupted by user"
_NO_MODEL = "<synthetic>"
_TITLES = {"custom-title": "customTitle", "ai-title": "aiTitle", "summary": "summary"}


@dataclass(slots=True)
class _Unit:
    """The lines of one answer with the results of its tools, or one line.

    Text of an answer after a result stays before that result.

    Attributes:
        key: The uuid of its first line.
        parent: The uuid of the line before it, or None.
        before: The uuid of the line before it in the file, or None.
        opens: Whether the file marks it as the first.
        broken: Whether the user interrupted it.
    """

    key: str
    parent: str | None
    before: str | None
    opens: bool = False
    answer: RawMessage | None = None
    parts: list[Part] = field(default_factory=list)
    calls: set[str] = field(default_factory=set)
    rest: list[RawMessage] = field(default_factory=list)
    broken: bool = False

    def add(self, piece: RawMessage) -> None:
        """Add the content of a line."""
        if piece.role is not Role.ASSISTANT:
            self.rest.append(piece)
            return
        self.answer = self.answer or piece
        for part in piece.parts:
            if isinstance(part, ToolCall):
                if part.id in self.calls:
                    continue
                self.calls.add(part.id)
            self.parts.append(part)

    def loose(self) -> list[RawMessage]:
        """Return its messages."""
        if self.answer is None:
            return self.rest
        broken = self.broken or self.answer.broken
        return [replace(self.answer, parts=tuple(self.parts), broken=broken), *self.rest]


@dataclass(slots=True)
class _Session:
    """The content of one session so far."""

    id: str | None
    where: str
    reasons: Reasons = field(default_factory=Reasons)
    units: dict[str, _Unit] = field(default_factory=dict)
    unit_of: dict[str, _Unit] = field(default_factory=dict)
    answers: dict[str, _Unit] = field(default_factory=dict)
    callers: dict[str, _Unit] = field(default_factory=dict)
    newest: _Unit | None = None

    def add(self, record: JsonRecord) -> None:
        """Add one line."""
        data = as_object(record.value)
        name = as_id(data.get("uuid")) or f"line {len(self.unit_of)}"
        if name in self.unit_of:
            self.reasons["repeated line"] += 1
            return
        pieces = self._pieces(name, data, record.where)
        unit = self._unit_for(name, data, pieces)
        self.unit_of[name] = unit
        for piece in pieces:
            unit.add(piece)
            self.newest = unit
            for call in (part for part in piece.parts if isinstance(part, ToolCall)):
                self.callers.setdefault(call.id, unit)

    def _unit_for(self, name: str, data: Mapping[str, Any], pieces: list[RawMessage]) -> _Unit:
        answers = bool(pieces) and pieces[0].role is Role.ASSISTANT
        answer = as_id(as_object(data.get("message")).get("id")) if answers else None
        if answer in self.answers:
            return self.answers[answer]
        if pieces and all(loose.role is Role.TOOL for loose in pieces):
            parts = (part for loose in pieces for part in loose.parts)
            calls = (part.call_id for part in parts if isinstance(part, ToolResult))
            caller = next((self.callers[call] for call in calls if call in self.callers), None)
            if caller is not None:
                return caller
        parent = as_id(data.get("parentUuid")) or as_id(data.get("logicalParentUuid"))
        unit = self.units[name] = _Unit(name, parent, next(reversed(self.unit_of), None))
        opening = data.get("parentUuid", "") is None and parent is None
        unit.opens = opening and bool(pieces) and pieces[0].role is Role.USER
        if answer:
            self.answers[answer] = unit
        return unit

    def _pieces(self, name: str, data: Mapping[str, Any], where: str) -> list[RawMessage]:
        kind, message = as_text(data.get("type")), as_object(data.get("message"))
        if kind not in ("user", "assistant"):
            self.reasons[f"{kind[:40]} line"] += 1
            return []
        if data.get("isMeta") is True or data.get("isCompactSummary") is True:
            self.reasons[PROGRAM_MESSAGE] += 1
            return []
        role = Role.USER if kind == "user" else Role.ASSISTANT
        content = message.get("content")
        parts = list(said(content, name, self.reasons))
        if role is Role.USER and self._is_put_in(parts):
            parts = []
        at = self.reasons.time(data.get("timestamp"))
        model = as_text(message.get("model"))
        return [
            RawMessage(
                key=f"{name}/{speaker.value}",
                role=speaker,
                parts=tuple(listed),
                at=at,
                model=model if model != _NO_MODEL else None,
                broken=data.get("isApiErrorMessage") is True,
                where=where,
            )
            for speaker, listed in (
                (Role.TOOL, list(results(content, self.reasons))),
                (role, parts),
            )
            if listed
        ]

    def _is_put_in(self, parts: list[Part]) -> bool:
        words = "\n".join(part.text for part in parts if isinstance(part, Text)).lstrip()
        if words.startswith(_INTERRUPTED):
            if self.newest is not None and self.newest.answer is not None:
                self.newest.broken = True
            return True
        if words.startswith(_PUT_IN):
            self.reasons[PROGRAM_MESSAGE] += 1
            return True
        return False

    def messages(self) -> tuple[list[RawMessage], str | None]:
        """Return the messages, parents before children, and the key of the newest."""
        parents = {key: self._above(unit) for key, unit in self.units.items()}
        found = {key: unit.loose() for key, unit in self.units.items()}
        messages, last = chained(found, parents, self.reasons)
        return messages, last.get(self.newest.key) if self.newest else None

    def _above(self, unit: _Unit) -> str | None:
        above = self.unit_of.get(unit.parent or "")
        if above is None and not unit.opens:
            above = self.unit_of.get(unit.before or "")
        return above.key if above is not None else None


def read(records: Iterable[JsonRecord | SkippedRecord]) -> Iterator[Item]:
    """Read the sessions of one file."""
    sessions: dict[str | None, _Session] = {}
    titles: dict[str, str] = {}
    agents = 0
    for record in records:
        if isinstance(record, SkippedRecord):
            yield record
            continue
        data = record.value
        if not isinstance(data, dict):
            yield record.unread("not a line of a session: not an object")
            continue
        name = as_id(data.get("sessionId"))
        title = _TITLES.get(as_text(data.get("type")))
        if title is not None:
            titles[as_text(data.get("leafUuid")) or name or ""] = as_text(data.get(title))
        elif data.get("isSidechain") is True:
            agents += 1
        elif as_id(data.get("uuid")) or "message" in data:
            session = sessions.setdefault(name, _Session(name, record.where))
            session.reasons[BROKEN_CHARACTER] += record.repaired
            session.add(record)
    if agents:
        yield SkippedRecord("the file", SUBAGENT_MESSAGE, kind=Skip.NORMAL, count=agents)
    for session in sessions.values():
        yield from _finished(session, titles)


def _finished(session: _Session, titles: Mapping[str, str]) -> Iterator[Item]:
    messages, newest = session.messages()
    named = (titles[name] for name in (session.id or "", *session.unit_of) if titles.get(name))
    origin = ImportOrigin(FORMAT.name, session.id, title=next(named, ""), current=newest)
    woven = build_transcript(origin, messages)
    where = f"session {session.id}" if session.id else session.where
    yield from session.reasons.records(where)
    yield from woven.unread
    if woven.conversation is not None:
        yield woven.conversation


FORMAT = Format(
    "claude-code",
    "Claude Code session",
    signs("parentUuid sessionId", "type summary leafUuid"),
    read,
)
