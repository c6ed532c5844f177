"""What a layout is: how a file looks to a person, and where its parts are in it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import msgspec

from unabridged.domain.scope import SpaceId
from unabridged.domain.session import Session
from unabridged.projections.json_files.exchange_json import ExchangeStyle
from unabridged.projections.json_files.fields import one_line

EVERY = 1 << 30
"""More sessions than anybody has."""
Raws = list[msgspec.Raw]
Shown = Callable[[int], Sequence[bytes]]
"""Returns the exchanges of a session as a list with the given indent, in pieces."""


@dataclass(frozen=True, slots=True)
class RenderedText:
    """What the head of a file says of a session.

    Attributes:
        session: Its header.
        summary: What was said in it, in a few words.
        exchanges: Exchanges in it.
        tokens: Their tokens.
        first: The date of the oldest.
        last: The date of the newest.
        model: The model that answered last.
    """

    session: Session
    summary: str
    exchanges: int
    tokens: int
    first: str
    last: str
    model: str


@dataclass(frozen=True, slots=True)
class LayoutHeader:
    """What a file says at its beginning.

    Attributes:
        space: Whose memory it is.
        sessions: The sessions, the newest first.
        window: Tokens of the model's window, or None if it is not known.
    """

    space: SpaceId
    sessions: Sequence[RenderedText]
    window: int | None


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """A file, parsed.

    Attributes:
        heads: The values that are made from the rest, as they are in the file.
        shown: The exchanges of sessions in the seed's fields, session by session.
        hidden: What is under ``unabridged``; None if that is missing.
    """

    heads: list[bytes]
    shown: list[Raws]
    hidden: msgspec.Raw | None


class Layout(ExchangeStyle, Protocol):
    """How files of one layout look."""

    shows: int
    """Of how many active sessions, from the newest, the seed's fields hold exchanges."""
    shows_records: bool
    """Whether the seed's fields tell of contexts, condensations and archived sessions."""

    def heads(self, head: LayoutHeader, /) -> list[bytes]:
        """Return the values that are made from the rest."""
        ...

    def render(
        self, heads: Sequence[bytes], shown: Sequence[Shown], hidden: Sequence[bytes], /
    ) -> Iterator[bytes]:
        """Return the bytes of a file, piece by piece."""
        ...

    def read(self, data: bytes) -> ParsedFile:
        """Parse a file.

        Raises:
            ValueError: It is not laid out like that.
        """
        ...


def block(values: Sequence[bytes], indent: int) -> bytes:
    """Write a list, one value a line."""
    if not values:
        return b"[]"
    pad = b"\n" + b" " * indent
    return b"[" + pad + (b"," + pad).join(values) + pad[:-2] + b"]"


def lines(fields: Mapping[str, Any], indent: int) -> bytes:
    """Write an object, one field a line."""
    pad = b"\n" + b" " * indent
    told = [one_line(name) + b": " + one_line(value) for name, value in fields.items()]
    return b"{" + pad + (b"," + pad).join(told) + pad[:-2] + b"}"


def text(value: Any, name: str) -> str:
    """Return a value that must be a text.

    Raises:
        TypeError: It is none.
    """
    if not isinstance(value, str):
        raise TypeError(f"{name} is no text")
    return value
