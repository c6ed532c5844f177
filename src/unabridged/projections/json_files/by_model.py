"""One file for each model: WorkspaceAI, format 3.0."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from unabridged.domain.exchange import Exchange
from unabridged.projections.json_files.fields import one_line, said, shown
from unabridged.projections.json_files.layout import (
    LayoutHeader,
    ParsedFile,
    Raws,
    RenderedText,
    Shown,
    block,
    lines,
    text,
)


class _ModelFile(msgspec.Struct, forbid_unknown_fields=True):
    metadata: msgspec.Raw
    current_conversation: Raws
    recent_conversations: msgspec.Raw
    summarized_conversations: msgspec.Raw
    unabridged: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


class ModelLayout:
    """``memory/qwen2-5-7b.json``: WorkspaceAI's format 3.0 (its plan, "Memory File Structure")."""

    splits = False
    shows = 1
    shows_records = True

    def dress(self, exchange: Exchange, complexity: float | None, /) -> list[Any]:
        """Return the values that show an exchange; see ``ExchangeStyle``."""
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
        return [
            {
                "user": {"content": shown(user), "tokens": exchange.user.tokens or 0},
                "assistant": {"content": shown(answer or ""), "tokens": sum(replies)},
                "metadata": metadata,
            }
        ]

    def style(self, value: Any) -> bytes:
        """Write such a value; see ``ExchangeStyle``."""
        return lines(value, 6)

    def texts(self, values: Sequence[Any]) -> tuple[str, str | None]:
        """Read the two texts; see ``ExchangeStyle``."""
        [value] = values
        sides = [value[side] for side in ("user", "assistant")]
        user, answer = (text(side["content"], "content") for side in sides)
        return user, answer

    def heads(self, head: LayoutHeader, /) -> list[bytes]:
        """Return what is made from the rest; see ``Layout``."""
        told = head.sessions
        active = [one for one in told if one.session.archived is None]
        metadata: dict[str, Any] = {"version": "3.0", "model": _model_of(head)}
        if told:
            metadata["created"] = min(one.session.created for one in told).isoformat()
            metadata["last_updated"] = max(one.session.updated for one in told).isoformat()
        metadata["total_exchanges"] = sum(one.exchanges for one in told)
        metadata["total_tokens"] = sum(one.tokens for one in told)
        if head.window is not None:
            metadata["context_window"] = head.window
        archived = [one for one in told if one.session.archived is not None]
        summaries = ([_summary(one) for one in sessions] for sessions in (active[1:], archived))
        return [lines(metadata, 4), *(block(each, 4) for each in summaries)]

    def render(
        self, heads: Sequence[bytes], shown: Sequence[Shown], hidden: Sequence[bytes], /
    ) -> Iterator[bytes]:
        """Return the bytes of a file; see ``Layout``."""
        yield b'{\n  "metadata": ' + heads[0] + b',\n  "current_conversation": '
        yield from shown[0](4) if shown else [b"[]"]
        yield b',\n  "recent_conversations": ' + heads[1]
        yield b',\n  "summarized_conversations": ' + heads[2]
        yield b',\n  "unabridged": '
        yield from hidden
        yield b"\n}\n"

    def read(self, data: bytes) -> ParsedFile:
        """Parse a file; see ``Layout``."""
        file = msgspec.json.decode(data, type=_ModelFile)
        heads = [file.metadata, file.recent_conversations, file.summarized_conversations]
        hidden = None if file.unabridged is msgspec.UNSET else file.unabridged
        return ParsedFile([bytes(head) for head in heads], [file.current_conversation], hidden)


def _model_of(head: LayoutHeader, /) -> str:
    return shown(head.space.model or next((one.model for one in head.sessions if one.model), ""))


def _summary(told: RenderedText) -> bytes:
    return one_line(
        {
            "summary": shown(told.summary),
            "exchange_count": told.exchanges,
            "total_tokens": told.tokens,
            "date_range": f"{told.first} to {told.last}",
        }
    )
