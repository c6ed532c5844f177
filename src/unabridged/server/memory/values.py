"""Values that only the routes under ``/memory`` give."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class SpaceLine:
    """A space in a list.

    Attributes:
        name: The space as people write it.
        user: The user; empty where the settings keep all users together.
        agent: The agent; empty likewise.
        model: The model; empty where models are not kept apart.
        sessions: Sessions in it.
        exchanges: Exchanges in it.
        bytes: Its size on disk.
        damaged: What is wrong with it, in words; empty for a sound one.
    """

    name: str
    user: str
    agent: str
    model: str
    sessions: int
    exchanges: int
    bytes: int
    damaged: str = ""


@dataclass(frozen=True, slots=True)
class SessionView:
    """A session.

    Attributes:
        id: Its id.
        title: What people call it.
        created: When it was begun.
        updated: When it was last written to.
        head: The id of the newest message on its current path, or null while it is empty.
        source: Where it came from.
        foreign_id: The id that it had there.
        archived: When it was moved out of the active set, or null.
        exchanges: Exchanges of all its branches.
    """

    id: str
    title: str
    created: datetime
    updated: datetime
    head: str | None
    source: str
    foreign_id: str | None
    archived: datetime | None
    exchanges: int
