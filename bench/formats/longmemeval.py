"""LongMemEval: questions about long histories of chat sessions.

Two shapes are read. (a) Sessions stored once, a line each: ``{"id", "turns": [{"role",
"content"}]}``, with the dates next to them in the questions file. (b) The original: a question, or
an array of them, with ``haystack_sessions``, ``haystack_dates`` and ``haystack_session_ids`` side
by side, and ``has_answer`` at the turns that hold the evidence (github.com/xiaowu0162/LongMemEval,
README). Dates like ``2023/05/20 (Sat) 06:37`` name no zone and are taken as UTC.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from unabridged.domain.message import Role, Text
from unabridged.domain.results import SkippedRecord, Transcript
from unabridged.errors import NotFoundError, TransferError, UnknownFormatError
from unabridged.transfer.build_conversation import (
    BuiltTranscript,
    ImportOrigin,
    RawMessage,
    build_transcript,
    content_key,
)
from unabridged.transfer.foreign_format import Format, signs
from unabridged.transfer.input_file import InputFile, InputLimits
from unabridged.transfer.lenient_fields import Reasons, as_id, as_list, as_object, as_text
from unabridged.transfer.reader import Item
from unabridged.transfer.records import JsonRecord, elements, lines

NAME = "longmemeval"

_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT}


class QuestionHaystack(NamedTuple):
    """One question with its history.

    Attributes:
        question: The question's record, as the file has it.
        conversations: Its sessions, each once, in the order of the file.
        gold: The ids of the exchanges that hold the evidence, in order.
    """

    question: Mapping[str, Any]
    conversations: list[Transcript]
    gold: tuple[str, ...]


def read(
    records: Iterable[JsonRecord | SkippedRecord], dates: Mapping[str, datetime] | None = None
) -> Iterator[Item]:
    """Read the sessions of either shape, each session id once.

    Args:
        records: Sessions or questions.
        dates: Session id to its date, for sessions that carry none (see ``dates_from``).

    Raises:
        UnknownFormatError: The records are questions without their sessions.
    """
    seen: set[str] = set()
    for record in records:
        if isinstance(record, SkippedRecord):
            yield record
            continue
        data = as_object(record.value)
        if "haystack_session_ids" in data and "haystack_sessions" not in data:
            raise UnknownFormatError(
                "The file holds LongMemEval's questions, without the sessions.",
                hint="Import the sessions file, with these questions for the dates.",
            )
        for session, turns, date in _sessions(data, dates or {}):
            if session is None or not isinstance(turns, list):
                yield record.unread("not a session: it has no id or no turns")
            elif session not in seen:
                seen.add(session)
                reasons = Reasons()
                woven = _session(session, turns, reasons.time(date), reasons)
                yield from reasons.records(f"{record.where}, session {session}")
                yield from woven.unread
                if woven.conversation is not None:
                    yield woven.conversation


FORMAT = Format(
    NAME,
    "LongMemEval sessions or questions",
    signs("turns id", "haystack_sessions", "haystack_session_ids"),
    read,
)
"""What ``open_file`` reads; sessions without dates are undated."""


def dated_format(dates: Mapping[str, datetime]) -> Format:
    """Return the format with dates for the sessions that carry none."""
    return replace(FORMAT, read=partial(read, dates=dates))


def dates_from(questions_path: str | Path) -> dict[str, datetime]:
    """Return the date of every session that a questions file names; the first mention counts.

    Raises:
        TransferError: The file cannot be read.
    """
    return _dates(load_questions(questions_path))


def load_questions(path: str | Path) -> list[dict[str, Any]]:
    """Read a questions file of either shape, packed or not.

    Raises:
        TransferError: The file cannot be read, or a record is not a question.
    """
    source = InputFile(path, InputLimits())
    try:
        stream = next(iter(source.parts)).stream
        array = stream.peek().lstrip().startswith(b"[")
        split = elements if array else lines
        return [_question(record) for record in split(stream, source.limits.record)]
    finally:
        source.close()


def question_haystack(
    questions_path: str | Path, sessions_path: str | Path | None, question_id: str
) -> QuestionHaystack:
    """Read one question with its whole history.

    Args:
        questions_path: The questions.
        sessions_path: The sessions, or None if the questions carry them (shape b).
        question_id: Which one.

    Raises:
        NotFoundError: There is no such question.
        TransferError: A file cannot be read.
    """
    return LongMemEvalCorpus.load(questions_path, sessions_path).haystack(question_id)


class _Stored(msgspec.Struct):
    """A session line whose turns are decoded only when somebody asks for them."""

    id: str
    turns: msgspec.Raw


@dataclass(slots=True)
class LongMemEvalCorpus:
    """All questions with their histories; sessions are decoded only when needed.

    Attributes:
        questions: Question id to its record.
        turns: Session id to its turns as JSON.
    """

    questions: dict[str, dict[str, Any]]
    turns: dict[str, bytes] = field(default_factory=dict)

    @classmethod
    def load(
        cls, questions_path: str | Path, sessions_path: str | Path | None
    ) -> "LongMemEvalCorpus":
        """Read the files.

        Args:
            questions_path: The questions.
            sessions_path: The sessions, or None if the questions carry them.

        Raises:
            TransferError: A file cannot be read.
        """
        questions = {q["question_id"]: q for q in load_questions(questions_path)}
        if not questions:
            raise TransferError(
                f"{Path(questions_path).name!r} holds no question.",
                hint="Use the questions file: a question a line, or an array of them.",
            )
        return cls(questions, _load_turns(sessions_path) if sessions_path else {})

    @classmethod
    def at(cls, path: str | Path) -> "LongMemEvalCorpus":
        """Read the data at a path.

        Args:
            path: A folder with ``questions.jsonl`` and ``sessions.jsonl`` (packed or not), or with
                one file of the original form; or such a file, or such a questions file.

        Raises:
            TransferError: It holds no LongMemEval, or the sessions are missing.
        """
        given = Path(path)
        folder = given if given.is_dir() else given.parent
        questions = given
        if given.is_dir():
            whole = sorted(given.glob("*.json"))
            named = _beside(given, ("questions.jsonl", "questions.json"))
            if named is None and not whole:
                raise TransferError(
                    f"The folder {given.name!r} holds no LongMemEval questions.",
                    hint="It needs questions.jsonl and sessions.jsonl (or .xz), or one file of"
                    " the original form, such as longmemeval_s.json.",
                )
            questions = named or whole[0]
        corpus = cls.load(questions, None)
        if all(map(_holds_sessions, corpus.questions.values())):
            return corpus
        sessions = _beside(folder, ("sessions.jsonl",))
        if sessions is None:
            raise TransferError(
                f"{questions.name!r} names sessions that are not in it.",
                hint="Put sessions.jsonl (or sessions.jsonl.xz) next to it.",
            )
        corpus.turns = _load_turns(sessions)
        return corpus

    def haystack(self, question_id: str) -> QuestionHaystack:
        """Return one question with its whole history.

        Raises:
            NotFoundError: There is no such question, or one of its sessions is missing.
        """
        question = self.questions.get(question_id)
        if question is None:
            raise NotFoundError(
                f"There is no question {question_id!r}.",
                hint="Corpus.questions has the ids.",
            )
        conversations, gold, seen = [], dict[str, None](), set[str]()
        for session, turns, date in self._history(question):
            if session in seen:
                continue
            seen.add(session)
            woven = _session(session, turns, date, Reasons())
            if woven.conversation is not None:
                conversations.append(woven.conversation)
            for index in _gold_turns(question, session, turns):
                gold.update(dict.fromkeys(woven.exchange_of.get(_key(index, turns[index]), ())))
        return QuestionHaystack(question, conversations, tuple(gold))

    def pooled(self) -> Iterator[Transcript]:
        """Return every session once, with the date at which a question names it first."""
        dates = _dates(self.questions.values())
        for session, turns in self._stored():
            woven = _session(session, turns, dates.get(session), Reasons())
            if woven.conversation is not None:
                yield woven.conversation

    def _stored(self) -> Iterator[tuple[str, list[Any]]]:
        # Every session's turns once: of the sessions file, else of the questions.
        for session, turns in self.turns.items():
            yield session, msgspec.json.decode(turns)
        seen = set(self.turns)
        for question in self.questions.values():
            for session, given, _ in _inside(question):
                if session not in seen:
                    seen.add(session)
                    yield session, given

    def _history(
        self, question: Mapping[str, Any]
    ) -> Iterator[tuple[str, list[Any], datetime | None]]:
        if _holds_sessions(question):
            yield from _inside(question)
            return
        dates = as_list(question.get("haystack_dates"))
        for number, named in enumerate(as_list(question.get("haystack_session_ids"))):
            session = str(named)
            if session not in self.turns:
                raise NotFoundError(
                    f"Session {session!r} is not in the sessions file.",
                    hint="Questions and sessions must be of the same release.",
                )
            at = Reasons().time(dates[number]) if number < len(dates) else None
            yield session, msgspec.json.decode(self.turns[session]), at


def asked_at(question: Mapping[str, Any]) -> datetime | None:
    """When a question is asked: its own date, else the last of its sessions'; None without any."""
    own = Reasons().time(question.get("question_date"))
    named = (Reasons().time(date) for date in as_list(question.get("haystack_dates")))
    return own or max((date for date in named if date), default=None)


