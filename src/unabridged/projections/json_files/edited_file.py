"""Read a file that a person edited: what it says now, or why it cannot be adopted, with the line."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from json.decoder import scanstring  # type: ignore[attr-defined]  # the stubs leave it out
from pathlib import Path
from typing import Any

import msgspec

from unabridged.errors import StoreEditedError
from unabridged.projections.json_files import file_errors
from unabridged.projections.json_files.fields import (
    ExchangeForm,
    FileHeader,
    HiddenPart,
    SessionForm,
    form_from,
)
from unabridged.projections.json_files.json_document import FORMAT
from unabridged.projections.json_files.layout import JsonTurn, Layout, ShownSession
from unabridged.projections.json_files.layouts import KNOWN

_STEP = re.compile(r"\.([A-Za-z_][A-Za-z0-9_]*)|\[(\d+|\.\.\.)\]")
_PLACE = re.compile(r" - at `(?:key in )?(\$[^`]*)`\Z")
_BLANK = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder(strict=False)


@dataclass(slots=True)
class EditedSession:
    """A session as the file says it now.

    Attributes:
        id: Its id, or empty for one that is new and has none.
        turns: Its exchanges on the path.
        branches: Those on other branches.
        title: Its title, if a person can edit it.
        created: When it was begun, if the file says it.
        header: Its header when the file was written; None for one that is new.
        written: The ids of its exchanges when the file was written, those of the path first.
        ending: How many of them are the path.
    """

    id: str
    turns: list[JsonTurn]
    branches: list[JsonTurn] = field(default_factory=list)
    title: str | None = None
    created: datetime | None = None
    header: SessionForm | None = None
    written: list[str] = field(default_factory=list)
    ending: int = 0


@dataclass(slots=True)
class EditedFile:
    """A file, read without its digests.

    Attributes:
        about: What it says of itself; None if that is missing.
        sessions: Its sessions.
        notes: What cannot be adopted, and need not be.
    """

    about: FileHeader | None
    sessions: list[EditedSession]
    notes: list[str] = field(default_factory=list)


def read(path: Path, data: bytes, layout: str) -> EditedFile:
    """Read a file that may have been edited.

    Raises:
        StoreDamagedError: It is not JSON.
        StoreEditedError: It says something that cannot be adopted; the line is named.
        StoreFormatError: A newer version wrote it.
    """
    try:
        text = data.decode("utf-8")
        json.loads(text)
    except (ValueError, RecursionError) as error:
        raise file_errors.unreadable(path, data, error) from error
    try:
        found = _read(KNOWN[layout], data)
    except (ValueError, KeyError) as error:
        line, reason = _line_and_reason(text, str(error))
        raise StoreEditedError(
            f"{path}, line {line}: {reason}. Nothing was adopted.",
            hint="Correct that line and repeat, or undo the edit.",
        ) from error
    if found.about is not None and found.about.format > FORMAT:
        raise file_errors.too_new(path, found.about.format)
    return found


def _read(layout: Layout, data: bytes) -> EditedFile:
    file = layout.parse(data)
    names = [one.id for one in file.conversations]
    if len(set(names)) < len(names):
        raise ValueError("two sessions have one id")
    if file.hidden is not None:
        sessions = _paired(layout, file.hidden, file.conversations)
        return EditedFile(file.hidden.header, list(sessions))
    sessions = _unpaired(layout, file.conversations)
    lists = file.heads[1:] if layout.shows_records else ()
    told = sum(len(msgspec.json.decode(each, type=list[Any])) for each in lists)
    notes = [f"{told} summaries of earlier conversations hold no exchanges"] if told else []
    return EditedFile(None, list(sessions), notes)


def _paired(
    layout: Layout, hidden: HiddenPart, shown: Sequence[ShownSession]
) -> Iterator[EditedSession]:
    left = list(shown)
    for number, part in enumerate(hidden.sessions):
        place = f"$.unabridged.sessions[{number}]"
        header = form_from(part.session, SessionForm, f"{place}.session")
        if part.conversation is not msgspec.UNSET:
            mine = ShownSession(part.conversation, f"{place}.conversation")
        else:
            mine = next((one for one in left if one.id in (None, header.id)), ShownSession())
            left = [one for one in left if one is not mine]
        session = replace(_session(layout, mine), id=header.id, header=header)
        session.branches = layout.turns(part.branches, f"{place}.branches")
        forms = [
            form_from(raw, ExchangeForm, f"{place}.exchanges[{n}][1]")
            for n, (_, raw) in enumerate(part.exchanges)
        ]
        session.written = [form.id for form in forms]
        session.ending = _ending(forms, header.head)
        yield session
    yield from _unpaired(layout, left)


def _unpaired(layout: Layout, shown: Sequence[ShownSession]) -> Iterator[EditedSession]:
    return (_session(layout, one) for one in shown if one.values or one.id is not None)


def _session(layout: Layout, one: ShownSession) -> EditedSession:
    turns = layout.turns(one.values, one.place)
    if one.model:
        turns = [replace(turn, model=one.model) for turn in turns]
    return EditedSession(one.id or "", turns, title=one.title, created=one.created)


def _ending(forms: Sequence[ExchangeForm], head: str | None) -> int:
    # How many exchanges there are up to the one that the head is in; 0 if it is in none.
    ends = [form.messages[-1].id if form.messages else form.opened_by for form in forms]
    if head in ends:
        return ends.index(head) + 1
    holds = (any(message.id == head for message in form.messages) for form in forms)
    return next((number for number, one in enumerate(holds, start=1) if one), 0)


# --- the line of what is wrong ------------------------------------------------------------------


def _line_and_reason(text: str, said: str) -> tuple[int, str]:
    found = _PLACE.search(said)
    if found is None:
        return 1, said
    return _line_of(text, found[1]), said[: found.start()]


def _line_of(text: str, path: str) -> int:
    # The line of a value in valid JSON: ``$.sessions[3].title``; what leads nowhere is left out.
    at = _after_blanks(text, 0)
    for step in _STEP.finditer(path):
        found = _member(text, at, step[1]) if step[1] else _element(text, at, step[2])
        if found is None:
            break
        at = found
    return text.count("\n", 0, at) + 1


def _member(text: str, at: int, name: str) -> int | None:
    if text[at : at + 1] != "{":
        return None
    at = _after_blanks(text, at + 1)
    while text[at : at + 1] == '"':
        key, at = scanstring(text, at + 1, False)  # noqa: FBT003 - its signature
        at = _after_blanks(text, _after_blanks(text, at) + 1)
        if key == name:
            return at
        at = _after_value(text, at)
    return None


def _element(text: str, at: int, number: str) -> int | None:
    if text[at : at + 1] != "[" or not number.isdigit():
        return None
    at = _after_blanks(text, at + 1)
    for _ in range(int(number)):
        if text[at : at + 1] in ("]", ""):
            return None
        at = _after_value(text, at)
    return at


def _after_value(text: str, at: int) -> int:
    _, at = _DECODER.raw_decode(text, at)
    at = _after_blanks(text, at)
    return _after_blanks(text, at + 1) if text[at : at + 1] == "," else at


def _after_blanks(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at
