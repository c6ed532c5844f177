"""One file for each user: ReqVIBE."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from unabridged.domain.exchange import Exchange
from unabridged.projections.json_files.fields import one_line, said, shown
from unabridged.projections.json_files.layout import (
    EVERY,
    LayoutHeader,
    ParsedFile,
    Raws,
    Shown,
    text,
)


class _UserSession(msgspec.Struct, forbid_unknown_fields=True):
    id: msgspec.Raw
    messages: Raws
    title: msgspec.Raw
    created_at: msgspec.Raw
    model: msgspec.Raw


class _UserFile(msgspec.Struct, forbid_unknown_fields=True):
    sessions: list[_UserSession]
    unabridged: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


_USER_HEAD = ("id", "title", "created_at", "model")


class UserLayout:
    """``conversations/{user}/sessions.json``: ReqVIBE's (its "Data Format")."""

    splits = True
    shows = EVERY
    shows_records = False

    def dress(self, exchange: Exchange, _complexity: float | None, /) -> list[Any]:
        """Return the values that show an exchange; see ``ExchangeStyle``."""
        user, answer = said(exchange)
        asked = {"role": "user", "content": shown(user)}
        if answer is None:
            return [asked]
        return [asked, {"role": "assistant", "content": shown(answer)}]

    def style(self, value: Any) -> bytes:
        """Write such a value; see ``ExchangeStyle``."""
        return one_line(value)

    def texts(self, values: Sequence[Any]) -> tuple[str, str | None]:
        """Read the two texts; see ``ExchangeStyle``."""
        for value, role in zip(values, ("user", "assistant"), strict=False):
            if value["role"] != role:
                raise ValueError(f"a message of the role {value['role']!r}")
        user, *answer = (text(value["content"], "content") for value in values)
        return user, answer[0] if answer else None

    def heads(self, head: LayoutHeader, /) -> list[bytes]:
        """Return what is made from the rest; see ``Layout``."""
        return [
            one_line(
                {
                    "id": shown(one.session.id),
                    "title": shown(one.session.title),
                    "created_at": one.session.created.isoformat(),
                    "model": shown(one.model),
                }
            )
            for one in head.sessions
            if one.session.archived is None
        ]

    def render(
        self, heads: Sequence[bytes], shown: Sequence[Shown], hidden: Sequence[bytes], /
    ) -> Iterator[bytes]:
        """Return the bytes of a file; see ``Layout``."""
        yield b'{\n  "sessions": ['
        for place, (head, messages) in enumerate(zip(heads, shown, strict=True)):
            data = msgspec.json.decode(head)
            first, *rest = (one_line(name) + b": " + one_line(data[name]) for name in _USER_HEAD)
            yield b"," * (place > 0) + b"\n    {\n      " + first + b',\n      "messages": '
            yield from messages(8)
            yield b"".join(b",\n      " + each for each in rest) + b"\n    }"
        yield b"\n  " * bool(heads) + b'],\n  "unabridged": '
        yield from hidden
        yield b"\n}\n"

    def read(self, data: bytes) -> ParsedFile:
        """Parse a file; see ``Layout``."""
        file = msgspec.json.decode(data, type=_UserFile)
        heads = [
            b"{" + b",".join(b'"%s":%s' % (n.encode(), bytes(getattr(one, n))) for n in _USER_HEAD)
            + b"}"
            for one in file.sessions
        ]  # fmt: skip
        hidden = None if file.unabridged is msgspec.UNSET else file.unabridged
        return ParsedFile(heads, [one.messages for one in file.sessions], hidden)
