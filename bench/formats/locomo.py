"""LoCoMo: conversations between two people over months, with questions about them.

The original is an array of conversations (github.com/snap-research/locomo, ``data/locomo10.json``):
``conversation`` holds ``session_1``, ``session_1_date_time`` and so on, a turn has ``speaker``,
``dia_id`` (``D1:3``: session and place) and ``text``, and ``blip_caption`` where a picture was
shared; ``qa`` holds the questions with the ids of their evidence. One conversation alone, a folder
of files, and sessions next to ``qa`` instead of under ``conversation`` are read too.

No speaker is the user: consecutive turns of a session form pairs, the first of a pair
as the user's message and the second as its answer, each after its speaker's name. A session's
last turn stays alone where their number is odd.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from unabridged.domain.message import Role, Text
from unabridged.domain.results import SkippedRecord, Transcript
from unabridged.errors import TransferError
from unabridged.transfer.build_conversation import (
    ImportOrigin,
    RawMessage,
    build_transcript,
)
from unabridged.transfer.foreign_format import Format, signs
from unabridged.transfer.input_file import InputFile, InputLimits
from unabridged.transfer.lenient_fields import Reasons, as_id, as_list, as_object, as_text
from unabridged.transfer.reader import Item
from unabridged.transfer.records import JsonRecord, elements
from unabridged.transfer.times import parse_time

NAME = "locomo"

Place = tuple[int, int]
"""A turn: the number of its session and its own, both as the file counts."""

_SESSION = re.compile(r"session_(\d+)")
_EVIDENCE = re.compile(r"D:?(\d+):0*(\d+)")
_DATE = re.compile(r"(\d+):(\d\d)\s*([ap])m\s+on\s+(\d+)\s+([A-Za-z]+),?\s+(\d{4})", re.IGNORECASE)
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()


class LocomoTalk(NamedTuple):
    """One conversation of months, with its questions.

    Attributes:
        id: Its id in the file, or its place there.
        sessions: Its sessions, in order.
        questions: The questions' records, as the file has them.
        exchange_of: Turn to the id of its exchange.
        message_of: Turn to the id of its message.
        unread: Unreadable records.
    """

    id: str
    sessions: tuple[Transcript, ...]
    questions: tuple[Mapping[str, Any], ...]
    exchange_of: Mapping[Place, str]
    message_of: Mapping[Place, str]
    unread: tuple[SkippedRecord, ...]


def read(records: Iterable[JsonRecord | SkippedRecord]) -> Iterator[Item]:
    """Read every session of every conversation as a conversation of its own."""
    for number, record in enumerate(records, 1):
        if isinstance(record, SkippedRecord):
            yield record
            continue
        talk = talk_of(record, number)
        yield from talk.unread
        yield from talk.sessions


FORMAT = Format(
    NAME,
    "LoCoMo conversations",
    signs(
        "qa conversation",
        "conversation sample_id",
        "qa sample_id",
        "session_1 session_1_date_time",
    ),
    read,
)
"""What ``open_file`` reads: the conversations without their questions."""


def load(path: str | Path) -> list[LocomoTalk]:
    """Read conversations with their questions.

    Args:
        path: A file, packed or not, or a folder: then every ``.json`` file in it.

    Raises:
        TransferError: It cannot be read, or holds no such conversation.
    """
    folder = Path(path)
    files = sorted(folder.glob("*.json*")) if folder.is_dir() else [folder]
    records = [record for file in files for record in _records(file)]
    broken = next((record for record in records if isinstance(record, SkippedRecord)), None)
    talks = [
        talk_of(record, number)
        for number, record in enumerate(records, 1)
        if isinstance(record, JsonRecord)
    ]
    found = [talk for talk in talks if talk.sessions]
    if broken or not found:
        reason = f": {broken.where}: {broken.reason}" if broken else ""
        raise TransferError(
            f"{folder.name!r} holds no LoCoMo conversations{reason}.",
            hint="Use a JSON file of the form of locomo10.json, or a folder with such files.",
        )
    return found


def places(evidence: Any) -> list[Place]:
    """Return the turns that evidence names, also where it is malformed (``D8:6; D9:17``)."""
    named = evidence if isinstance(evidence, list) else [evidence]
    found = [match for each in named for match in _EVIDENCE.findall(as_text(each))]
    return list(dict.fromkeys((int(session), int(turn)) for session, turn in found))


def talk_of(record: JsonRecord, number: int) -> LocomoTalk:
    """Read one conversation.

    Args:
        record: As the file has it.
        number: Its place in the file, from 1: its id where it has none.
    """
    data = as_object(record.value)
    held = as_object(data.get("conversation")) or data
    name = as_id(data.get("sample_id")) or str(number)
    sessions: list[Transcript] = []
    unread: list[SkippedRecord] = []
    exchange_of: dict[Place, str] = {}
    message_of: dict[Place, str] = {}
    numbers = sorted(int(m[1]) for key in held if (m := _SESSION.fullmatch(key)))
    for session in numbers:
        reasons = Reasons()
        at = _date(held.get(f"session_{session}_date_time"), reasons)
        turns = as_list(held[f"session_{session}"])
        loose = _loose(session, turns, reasons)
        woven = build_transcript(
            ImportOrigin(NAME, f"{name}/{session}", created=at), list(loose.values())
        )
        unread += [*reasons.records(f"{record.where}, session {session}"), *woven.unread]
        if woven.conversation is None:
            continue
        sessions.append(woven.conversation)
        messages = {e.id: e.messages for e in woven.conversation.exchanges}
        for place, each in loose.items():
            exchange_of[place] = woven.exchange_of[each.key][0]
            pair = messages[exchange_of[place]]
            message_of[place] = pair[each.role is Role.ASSISTANT].id
    if not sessions:
        unread.append(record.unread("not a LoCoMo conversation: it has no sessions"))
    questions = tuple(as_object(each) for each in as_list(data.get("qa")))
    return LocomoTalk(name, tuple(sessions), questions, exchange_of, message_of, tuple(unread))


def _loose(session: int, turns: list[Any], reasons: Reasons) -> dict[Place, RawMessage]:
    found: dict[Place, RawMessage] = {}
    before: str | None = None
    for number, turn in enumerate(turns, 1):
        data = as_object(turn)
        said = _said(data)
        if not said:
            reasons["a turn without words"] += 1
            continue
        place = next(iter(places(data.get("dia_id"))), (session, number))
        if place in found:
            place = (-session, number)  # an id that came twice: no evidence names this
        role = Role.ASSISTANT if len(found) % 2 else Role.USER
        key = f"D{place[0]}:{place[1]}"
        found[place] = RawMessage(
            key, role, (Text(said),), before, where=f"session {session}, {key}"
        )
        before = key
    return found


def _said(turn: Mapping[str, Any]) -> str:
    caption = as_text(turn.get("blip_caption")).strip()
    parts = [as_text(turn.get("text")).strip(), f"[shares {caption}]" if caption else ""]
    words = " ".join(part for part in parts if part)
    speaker = as_text(turn.get("speaker"))
    return f"{speaker}: {words}" if words and speaker else words


def _date(value: Any, reasons: Reasons) -> datetime | None:
    match = _DATE.search(as_text(value))
    try:
        if match is None:
            return parse_time(value)
        hour, minute, half, day, month, year = match.groups()
        return datetime(
            int(year),
            _MONTHS.index(month[:3].lower()) + 1,
            int(day),
            int(hour) % 12 + (12 if half.lower() == "p" else 0),
            int(minute),
            tzinfo=UTC,
        )
    except ValueError:
        reasons["a session whose date cannot be read"] += 1
        return None


def _records(path: Path) -> list[JsonRecord | SkippedRecord]:
    source = InputFile(path, InputLimits())
    try:
        return list(elements(next(iter(source.parts)).stream, source.limits.record))
    finally:
        source.close()