def _holds_sessions(question: Mapping[str, Any]) -> bool:
    return isinstance(question.get("haystack_sessions"), list)


def _inside(question: Mapping[str, Any]) -> Iterator[tuple[str, list[Any], datetime | None]]:
    if _holds_sessions(question):
        for number, (session, turns, date) in enumerate(_sessions(question, {})):
            name = session or f"{question['question_id']}/{number}"
            yield name, as_list(turns), Reasons().time(date)


def _beside(path: Path, names: Sequence[str]) -> Path | None:
    packed = [f"{name}{ending}" for name in names for ending in ("", ".xz", ".gz")]
    return next((path / name for name in packed if (path / name).is_file()), None)


def _load_turns(path: str | Path) -> dict[str, bytes]:
    source, turns = InputFile(path, InputLimits()), dict[str, bytes]()
    decoder = msgspec.json.Decoder(_Stored)
    try:
        stream = next(iter(source.parts)).stream
        while line := stream.readline(source.limits.record):
            stored = decoder.decode(line)
            turns[stored.id] = bytes(stored.turns)
    except msgspec.DecodeError as error:
        raise TransferError(
            f"{Path(path).name} is not a LongMemEval sessions file: {error}.",
            hint="Use the file of lines with id and turns, packed with xz or not.",
        ) from error
    finally:
        source.close()
    return turns


