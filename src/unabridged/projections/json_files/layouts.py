"""The three layouts of the seeds: the fields of their files and of a turn."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from unabridged.domain.exchange import Exchange
from unabridged.projections.json_files.fields import HiddenPart, decode_at, one_line, said, shown
from unabridged.projections.json_files.layout import (
    FileFacts,
    JsonTurn,
    Layout,
    ParsedFile,
    ShownSession,
)
from unabridged.projections.json_files.session_json import SessionJson, block, braces, lines

EVERY = 1 << 30
"""A number above any number of sessions."""
_S = TypeVar("_S", bound="_Strict")
_Fields = dict[str, msgspec.Raw]


class _Strict(msgspec.Struct, forbid_unknown_fields=True):
    pass


class _File(_Strict, kw_only=True):
    unabridged: HiddenPart | UnsetType = UNSET

    @property
    def hidden(self) -> HiddenPart | None:
        return None if self.unabridged is UNSET else self.unabridged


# --- one file for each model --------------------------------------------------------------------


class _ModelFile(_File):
    metadata: _Fields
    current_conversation: list[msgspec.Raw]
    recent_conversations: list[_Fields] = []
    summarized_conversations: list[_Fields] = []


class _Side(_Strict):
    content: str
    tokens: int | None = None


class _TurnMetadata(msgspec.Struct):
    timestamp: str = ""
    model: str | None = None


class _ModelTurn(_Strict):
    user: _Side
    assistant: _Side
    metadata: _TurnMetadata = msgspec.field(default_factory=_TurnMetadata)


class _ModelLayout:
    """``memory/qwen2-5-7b.json``: WorkspaceAI's format 3.0 (its plan, "Memory File Structure")."""

    splits = False
    shows = 1
    shows_records = True
    indent = 4

    def write(self, exchange: Exchange, complexity: float | None, /) -> list[bytes]:
        user, answer = said(exchange)
        replies = [m.tokens or 0 for m in exchange.messages if m is exchange.answer]
        metadata = {
            "timestamp": exchange.at.isoformat(),
            "mode": shown(exchange.mode),
            "total_tokens": sum(message.tokens or 0 for message in exchange.messages),
        }
        if complexity is not None:
            metadata["complexity_score"] = complexity
        if exchange.model:
            metadata["model"] = shown(exchange.model)
        turn = {
            "user": {"content": shown(user), "tokens": exchange.user.tokens or 0},
            "assistant": {"content": shown(answer or ""), "tokens": sum(replies)},
            "metadata": metadata,
        }
        return [lines(turn, 6)]

    def heads(self, facts: FileFacts, /) -> list[bytes]:
        every = facts.sessions
        models = (one.model for one in every if one.model)
        model = shown(facts.space.model or next(models, ""))
        metadata: dict[str, Any] = {"version": "3.0", "model": model}
        if every:
            metadata["created"] = min(one.session.created for one in every).isoformat()
            metadata["last_updated"] = max(one.session.updated for one in every).isoformat()
        metadata["total_exchanges"] = sum(map(len, every))
        metadata["total_tokens"] = sum(one.tokens for one in every)
        if facts.window is not None:
            metadata["context_window"] = facts.window
        active = [one for one in every if one.session.archived is None]
        archived = [one for one in every if one.session.archived is not None]
        summaries = ([_summary(one, facts) for one in some] for some in (active[1:], archived))
        return [lines(metadata, 4), *(block(each, 4) for each in summaries)]

    def fields(self, heads: Sequence[bytes], shown: Sequence[bytes], /) -> dict[str, bytes]:
        return {
            "metadata": heads[0],
            "current_conversation": shown[0] if shown else b"[]",
            "recent_conversations": heads[1],
            "summarized_conversations": heads[2],
        }

    def parse(self, data: bytes, /) -> ParsedFile:
        file = msgspec.json.decode(data, type=_ModelFile)
        heads = (file.metadata, file.recent_conversations, file.summarized_conversations)
        current = ShownSession(file.current_conversation, "$.current_conversation")
        return ParsedFile(list(map(msgspec.json.encode, heads)), [current], file.hidden)

    def turns(self, values: Sequence[bytes | msgspec.Raw], place: str, /) -> list[JsonTurn]:
        return [
            JsonTurn(
                turn.user.content,
                turn.assistant.content,
                _time(turn.metadata.timestamp),
                turn.metadata.model or "",
            )
            for turn in _decoded(values, _ModelTurn, place)
        ]


def _summary(one: SessionJson, facts: FileFacts) -> bytes:
    summary = {
        "summary": shown(facts.summaries[one.session.id]),
        "exchange_count": len(one),
        "total_tokens": one.tokens,
        "date_range": " to ".join(one.days),
    }
    return one_line(summary)


# --- one file for each agent and session --------------------------------------------------------


class _AgentFile(_File):
    metadata: _Fields
    history: list[msgspec.Raw]


class _AgentTurn(_Strict):
    user_input: str
    agent_response: str = ""
    timestamp: str = ""


