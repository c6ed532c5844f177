"""What a layout is: which fields a file has, and how exchanges look in them."""

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
        user: The user's words.
        answer: The answer's; empty for none.
        at: When, if the file says it.
        model: The model, if the file says it.
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
        place: Where they are in the file: ``$.sessions[0].messages``.
        id: The session's id; None if the layout goes by the order.
        title: Its title, if a person can edit it.
        created: When it was begun, if the file says it.
        model: Its model, if the file says it.
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
        heads: The values that are made from the rest.
        conversations: The sessions that the seed's fields show.
        hidden: What is under ``unabridged``; None if that is missing.
    """

    heads: list[bytes]
    conversations: list[ShownSession]
    hidden: HiddenPart | None


@dataclass(frozen=True, slots=True)
class FileFacts:
    """What a file says at its beginning.

    Attributes:
        space: Whose memory it is.
        sessions: The sessions, the newest first.
        summaries: What was said in sessions, by their ids.
        window: Tokens of the model's window, or None if it is not known.
    """

    space: SpaceId
    sessions: Sequence[SessionJson]
    summaries: Mapping[str, str]
    window: int | None


class Layout(Protocol):
    """How files of one layout look."""

    splits: bool
    """Whether the answer is a separate value, which is missing where there is none."""
    shows: int
    """Of how many active sessions, from the newest, the seed's fields hold exchanges."""
    shows_records: bool
    """Whether the seed's fields tell of contexts, condensations and archived sessions."""
    indent: int
    """The indent of the values that show exchanges."""

    def write(self, exchange: Exchange, complexity: float | None, /) -> list[bytes]:
        """Return the values that show an exchange in the seed's fields."""
        ...

    def heads(self, facts: FileFacts, /) -> list[bytes]:
        """Return the values that are made from the rest."""
        ...

    def fields(self, heads: Sequence[bytes], shown: Sequence[bytes], /) -> dict[str, bytes]:
        """Return the seed's fields of a file, in their order."""
        ...

    def parse(self, data: bytes, /) -> ParsedFile:
        """Parse a file.

        Raises:
            ValueError: It is not laid out like that.
        """
        ...

    def turns(self, values: Sequence[bytes | msgspec.Raw], place: str, /) -> list[JsonTurn]:
        """Read values that show exchanges.

        Args:
            values: The values, as JSON.
            place: Where they are in the file, for what is wrong with them.

        Raises:
            ValueError: They are not as they are written.
        """
        ...
