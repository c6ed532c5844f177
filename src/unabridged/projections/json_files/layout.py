"""The base of layouts: the fields of a file, and exchanges in them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

import msgspec

from unabridged.domain.exchange import Exchange
from unabridged.domain.scope import SpaceId
from unabridged.projections.json_files.fields import HiddenPart
from unabridged.projections.json_files.session_json import SessionJson


@dataclass(frozen=True, slots=True)
class JsonTurn:
    """An exchange as the seed's fields show it.

    Attributes:
        user: The user's text.
        answer: The answer's text; empty for none.
        at: The time, if the file has it.
        model: The model, if the file has it.
    """

    user: str
    answer: str
    at: datetime | None = None
    model: str = ""


@dataclass(frozen=True, slots=True)
class ShownSession:
    """A session as the seed's fields show it.

    Attributes:
        values: Its turns, as JSON.
        place: Their place in the file: ``$.sessions[0].messages``.
        id: The session's id; None if the layout relies on the order.
        title: Its title, if the layout allows editing it.
        created: When it began, if the file has it.
        model: Its model, if the file has it.
    """

    values: list[msgspec.Raw] = field(default_factory=list)
    place: str = "$"
    id: str | None = None
    title: str | None = None
    created: datetime | None = None
    model: str = ""


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """A file, parsed.

    Attributes:
        heads: The values derived from the rest.
        conversations: The sessions that the seed's fields show.
        hidden: The content of ``unabridged``; None if that is missing.
    """

    heads: list[bytes]
    conversations: list[ShownSession]
    hidden: HiddenPart | None


@dataclass(frozen=True, slots=True)
class FileFacts:
    """The head of a file.

    Attributes:
        space: The space.
        sessions: The sessions, the newest first.
        summaries: Summaries of sessions by id.
        window: Tokens of the model's window, or None if unknown.
    """

    space: SpaceId
    sessions: Sequence[SessionJson]
    summaries: Mapping[str, str]
    window: int | None


class Layout(Protocol):
    """One layout of files."""

    splits: bool
    """Whether the answer is a separate value, which is missing without an answer."""
    shows: int
    """How many of the newest active sessions have exchanges in the seed's fields."""
    shows_records: bool
    """Whether the seed's fields show contexts, condensations and archived sessions."""
    indent: int
    """The indent of the values that show exchanges."""

    def write(self, exchange: Exchange, complexity: float | None, /) -> list[bytes]:
        """Return the values that show an exchange in the seed's fields."""
        ...

    def heads(self, facts: FileFacts, /) -> list[bytes]:
        """Return the values derived from the rest."""
        ...

    def fields(self, heads: Sequence[bytes], shown: Sequence[bytes], /) -> dict[str, bytes]:
        """Return the seed's fields of a file, in their order."""
        ...

    def parse(self, data: bytes, /) -> ParsedFile:
        """Parse a file.

        Raises:
            ValueError: It has another layout.
        """
        ...

    def turns(self, values: Sequence[bytes | msgspec.Raw], place: str, /) -> list[JsonTurn]:
        """Read values that show exchanges.

        Args:
            values: The values, as JSON.
            place: Their place in the file, for errors.

        Raises:
            ValueError: They have another layout.
        """
        ...
