"""One file for each agent and session: Dana."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from unabridged.domain.exchange import Exchange
from unabridged.projections.json_files.fields import said, shown
from unabridged.projections.json_files.layout import (
    LayoutHeader,
    ParsedFile,
    Raws,
    Shown,
    lines,
    text,
)


class _AgentFile(msgspec.Struct, forbid_unknown_fields=True):
    metadata: msgspec.Raw
    history: Raws
    unabridged: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


class AgentLayout:
    """``chats/{agent}_{session}_conversation.json``: Dana's, which names the file and its history.

    Its page gives no fields; those of a turn are the ones its ``add_turn`` speaks of.
    """

    splits = False
    shows = 1
    shows_records = False

    def dress(self, exchange: Exchange, _complexity: float | None, /) -> list[Any]:
        """Return the values that show an exchange; see ``ExchangeStyle``."""
        user, answer = said(exchange)
        turn = {"user_input": shown(user), "agent_response": shown(answer or "")}
        return [{**turn, "timestamp": exchange.at.isoformat()}]

    def style(self, value: Any) -> bytes:
        """Write such a value; see ``ExchangeStyle``."""
        return lines(value, 6)

    def texts(self, values: Sequence[Any]) -> tuple[str, str | None]:
        """Read the two texts; see ``ExchangeStyle``."""
        [value] = values
        return tuple(text(value[name], name) for name in ("user_input", "agent_response"))  # type: ignore[return-value]  # two of them

    def heads(self, head: LayoutHeader, /) -> list[bytes]:
        """Return what is made from the rest; see ``Layout``."""
        metadata: dict[str, Any] = {"agent": head.space.agent}
        for one in head.sessions[:1]:
            metadata["session_id"] = shown(one.session.id)
            metadata["title"] = shown(one.session.title)
            metadata["created"] = one.session.created.isoformat()
            metadata["last_updated"] = one.session.updated.isoformat()
            metadata["turns"] = one.exchanges
            metadata["total_tokens"] = one.tokens
        return [lines(metadata, 4)]

    def render(
        self, heads: Sequence[bytes], shown: Sequence[Shown], hidden: Sequence[bytes], /
    ) -> Iterator[bytes]:
        """Return the bytes of a file; see ``Layout``."""
        yield b'{\n  "metadata": ' + heads[0] + b',\n  "history": '
        yield from shown[0](4) if shown else [b"[]"]
        yield b',\n  "unabridged": '
        yield from hidden
        yield b"\n}\n"

    def read(self, data: bytes) -> ParsedFile:
        """Parse a file; see ``Layout``."""
        file = msgspec.json.decode(data, type=_AgentFile)
        hidden = None if file.unabridged is msgspec.UNSET else file.unabridged
        return ParsedFile([bytes(file.metadata)], [file.history], hidden)