class _AgentLayout:
    """``chats/{agent}_{session}_conversation.json``: Dana's, with names from its page.

    The page lists no fields; those of a turn are from its ``add_turn``.
    """

    splits = False
    shows = 1
    shows_records = False
    indent = 4

    def write(self, exchange: Exchange, _complexity: float | None, /) -> list[bytes]:
        user, answer = said(exchange)
        turn = {"user_input": shown(user), "agent_response": shown(answer or "")}
        return [lines({**turn, "timestamp": exchange.at.isoformat()}, 6)]

    def heads(self, facts: FileFacts, /) -> list[bytes]:
        metadata: dict[str, Any] = {"agent": facts.space.agent}
        for one in facts.sessions[:1]:
            metadata["session_id"] = shown(one.session.id)
            metadata["title"] = shown(one.session.title)
            metadata["created"] = one.session.created.isoformat()
            metadata["last_updated"] = one.session.updated.isoformat()
            metadata["turns"] = len(one)
            metadata["total_tokens"] = one.tokens
        return [lines(metadata, 4)]

    def fields(self, heads: Sequence[bytes], shown: Sequence[bytes], /) -> dict[str, bytes]:
        return {"metadata": heads[0], "history": shown[0] if shown else b"[]"}

    def parse(self, data: bytes, /) -> ParsedFile:
        file = msgspec.json.decode(data, type=_AgentFile)
        title = msgspec.json.decode(file.metadata.get("title", b"null"))
        title = title if isinstance(title, str) else None
        history = ShownSession(file.history, "$.history", title=title)
        return ParsedFile([msgspec.json.encode(file.metadata)], [history], file.hidden)

    def turns(self, values: Sequence[bytes | msgspec.Raw], place: str, /) -> list[JsonTurn]:
        return [
            JsonTurn(turn.user_input, turn.agent_response, _time(turn.timestamp))
            for turn in _decoded(values, _AgentTurn, place)
        ]


# --- one file for each user ---------------------------------------------------------------------


class _UserSession(_Strict):
    id: str
    messages: list[msgspec.Raw]
    title: str = ""
    created_at: str = ""
    model: str | None = None


class _UserFile(_File):
    sessions: list[_UserSession]


class _UserMessage(_Strict):
    role: str
    content: str


class _UserLayout:
    """``conversations/{user}/sessions.json``: ReqVIBE's (its "Data Format")."""

    splits = True
    shows = EVERY
    shows_records = False
    indent = 8

    def write(self, exchange: Exchange, _complexity: float | None, /) -> list[bytes]:
        user, answer = said(exchange)
        messages = [{"role": "user", "content": shown(user)}]
        if answer is not None:
            messages.append({"role": "assistant", "content": shown(answer)})
        return list(map(one_line, messages))

    def heads(self, facts: FileFacts, /) -> list[bytes]:
        return [
            _user_head(
                shown(one.session.id),
                shown(one.session.title),
                one.session.created.isoformat(),
                shown(one.model),
            )
            for one in facts.sessions
            if one.session.archived is None
        ]

    def fields(self, heads: Sequence[bytes], shown: Sequence[bytes], /) -> dict[str, bytes]:
        sessions = []
        for head, messages in zip(heads, shown, strict=True):
            values = {name: one_line(value) for name, value in msgspec.json.decode(head).items()}
            ordered = {"id": values.pop("id"), "messages": messages, **values}
            sessions.append(braces(ordered, 6))
        return {"sessions": block(sessions, 4)}

    def parse(self, data: bytes, /) -> ParsedFile:
        file = msgspec.json.decode(data, type=_UserFile)
        heads = [_user_head(one.id, one.title, one.created_at, one.model) for one in file.sessions]
        conversations = [
            ShownSession(
                one.messages,
                f"$.sessions[{number}].messages",
                one.id,
                one.title,
                _time(one.created_at),
                one.model or "",
            )
            for number, one in enumerate(file.sessions)
        ]
        return ParsedFile(heads, conversations, file.hidden)

    def turns(self, values: Sequence[bytes | msgspec.Raw], place: str, /) -> list[JsonTurn]:
        turns: list[JsonTurn] = []
        is_open = False
        for number, message in enumerate(_decoded(values, _UserMessage, place)):
            if message.role == "user":
                turns.append(JsonTurn(message.content, ""))
            elif message.role == "assistant" and is_open:
                turns[-1] = JsonTurn(turns[-1].user, message.content)
            else:
                wrong = "answers nothing"
                if message.role != "assistant":
                    wrong = f"has the role {message.role!r}"
                raise ValueError(f"A message {wrong} - at `{place}[{number}]`")
            is_open = message.role == "user"
        return turns


def _user_head(session_id: str, title: str, created: str, model: str | None) -> bytes:
    return one_line({"id": session_id, "title": title, "created_at": created, "model": model})


def _decoded(values: Sequence[bytes | msgspec.Raw], kind: type[_S], place: str) -> list[_S]:
    return [decode_at(value, kind, f"{place}[{n}]") for n, value in enumerate(values)]


def _time(text: str) -> datetime | None:
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return None
    return at if at.tzinfo is not None else at.replace(tzinfo=UTC)


KNOWN: Mapping[str, Layout] = {
    "model": _ModelLayout(),
    "agent": _AgentLayout(),
    "user": _UserLayout(),
}
"""The layouts by the values of the setting ``json_files``."""
