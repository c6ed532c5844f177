"""A session: an ordered conversation that branches on edits and regenerated answers."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from unabridged.domain.message import Message
from unabridged.domain.short_repr import quoted, short


@dataclass(frozen=True, slots=True)
class Session:
    """The header of a conversation; its messages are in the log.

    Attributes:
        id: Unique in every space.
        title: What people call it; empty until the first message gives one.
        created: When it began, with a time zone.
        updated: When it was last written to.
        head: The id of the newest message on its current path, or None if it is empty.
        source: Where it came from: ``unabridged``, or the name of an imported format.
        foreign_id: Its id there.
        archived: When it was archived, or None. It is still searched and can be continued; its messages
            are compressed.
    """

    id: str
    title: str
    created: datetime
    updated: datetime
    head: str | None = None
    source: str = "unabridged"
    foreign_id: str | None = None
    archived: datetime | None = None

    def __repr__(self) -> str:  # type: ignore[explicit-override]  # typing.override came with 3.12
        return short(self, self.id, quoted(self.title), f"updated {self.updated:%Y-%m-%d %H:%M}")


TITLE_LENGTH = 60
"""Characters of a title taken from a first message."""


def title_from(text: str) -> str:
    """Make a title from a first message: its first line, whole words, at most 60 characters."""
    line = next((part.strip() for part in text.splitlines() if part.strip()), "")
    line = " ".join(line.split())
    if len(line) <= TITLE_LENGTH:
        return line
    head = line[: TITLE_LENGTH - 1]
    whole = head.rsplit(" ", 1)[0] if " " in head[TITLE_LENGTH // 2 :] else head
    return whole.rstrip(" ,;:.-") + "…"


def bears_title(title: str, lost: Iterable[Message]) -> bool:
    """Return whether a title was made from one of the lost messages."""
    return title != "" and any(title_from(message.text) == title for message in lost)
