"""Read a file that a person edited: what it says now, or why it cannot be adopted, with the line."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from unabridged.errors import StoreEditedError
from unabridged.projections.json_files import file_errors
from unabridged.projections.json_files.fields import ExchangeForm, SessionForm, unpacked
from unabridged.projections.json_files.json_document import FORMAT, FileHeader
from unabridged.projections.json_files.line_of_error import line_and_reason

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class EditedTurn:
    """An exchange as the file says it now.

    Attributes:
        user: The user's words.
        answer: The answer's; empty for none.
        at: When, if the file says it.
        model: The model, if the file says it.
    """

    user: str
    answer: str
    at: datetime | None = None
    model: str = ""


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
    turns: list[EditedTurn]
    branches: list[EditedTurn] = field(default_factory=list)
    title: str | None = None
    created: datetime | None = None
    header: SessionForm | None = None
    written: list[str] = field(default_factory=list)
    ending: int = 0

    def write_down(self, header: SessionForm, forms: Sequence[ExchangeForm]) -> "EditedSession":
        """Note what was in the session when the file was written."""
        self.header = header
        self.written = [form.id for form in forms]
        ends = [form.messages[-1].id if form.messages else form.opened_by for form in forms]
        if header.head in ends:
            self.ending = ends.index(header.head) + 1
        elif header.head is not None:
            holds = (any(m.id == header.head for m in form.messages) for form in forms)
            self.ending = next((n for n, one in enumerate(holds, start=1) if one), 0)
        return self


@dataclass(slots=True)
class EditedFile:
    """A file, read without its digests.

    Attributes:
        about: What it says of itself; None where that is missing.
        sessions: Its sessions.
        notes: What cannot be adopted, and need not be.
    """

    about: FileHeader | None
    sessions: list[EditedSession]
    notes: list[str] = field(default_factory=list)


class _Strict(msgspec.Struct, forbid_unknown_fields=True):
    pass


class _Side(_Strict):
    content: str
    tokens: int | None = None


class _Metadata(msgspec.Struct):
    timestamp: str = ""
    model: str | None = None


class _ModelTurn(_Strict):
    user: _Side
    assistant: _Side
    metadata: _Metadata = msgspec.field(default_factory=_Metadata)


class _AgentTurn(_Strict):
    user_input: str
    agent_response: str = ""
    timestamp: str = ""


class _UserMessage(_Strict):
    role: str
    content: str


class _Block(_Strict, Generic[T]):
    session: SessionForm
    exchanges: list[tuple[str, ExchangeForm]]
    digest: str = ""
    conversation: list[T] | UnsetType = UNSET
    branches: list[T] = []


class _Hidden(_Strict, Generic[T]):
    about: FileHeader
    sessions: list[_Block[T]]
    digest: str = ""


class _ModelFile(_Strict):
    metadata: dict[str, Any]
    current_conversation: list[_ModelTurn]
    recent_conversations: list[dict[str, Any]] = []
    summarized_conversations: list[dict[str, Any]] = []
    unabridged: _Hidden[_ModelTurn] | UnsetType = UNSET


class _AgentFile(_Strict):
    metadata: dict[str, Any]
    history: list[_AgentTurn]
    unabridged: _Hidden[_AgentTurn] | UnsetType = UNSET


class _UserSession(_Strict):
    id: str
    messages: list[_UserMessage]
    title: str = ""
    created_at: str = ""
    model: str | None = None


class _UserFile(_Strict):
    sessions: list[_UserSession]
    unabridged: _Hidden[_UserMessage] | UnsetType = UNSET


def read(path: Path, data: bytes, layout: str) -> EditedFile:
    """Read a file that may have been edited.

    Args:
        path: The file, for what is said of it.
        data: What it holds.
        layout: ``model``, ``agent`` or ``user``.

    Raises:
        StoreDamagedError: It is no JSON.
        StoreEditedError: It says something that cannot be adopted; the line is named.
        StoreFormatError: A newer version wrote it.
    """
    try:
        text = data.decode("utf-8")
        json.loads(text)
    except (ValueError, RecursionError) as error:
        raise file_errors.unreadable(path, data, error) from error
    try:
        found = _READERS[layout](data)
    except msgspec.ValidationError as error:
        line, reason = line_and_reason(text, error)
        raise refused(path, line, reason) from error
    except (ValueError, KeyError) as error:
        raise refused(path, 1, str(error)) from error
    if found.about is not None and found.about.format > FORMAT:
        raise file_errors.too_new(path, found.about.format)
    return found


def refused(path: Path, line: int, reason: str) -> StoreEditedError:
    """Return the error for an edit that cannot be adopted."""
    return StoreEditedError(
        f"{path}, line {line}: {reason}. Nothing was adopted.",
        hint="Mend that line and repeat, or undo the edit.",
    )


def _model(data: bytes) -> EditedFile:
    file = msgspec.json.decode(data, type=_ModelFile)
    shown = [[_of_model(turn) for turn in file.current_conversation]]
    if file.unabridged is UNSET:
        told = len(file.recent_conversations) + len(file.summarized_conversations)
        notes = [f"{told} summaries of earlier conversations hold no exchanges"] if told else []
        return EditedFile(None, [EditedSession("", shown[0])] if shown[0] else [], notes)
    blocks = file.unabridged.sessions
    return EditedFile(unpacked(file.unabridged.about), list(_paired(blocks, shown, _of_models)))


def _agent(data: bytes) -> EditedFile:
    file = msgspec.json.decode(data, type=_AgentFile)
    turns = [_of_agent(turn) for turn in file.history]
    title = file.metadata.get("title")
    if file.unabridged is UNSET:
        return EditedFile(None, [EditedSession("", turns, title=title)] if turns else [])
    found = list(_paired(file.unabridged.sessions, [turns], _of_agents))
    for one in found:
        one.title = title if isinstance(title, str) else None
    return EditedFile(unpacked(file.unabridged.about), found)


def _user(data: bytes) -> EditedFile:
    file = msgspec.json.decode(data, type=_UserFile)
    shown = {
        one.id: EditedSession(
            one.id,
            _of_messages(one.messages, f"session {one.id!r}", one.model or ""),
            title=one.title,
            created=_time(one.created_at),
        )
        for one in file.sessions
    }
    if len(shown) < len(file.sessions):
        raise ValueError("two sessions have one id")
    if file.unabridged is UNSET:
        return EditedFile(None, list(shown.values()))
    found = []
    for block in file.unabridged.sessions:
        name = unpacked(block.session).id
        one = shown.pop(name, None) or EditedSession(name, [])
        one.branches = _of_messages(block.branches, f"session {name!r}", "")
        found.append(_noted(one, block))
    return EditedFile(unpacked(file.unabridged.about), [*found, *shown.values()])


_READERS = {"model": _model, "agent": _agent, "user": _user}


def _paired(
    blocks: Sequence[_Block[Any]], shown: Sequence[list[EditedTurn]], turns: Any
) -> Iterator[EditedSession]:
    left = iter(shown)
    for block in blocks:
        said = next(left, []) if block.conversation is UNSET else turns(block.conversation)
        one = EditedSession(unpacked(block.session).id, said, turns(block.branches))
        yield _noted(one, block)
    for rest in left:
        if rest:
            yield EditedSession("", rest)


def _noted(one: EditedSession, block: _Block[Any]) -> EditedSession:
    forms = [unpacked(form) for _, form in block.exchanges]
    return one.write_down(unpacked(block.session), forms)


def _of_model(turn: _ModelTurn) -> EditedTurn:
    said = turn.metadata
    return EditedTurn(
        turn.user.content, turn.assistant.content, _time(said.timestamp), said.model or ""
    )


def _of_models(turns: Sequence[_ModelTurn]) -> list[EditedTurn]:
    return list(map(_of_model, turns))


def _of_agent(turn: _AgentTurn) -> EditedTurn:
    return EditedTurn(turn.user_input, turn.agent_response, _time(turn.timestamp))


def _of_agents(turns: Sequence[_AgentTurn]) -> list[EditedTurn]:
    return list(map(_of_agent, turns))


def _of_messages(messages: Sequence[_UserMessage], where: str, model: str) -> list[EditedTurn]:
    turns: list[EditedTurn] = []
    open_turn = False
    for number, message in enumerate(messages, start=1):
        if message.role == "user":
            turns.append(EditedTurn(message.content, "", model=model))
            open_turn = True
        elif message.role == "assistant" and open_turn:
            turns[-1] = EditedTurn(turns[-1].user, message.content, model=model)
            open_turn = False
        elif message.role == "assistant":
            raise ValueError(f"message {number} of {where} answers nothing")
        else:
            raise ValueError(f"message {number} of {where} has the role {message.role!r}")
    return turns


def _time(text: str) -> datetime | None:
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return None
    return at if at.tzinfo is not None else at.replace(tzinfo=UTC)
