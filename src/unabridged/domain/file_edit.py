"""What a person changed in a file by hand, exchange by exchange."""

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
        place: The place of the exchange in the session, from 1.
        user: The user's words before and after; empty where there are none.
        answer: The answer's.
    """

    kind: EditKind
    session: str
    place: int
    user: tuple[str, str] = ("", "")
    answer: tuple[str, str] = ("", "")


@dataclass(frozen=True, slots=True)
class Adoption:
    """What taking a file over does.

    Attributes:
        space: The space that it holds.
        edits: What was changed, in the order of the file.
        notes: What else a person should know.
        sound: Whether the file is as it was written, so that there is nothing to do.
    """

    path: str
    space: str
    edits: tuple[Edit, ...] = ()
    notes: tuple[str, ...] = ()
    sound: bool = False
