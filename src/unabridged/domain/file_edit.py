"""Edits that a person made by hand in a readable file, one for each exchange."""

from dataclasses import dataclass
from enum import StrEnum


class EditKind(StrEnum):
    """What happened to an exchange."""

    EDITED = "edited"
    ADDED = "added"
    REMOVED = "removed"
    TITLE = "title"
    """The title of a session was changed; ``user`` holds both."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One change.

    Attributes:
        session: The title of the session, or its id.
        place: The position of the exchange in the session, from 1.
        user: The user's text before and after; empty if there is none.
        answer: The answer's text, likewise.
    """

    kind: EditKind
    session: str
    place: int
    user: tuple[str, str] = ("", "")
    answer: tuple[str, str] = ("", "")


@dataclass(frozen=True, slots=True)
class Adoption:
    """What adopting a file does.

    Attributes:
        space: Its space.
        edits: What was changed, in the order of the file.
        notes: Further messages to a person.
        sound: Whether the file is unchanged, so that there is nothing to do.
    """

    path: str
    space: str
    edits: tuple[Edit, ...] = ()
    notes: tuple[str, ...] = ()
    sound: bool = False
