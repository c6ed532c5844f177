"""SillyTavern's chats: ``chats/{character}/….jsonl`` and ``group chats/….jsonl``.

The first line is a header: ``user_name``, ``character_name``, ``create_date``, ``chat_metadata``; older
group chats have none. Every other line is a message: ``name``, ``is_user``, ``is_system``,
``send_date``, ``mes``, ``extra`` and, of a character, ``swipes``, ``swipe_id``, ``swipe_info``. Swipes are
branches: other answers to the same message; later messages follow the chosen one. Most chats begin
with the character, after a line in brackets. If several characters or users speak, each message not
by the one in the header begins with its speaker's name as a separate part. A message hidden from the
model (``is_system`` without ``extra.type``) is imported; one with a type is a notice of the program,
except a narrator's. ``send_date`` has had five forms, which ``times`` reads.

The form is that of github.com/SillyTavern/SillyTavern (src/endpoints/chats.js, public/script.js,
public/scripts/group-chats.js, public/scripts/utils.js: timestampToMoment).
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from unabridged.domain.message import Image, Part, Reasoning, Role, Text, ToolCall, ToolResult
from unabridged.domain.results import SkippedRecord
from unabridged.transfer.build_conversation import ImportOrigin, RawMessage, chained, transcript
from unabridged.transfer.foreign_format import Format, signs
from unabridged.transfer.formats import placeholders
from unabridged.transfer.ids import digest
from unabridged.transfer.lenient_fields import (
    EMPTY_MESSAGE,
    Reasons,
    as_id,
    as_list,
    as_object,
    as_text,
)
from unabridged.transfer.reader import Item
from unabridged.transfer.records import JsonRecord

RUN = 10
"""The most messages of characters in a row before a line in brackets begins an exchange."""

_UNNAMED = frozenset({"", "unused"})
_ON = "The conversation goes on without the user."


def read(records: Iterable[JsonRecord | SkippedRecord]) -> Iterator[Item]:
    """Read a conversation.

    Args:
        records: The lines. All are held in memory: a later one may add to an earlier.
    """
    header: Mapping[str, Any] = {}
    lines: list[JsonRecord] = []
    repaired = 0
    for record in records:
        data = record.value if isinstance(record, JsonRecord) else None
        if isinstance(record, SkippedRecord):
            yield record
        elif not isinstance(data, dict):
            yield record.unread("not a message: not an object")
        elif "mes" in data or "is_user" in data:
            lines.append(record)
            repaired += record.repaired
        elif "user_name" in data or "chat_metadata" in data:
            if header or lines:
                yield from _conversation(header, lines, repaired)
            header, lines, repaired = data, [], record.repaired
        else:
            yield record.unread("not a message: it has no text")
    if header or lines:
        yield from _conversation(header, lines, repaired)


def _conversation(
    header: Mapping[str, Any], lines: list[JsonRecord], repaired: int
) -> Iterator[Item]:
    chat = _Chat(header, lines)
    for record in lines:
        chat.add(record)
    messages, last = chained(chat.found, chat.parents, chat.reasons)
    created = header.get("create_date")
    about = as_object(header.get("chat_metadata"))
    if as_text(about.get("note_prompt")).strip():
        chat.reasons.skip("author's note", about.get("note_prompt"))
    character = chat.character
    dated = f"{character} - {created}" if character and as_id(created) else None
    origin = ImportOrigin(
        FORMAT.name,
        id=dated or as_id(about.get("integrity")),
        title=character or placeholders.title(messages),
        created=chat.reasons.time(created),
        current=last.get(chat.above or ""),
    )
    place = lines[0].where if lines else "line 1"
    record = JsonRecord(place, dict(header), repaired)
    yield from transcript(record, origin, placeholders.opened(messages), chat.reasons)


class _Chat:
    """A chat while it is read: each message follows the chosen swipe before it."""

    def __init__(self, header: Mapping[str, Any], lines: list[JsonRecord]) -> None:
        self.reasons = Reasons()
        self.found: dict[str, list[RawMessage]] = {}
        self.parents: dict[str, str | None] = {}
        self.above: str | None = None
        self._run = 0
        self._seen = Counter[str]()
        names: dict[bool, dict[str, None]] = {True: {}, False: {}}
        for record in lines:
            data = record.value
            names[data.get("is_user") is True][as_text(data.get("name"))] = None
        self.character = self._own(header.get("character_name"), names[False])
        self._user = self._own(header.get("user_name"), names[True])

    def _own(self, named: Any, speakers: Mapping[str, None]) -> str:
        # Return the speaker without a label: the header's, else the only one.
        name = as_text(named)
        if name not in _UNNAMED:
            return name
        return next(iter(speakers)) if len(speakers) == 1 else ""

    def add(self, record: JsonRecord) -> None:
        """Read a message with its swipes."""
        data = record.value
        kind = as_text(as_object(data.get("extra")).get("type"))
        calls = as_list(as_object(data.get("extra")).get("tool_invocations"))
        if data.get("is_system") is True and kind and kind != "narrator" and not calls:
            self.reasons.skip("program notice", data)
            return
        user = data.get("is_user") is True
        self._run = 0 if user else self._run + 1
        above = self.above
        if self._run > RUN and above is not None:
            line = placeholders.user_line(above, _ON, where=record.where)
            self.found[line.key], self.parents[line.key] = [line], above
            above, self._run = line.key, 1
        selected: str | None = None
        own: set[str] = set()
        for words, about, shown in _swipes(data):
            sent = str(about.get("send_date"))
            base = digest("message", str(user), as_text(data.get("name")), sent, words)
            if base in own:
                self.reasons["repeated swipe"] += 1
                continue
            own.add(base)
            key = digest(base, str(self._seen[base]))
            pieces = self._pieces(key, record, words, about)
            if pieces:
                self._seen[base] += 1
                self.found[key], self.parents[key] = pieces, above
                selected = key if shown or selected is None else selected
        if selected is None:
            self.reasons.skip(EMPTY_MESSAGE, data)
        self.above = selected or above

    def _pieces(
        self, key: str, record: JsonRecord, words: str, about: Mapping[str, Any]
    ) -> list[RawMessage]:
        data, extra, where = record.value, as_object(about.get("extra")), record.where
        user = data.get("is_user") is True
        calls = [] if user else list(_calls(extra, self.reasons))
        said = list(_said("" if calls and data.get("is_system") is True else words, extra))
        name = as_text(data.get("name"))
        if said and name and name != (self._user if user else self.character):
            said.insert(0, Text(f"{name}:"))
        role = Role.USER if user else Role.ASSISTANT
        at = self.reasons.time(about.get("send_date"))
        model = None if user else as_text(extra.get("model")) or None
        pieces = [RawMessage(key, role, tuple(said), None, at, model, where=where)] if said else []
        for number, (call, result) in enumerate(calls):
            name = f"{key}/{number}"
            pieces.append(RawMessage(name, role, (call,), None, at, model, where=where))
            pieces.append(RawMessage(f"{name}/result", Role.TOOL, (result,), None, at, where=where))
        return pieces


def _swipes(data: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any], bool]]:
    message = data.get("mes")
    shown = as_text(message) or as_text(as_object(message).get("message"))
    listed = [
        as_text(each) or as_text(as_object(each).get("message"))
        for each in as_list(data.get("swipes"))
    ]
    infos = [as_object(each) for each in as_list(data.get("swipe_info"))]
    infos += [{}] * (len(listed) - len(infos))
    chosen = data.get("swipe_id")
    numbered = type(chosen) is int and 0 <= chosen < len(listed) and listed[chosen] == shown
    current = chosen if numbered else listed.index(shown) if shown in listed else None
    swipes = [
        (words, data if number == current else infos[number], number == current)
        for number, words in enumerate(listed)
    ]
    return swipes if current is not None else [*swipes, (shown, data, True)]


def _said(words: str, extra: Mapping[str, Any]) -> Iterator[Part]:
    if as_text(extra.get("reasoning")).strip():
        yield Reasoning(as_text(extra.get("reasoning")))
    if words.strip():
        yield Text(words)
    media = [as_object(each) for each in as_list(extra.get("media"))]
    pictures = [extra.get("image"), *(each.get("url") for each in media)]
    yield from (Image(uri) for each in pictures if (uri := as_text(each)))
    for each in (extra.get("file"), *as_list(extra.get("files"))):
        file = as_object(each)
        name, text = as_text(file.get("name")), as_text(file.get("text"))
        if name or text:
            yield Text(f"[attached: {name or 'a file'}]\n{text}".strip())


def _calls(extra: Mapping[str, Any], reasons: Reasons) -> Iterator[tuple[ToolCall, ToolResult]]:
    for number, each in enumerate(as_list(extra.get("tool_invocations"))):
        data = as_object(each)
        call, name = as_id(data.get("id")) or f"call-{number}", as_text(data.get("name"))
        said = data.get("result")
        arguments = reasons.arguments(data.get("parameters"))
        result = as_text(said) if said is None or isinstance(said, str) else reasons.json(said)
        yield ToolCall(call, name, arguments), ToolResult(call, name, result)


FORMAT = Format(
    "sillytavern",
    "SillyTavern chat",
    signs("user_name character_name", "is_user mes", "chat_metadata"),
    read,
)
