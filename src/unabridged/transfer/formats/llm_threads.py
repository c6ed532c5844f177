"""The newer tables of ``llm``'s log: ``threads``, ``turns``, ``messages`` and ``parts``. See ``llm``."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from unabridged.domain.message import Part, Reasoning, Role, Text, ToolCall, ToolResult
from unabridged.transfer.build_conversation import RawMessage, chained
from unabridged.transfer.foreign_database import ForeignDatabase
from unabridged.transfer.formats.llm_log import Attachments
from unabridged.transfer.formats.responses_items import ROLES
from unabridged.transfer.lenient_fields import (
    BROKEN_CHARACTER,
    SYSTEM_MESSAGE,
    Reasons,
    as_id,
    as_list,
    as_object,
    as_text,
)
from unabridged.transfer.records import BadJsonError, decode

_LONGEST_CALL = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class _Turn:
    """One call of a model: the messages before and after it."""

    parent: str | None
    tip: str | None
    at: datetime | None
    end: datetime | None
    model: str | None


class Threads:
    """The conversations of ``threads`` and their messages."""

    def __init__(self, database: ForeignDatabase, attachments: Attachments) -> None:
        self._database = database
        self._attachments = attachments
        self._titles: dict[str, str] = {}
        self._tips: dict[str, str | None] = {}
        forks: dict[str, str] = {}
        for number, *values in database.rows(
            "threads", "id", "name", "tip_message_hash", "forked_from"
        ):
            name = as_id(values[0]) or f"row {number}"
            self._titles[name] = as_text(values[1])
            self._tips[name] = as_id(values[2])
            if (origin := as_id(values[3])) is not None:
                forks[name] = origin
        self._roots = {name: _root(name, forks, self._tips) for name in self._tips}
        self._parents: dict[str, tuple[str | None, Role | None]] = {}
        for _, name, parent, role in database.rows("messages", "hash", "parent_hash", "role"):
            if (key := as_id(name)) is not None:
                self._parents[key] = (as_id(parent), ROLES.get(as_text(role)))
        self._parts: dict[str, list[tuple[Any, int]]] = defaultdict(list)
        for number, name, place in database.rows("parts", "message_hash", "position"):
            order = place if isinstance(place, int) else number
            self._parts[as_id(name) or ""].append((order, number))
        self._turns = self._read_turns()

    def names(self) -> Iterator[str]:
        """Return the ids of the conversations: threads with turns that are not forks."""
        yield from (name for name in self._turns if self._turns[name])

    def title(self, name: str) -> str:
        """Return the title of a conversation, or an empty one."""
        return self._titles.get(name, "")

    def messages(
        self, name: str, history: Sequence[RawMessage], reasons: Reasons
    ) -> tuple[list[RawMessage], str | None]:
        """Return the messages of a conversation, parents before children, and the newest one's key.

        Messages equal to the history in ``responses`` are identified with it.
        """
        found: dict[str, list[RawMessage]] = {}
        for turn in self._turns.get(name, ()):
            self._climb(turn.tip, turn, found, reasons)
        parents = {key: self._parents[key][0] for key in found}
        messages, last = chained(found, parents, reasons)
        same = _same(messages, history)
        added = [
            replace(loose, parent=same.get(loose.parent or "", loose.parent))
            for loose in messages
            if loose.key not in same
        ]
        current = last.get(self._tips.get(name) or "")
        if current is None and messages:
            current = messages[-1].key
        return [*history, *added], same.get(current or "", current)

    def _climb(
        self,
        tip: str | None,
        turn: _Turn,
        found: dict[str, list[RawMessage]],
        reasons: Reasons,
    ) -> None:
        key, answered = tip, True
        while key is not None and key in self._parents and key not in found:
            answered = answered and key != turn.parent
            found[key] = self._loose(key, turn, reasons, answered=answered)
            key = self._parents[key][0]

    def _loose(
        self, key: str, turn: _Turn, reasons: Reasons, *, answered: bool
    ) -> list[RawMessage]:
        role = self._parents[key][1]
        parts = tuple(self._said(key, reasons)) if role is not None else ()
        if role is None:
            reasons[SYSTEM_MESSAGE] += 1
        if role is None or not parts:
            return []
        if all(isinstance(part, ToolResult) for part in parts):
            role = Role.TOOL
        at = turn.end if answered else turn.at
        model = turn.model if role is Role.ASSISTANT else None
        return [RawMessage(key, role, parts, None, at, model, where=f"message {key}")]

    def _said(self, key: str, reasons: Reasons) -> Iterator[Part]:
        for _, number in sorted(self._parts.get(key, ())):
            row = self._database.row("parts", number, "type", "text", "payload")
            if row is None:
                continue
            payload = _payload(row["payload"], reasons)
            kind, text = as_text(row["type"]), as_text(row["text"])
            yield from self._part(kind, text or self._joined(payload, reasons), payload, reasons)

    def _part(
        self, kind: str, text: str, payload: Mapping[str, Any], reasons: Reasons
    ) -> Iterator[Part]:
        call, name = as_id(payload.get("tool_call_id")) or "", as_text(payload.get("name"))
        if kind == "text" and text:
            yield Text(text)
        elif kind == "reasoning" and text:
            yield Reasoning(text)
        elif kind == "tool_call":
            yield ToolCall(call, name, reasons.json(payload.get("arguments") or {}))
        elif kind == "tool_result":
            failed = bool(payload.get("exception"))
            output = as_text(payload.get("output")) or as_text(payload.get("exception"))
            yield ToolResult(call, name, output, failed)
            yield from self._attached(as_list(payload.get("attachments")), reasons)
        elif kind == "attachment":
            yield from self._attached([payload.get("attachment")], reasons)
        elif kind not in ("text", "reasoning"):
            reasons.lost(f"content of the type {kind[:40]!r}", dict(payload))

    def _attached(self, listed: list[Any], reasons: Reasons) -> Iterator[Part]:
        for each in listed:
            part = self._attachments.part(as_id(as_object(each).get("id")), reasons)
            if part is not None:
                yield part

    def _joined(self, payload: Mapping[str, Any], reasons: Reasons) -> str:
        pieces = []
        for each in as_list(payload.get("text_ref")):
            number = as_object(each).get("fragment")
            if not isinstance(number, int):
                pieces.append(as_text(as_object(each).get("literal")))
                continue
            row = self._database.row("fragments", number, "content")
            if row is None:
                reasons["missing fragment"] += 1
            pieces.append(as_text(row["content"]) if row else "")
        return "".join(pieces) or as_text(payload.get("text"))

    def _read_turns(self) -> dict[str, list[_Turn]]:
        columns = "id thread_id parent_message_hash tip_message_hash model resolved_model"
        times = ("datetime_utc", "duration_ms")
        listed = [
            (as_id(values[0]) or "", values)
            for _, *values in self._database.rows("turns", *columns.split(), *times)
        ]
        turns: dict[str, list[_Turn]] = defaultdict(list)
        for name, values in sorted(listed, key=lambda each: each[0]):
            thread = as_id(values[1]) or name
            at = Reasons().time(values[6])
            model = as_text(values[5]) or as_text(values[4]) or None
            turn = _Turn(as_id(values[2]), as_id(values[3]), at, _end(at, values[7]), model)
            turns[self._roots.get(thread, thread)].append(turn)
        return turns


def _root(name: str, forks: Mapping[str, str], known: Mapping[str, Any]) -> str:
    seen = {name}
    while (above := forks.get(name, "")) in known and above not in seen:
        name = above
        seen.add(name)
    return name


def _end(at: datetime | None, milliseconds: Any) -> datetime | None:
    if at is None or not isinstance(milliseconds, int):
        return at
    try:
        return at + min(timedelta(milliseconds=max(0, milliseconds)), _LONGEST_CALL)
    except OverflowError:
        return at


def _same(messages: Sequence[RawMessage], history: Sequence[RawMessage]) -> dict[str, str]:
    same: dict[str, str] = {}
    place_of: dict[str | None, int] = {None: 0}
    for loose in messages:
        place = place_of.get(loose.parent)
        if place is None or place >= len(history):
            continue
        known = history[place]
        if (known.role, _words(known)) == (loose.role, _words(loose)):
            same[loose.key] = known.key
            place_of[loose.key] = place + 1
    return same


def _words(loose: RawMessage) -> str:
    return "\n".join(part.text for part in loose.parts if isinstance(part, Text))


def _payload(value: Any, reasons: Reasons) -> Mapping[str, Any]:
    if not isinstance(value, str):
        return {}
    try:
        data, repaired = decode(value.encode("utf-8", "replace"))
    except BadJsonError:
        reasons.lost("a part that is not JSON", value)
        return {}
    if repaired:
        reasons[BROKEN_CHARACTER] += repaired
    return as_object(data)