def _question(record: JsonRecord | SkippedRecord) -> dict[str, Any]:
    value = record.value if isinstance(record, JsonRecord) else None
    if not isinstance(value, dict) or not isinstance(value.get("question_id"), str):
        raise TransferError(
            f"{record.where} is not a LongMemEval question.",
            hint="Use the questions file: a question a line, or an array of them.",
        )
    return value


def _dates(questions: Iterable[Mapping[str, Any]]) -> dict[str, datetime]:
    dates: dict[str, datetime] = {}
    for question in questions:
        ids, named = (as_list(question.get(f"haystack_{key}")) for key in ("session_ids", "dates"))
        for session, date in zip(ids, named, strict=False):
            at = Reasons().time(date)
            if at is not None:
                dates.setdefault(str(session), at)
    return dates


def _sessions(
    data: Mapping[str, Any], dates: Mapping[str, datetime]
) -> Iterator[tuple[str | None, Any, Any]]:
    if "haystack_sessions" not in data:
        session = as_id(data.get("id"))
        given = dates.get(session or "")
        yield session, data.get("turns"), given.isoformat() if given else data.get("date")
        return
    ids, named = as_list(data.get("haystack_session_ids")), as_list(data.get("haystack_dates"))
    for number, turns in enumerate(as_list(data["haystack_sessions"])):
        session = as_id(ids[number]) if number < len(ids) else None
        yield session, turns, named[number] if number < len(named) else None


def _session(
    session: str, turns: list[Any], date: datetime | None, reasons: Reasons
) -> BuiltTranscript:
    messages: list[RawMessage] = []
    for index, turn in enumerate(turns):
        data = as_object(turn)
        role, text = _ROLES.get(as_text(data.get("role"))), as_text(data.get("content"))
        if role is None or not text:
            reasons["a turn without words or of an unknown role"] += 1
            continue
        parent = messages[-1].key if messages else None
        at = None if messages else date
        where = f"session {session}, turn {index}"
        messages.append(RawMessage(_key(index, data), role, (Text(text),), parent, at, where=where))
    return build_transcript(ImportOrigin(NAME, session, created=date), messages)


def _key(index: int, turn: Mapping[str, Any]) -> str:
    return content_key(index, as_text(turn.get("role")), (Text(as_text(turn.get("content"))),))


def _gold_turns(question: Mapping[str, Any], session: str, turns: list[Any]) -> list[int]:
    if "answer_turns" in question:
        named = as_list(as_object(question["answer_turns"]).get(session))
        return [index for index in named if isinstance(index, int) and 0 <= index < len(turns)]
    return [index for index, turn in enumerate(turns) if as_object(turn).get("has_answer")]
