"""Exports WorkspaceAI's format 3.0: a JSON document for each model.

The fields are those of its plan ("Memory File Structure (Per Model)"): ``metadata`` with version,
model, created, last_updated, total_exchanges, total_tokens and context_window;
``current_conversation``; ``recent_conversations`` and ``summarized_conversations`` with summary,
exchange_count, total_tokens and date_range. That program keeps no text of earlier conversations;
here each has its ``exchanges`` next to the summary, in the form of the current conversation's. An
exchange's ``metadata`` has timestamp, mode, total_tokens and model, and complexity_score if a context
was prepared for it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import msgspec

from unabridged.domain.exchange import Exchange
from unabridged.domain.message import Message, Role
from unabridged.domain.record import Record, RecordKind
from unabridged.domain.results import Transcript
from unabridged.domain.session import Session
from unabridged.transfer.current_path import current_path

VERSION = "3.0"
RECENT = 10
"""The number of recent conversations next to the current one; older ones are summarized."""

Summary = Callable[[Session], str]
"""Returns what a session was about, or an empty text."""


def untold(_session: Session) -> str:
    """Return an empty text."""
    return ""


@dataclass(frozen=True, slots=True)
class ExportQuestion:
    """Data from the context of an exchange.

    Attributes:
        complexity: How complex its message is, 0 to 1; None if unknown.
        window: The context window, in tokens; None if unknown.
    """

    complexity: float | None = None
    window: int | None = None


def told(records: Iterable[Record]) -> dict[str, ExportQuestion]:
    """Return data from contexts, by exchange."""
    found = {}
    for record in records:
        if record.kind is RecordKind.CONTEXT:
            ledger = record.body.get("manifest", {}).get("ledger", {})
            found[record.id] = ExportQuestion(ledger.get("complexity"), ledger.get("window"))
    return found


@dataclass(frozen=True, slots=True)
class ExportHeader:
    """The metadata of a document.

    Attributes:
        summary: Returns what a session was about; if empty, the title is used.
        window: The context window, in tokens; None for the newest context of each model.
        asked: Data from contexts, by exchange.
    """

    summary: Summary = untold
    window: int | None = None
    asked: Mapping[str, ExportQuestion] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Document:
    """The conversations with one model.

    Attributes:
        model: Its name, or None for exchanges that name none.
    """

    model: str | None
    data: dict[str, Any]
    exchanges: int

    def encoded(self) -> bytes:
        """Return its bytes, indented by two as in that program."""
        return msgspec.json.format(msgspec.json.encode(_whole(self.data)), indent=2) + b"\n"


@dataclass(frozen=True, slots=True)
class _Part:
    """The exchanges of a session's current path that one model answered."""

    session: Session
    exchanges: list[Exchange]


def documents(
    conversations: Iterable[Transcript], about: ExportHeader | None = None
) -> Iterator[Document]:
    """Return a document for each model, by model."""
    about = about or ExportHeader()
    models: dict[str, list[_Part]] = {}
    for conversation in conversations:
        by_model: dict[str, list[Exchange]] = {}
        for exchange in current_path(conversation):
            by_model.setdefault(exchange.model or "", []).append(exchange)
        for model, found in by_model.items():
            models.setdefault(model, []).append(_Part(conversation.session, found))
    for model, parts in sorted(models.items()):
        newest = sorted(parts, key=lambda p: (p.session.updated, p.session.id), reverse=True)
        count = sum(len(part.exchanges) for part in parts)
        yield Document(model or None, _document(model, newest, about), count)


def _document(model: str, newest: Sequence[_Part], about: ExportHeader) -> dict[str, Any]:
    current, earlier = newest[0], newest[1:]
    exchanges = [exchange for part in newest for exchange in part.exchanges]
    return {
        "metadata": {
            "version": VERSION,
            "model": model or None,
            "created": min(part.session.created for part in newest).isoformat(),
            "last_updated": max(part.session.updated for part in newest).isoformat(),
            "total_exchanges": len(exchanges),
            "total_tokens": sum(map(_tokens, exchanges)),
            "context_window": about.window or _window(exchanges, about),
        },
        "current_conversation": _exchanges(current, about),
        "recent_conversations": [_summarized(part, about) for part in earlier[:RECENT]],
        "summarized_conversations": [_summarized(part, about) for part in earlier[RECENT:]],
    }


def _summarized(part: _Part, about: ExportHeader) -> dict[str, Any]:
    first, last = part.exchanges[0].at, part.exchanges[-1].at
    return {
        "summary": about.summary(part.session) or part.session.title,
        "exchange_count": len(part.exchanges),
        "total_tokens": sum(map(_tokens, part.exchanges)),
        "date_range": f"{first:%Y-%m-%d} to {last:%Y-%m-%d}",
        "exchanges": _exchanges(part, about),
    }


def _window(exchanges: Sequence[Exchange], about: ExportHeader) -> int | None:
    newest = max((x for x in exchanges if x.id in about.asked), key=_when, default=None)
    return about.asked[newest.id].window if newest else None


def _when(exchange: Exchange) -> tuple[datetime, str]:
    return exchange.at, exchange.id


def _exchanges(part: _Part, about: ExportHeader) -> list[dict[str, Any]]:
    return [
        _exchange(one, about.asked.get(one.id, ExportQuestion()).complexity)
        for one in part.exchanges
    ]


def _exchange(exchange: Exchange, score: float | None) -> dict[str, Any]:
    users = [m for m in exchange.messages if m.role is Role.USER]
    answers = [m for m in exchange.messages if m.role is Role.ASSISTANT]
    metadata: dict[str, Any] = {
        "timestamp": exchange.at.isoformat(),
        "mode": exchange.mode,
        "model": exchange.model,
        "total_tokens": _tokens(exchange),
    }
    if score is not None:
        metadata["complexity_score"] = score
    return {"user": _side(users), "assistant": _side(answers), "metadata": metadata}


def _side(messages: Sequence[Message]) -> dict[str, Any]:
    words = "\n\n".join(message.text for message in messages if message.text)
    return {"content": words, "tokens": sum(message.tokens or 0 for message in messages)}


def _tokens(exchange: Exchange) -> int:
    return sum(message.tokens or 0 for message in exchange.messages)


def _whole(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, list):
        return [_whole(each) for each in value]
    if isinstance(value, dict):
        return {name: _whole(each) for name, each in value.items()}
    return value
