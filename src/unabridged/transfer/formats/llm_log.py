"""The older tables of ``llm``'s log: ``responses`` and related tables. See ``llm``."""

import base64
import mimetypes
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from unabridged.domain.message import Image, Part, Reasoning, Role, Text, ToolCall, ToolResult
from unabridged.transfer.build_conversation import RawMessage
from unabridged.transfer.foreign_database import ForeignDatabase, Row
from unabridged.transfer.lenient_fields import SYSTEM_MESSAGE, Reasons, as_id, as_text

_PICTURE = 16 << 20
"""The most bytes of a picture to import."""
_RESPONSE = ("id", "model", "resolved_model", "prompt", "system", "response", "reasoning")


class Attachments:
    """The attachments of messages, by id."""

    def __init__(self, database: ForeignDatabase) -> None:
        self._database = database
        self._numbers = {as_id(row[1]): row[0] for row in database.rows("attachments", "id")}

    def part(self, name: str | None, reasons: Reasons) -> Part | None:
        """Return an attachment as a part: a picture or its address, or the name of a file."""
        number = self._numbers.get(name)
        row = number and self._database.row("attachments", number, "type", "path", "url", "content")
        if not row:
            reasons["missing attachment"] += 1
            return None
        kind, content = as_text(row["type"]), row["content"]
        place = as_text(row["url"]) or as_text(row["path"])
        kind = kind or mimetypes.guess_type(place)[0] or ""
        if not kind.startswith("image/"):
            if isinstance(content, bytes):
                reasons["attached file"] += 1
            return Text(f"[attached: {place or kind or 'a file'}]")
        if place:
            return Image(place)
        if isinstance(content, bytes) and len(content) <= _PICTURE:
            return Image(f"data:{kind};base64,{base64.b64encode(content).decode()}")
        reasons["missing or oversized picture"] += 1
        return Text(f"[attached: {kind}]")


class LlmLogTables:
    """The conversations of ``responses``."""

    def __init__(self, database: ForeignDatabase, attachments: Attachments) -> None:
        self._database = database
        self._attachments = attachments
        self._numbers: dict[str, list[tuple[str, int]]] = defaultdict(list)
        taken = {as_id(row[1]) for row in database.rows("turns", "id")}
        for number, name, conversation in database.rows("responses", "id", "conversation_id"):
            own = as_id(name) or f"row {number}"
            if own not in taken:
                self._numbers[as_id(conversation) or own].append((own, number))
        self._titles = {
            as_id(row[1]): as_text(row[2]) for row in database.rows("conversations", "id", "name")
        }
        self._calls = self._by_response("tool_calls")
        self._results = self._by_response("tool_results")
        self._fragments = self._by_response("prompt_fragments", "fragment_id")
        self._attached = self._by_response("prompt_attachments", "attachment_id")

    def names(self) -> Iterator[str]:
        """Return the ids of the conversations, the oldest first."""
        yield from sorted(self._numbers, key=lambda name: min(self._numbers[name]))

    def title(self, name: str) -> str:
        """Return the title of a conversation, or an empty one."""
        return self._titles.get(name, "")

    def messages(self, name: str, reasons: Reasons) -> list[RawMessage]:
        """Return the messages of a conversation, in order."""
        messages: list[RawMessage] = []
        for own, number in sorted(self._numbers.get(name, ())):
            row = self._database.row("responses", number, *_RESPONSE, "datetime_utc")
            for loose in self._said(own, row, reasons) if row else ():
                parent = messages[-1].key if messages else None
                messages.append(replace(loose, parent=parent, where=f"response {own}"))
        return messages

    def _said(self, own: str, row: Row, reasons: Reasons) -> Iterator[RawMessage]:
        at = reasons.time(row["datetime_utc"])
        model = as_text(row["resolved_model"]) or as_text(row["model"]) or None
        if as_text(row["system"]):
            reasons[SYSTEM_MESSAGE] += 1
        sides = (
            (Role.TOOL, self._tool_results(own)),
            (Role.USER, self._asked(own, row, reasons)),
            (Role.ASSISTANT, self._answered(own, row)),
        )
        for role, parts in sides:
            if listed := tuple(parts):
                said_by = model if role is Role.ASSISTANT else None
                yield RawMessage(f"{own}/{role.value}", role, listed, None, at, said_by)

    def _asked(self, own: str, row: Row, reasons: Reasons) -> Iterator[Part]:
        for _, _, number in self._fragments.get(own, ()):
            known = isinstance(number, int)
            found = self._database.row("fragments", number, "content") if known else None
            if found and as_text(found["content"]):
                yield Text(as_text(found["content"]))
            else:
                reasons["missing fragment"] += 1
        if as_text(row["prompt"]):
            yield Text(as_text(row["prompt"]))
        for _, _, name in self._attached.get(own, ()):
            part = self._attachments.part(as_id(name), reasons)
            if part is not None:
                yield part

    def _answered(self, own: str, row: Row) -> Iterator[Part]:
        if as_text(row["reasoning"]):
            yield Reasoning(as_text(row["reasoning"]))
        if as_text(row["response"]):
            yield Text(as_text(row["response"]))
        for _, number, _ in self._calls.get(own, ()):
            call = self._database.row("tool_calls", number, "name", "arguments", "tool_call_id")
            if call:
                name, key = as_text(call["name"]), as_id(call["tool_call_id"])
                yield ToolCall(key or f"{own}/{number}", name, as_text(call["arguments"]))

    def _tool_results(self, own: str) -> Iterator[Part]:
        for _, number, _ in self._results.get(own, ()):
            names = ("name", "output", "tool_call_id", "exception")
            result = self._database.row("tool_results", number, *names)
            if result:
                key, failed = as_id(result["tool_call_id"]) or "", bool(result["exception"])
                text = as_text(result["output"]) or as_text(result["exception"])
                yield ToolResult(key, as_text(result["name"]), text, failed)

    def _by_response(
        self, table: str, column: str = "id"
    ) -> dict[str | None, list[tuple[int, int, Any]]]:
        found: dict[str | None, list[tuple[int, int, Any]]] = defaultdict(list)
        for number, response, order, value in self._database.rows(
            table, "response_id", "order", column
        ):
            place = order if isinstance(order, int) else number
            found[as_id(response)].append((place, number, value))
        for listed in found.values():
            listed.sort(key=lambda each: each[:2])
        return found
