"""Scope and space: whose memory it is, and what is kept apart."""

from dataclasses import dataclass

DEFAULT_NAME = "default"
NAME_LENGTH = 200
"""The most characters of a user, agent or model name."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Whose memory it is.

    Attributes:
        user: The person.
        agent: The assistant or program.
        model: The model; recorded with each exchange, and part of the space only where
            ``isolation`` names it.
        session: The conversation, or None for the newest.
        profile: The profile whose settings apply; empty for the usual ones.
    """

    user: str = DEFAULT_NAME
    agent: str = DEFAULT_NAME
    model: str | None = None
    session: str | None = None
    profile: str = ""


ISOLATION_FIELDS = ("user", "agent", "model")
DEFAULT_ISOLATION = ("user", "agent")


@dataclass(frozen=True, slots=True, order=True)
class SpaceId:
    """The unit of isolation and of storage: the fields of a scope that ``isolation`` names.

    A field that isolation does not name is empty.
    """

    user: str = DEFAULT_NAME
    agent: str = DEFAULT_NAME
    model: str = ""

    @property
    def name(self) -> str:
        """The space as people write it: ``user/agent`` or ``user/agent/model``."""
        return "/".join(part for part in (self.user, self.agent, self.model) if part)


def space_id(scope: Scope, isolation: tuple[str, ...] = DEFAULT_ISOLATION) -> SpaceId:
    """Return the space of a scope.

    Raises:
        ValueError: Isolation names an unknown field, or a name is empty, too long or
            holds control characters.
    """
    unknown = set(isolation) - set(ISOLATION_FIELDS)
    if unknown:
        raise ValueError(f"isolation takes {', '.join(ISOLATION_FIELDS)}; not {sorted(unknown)}")
    fields = {"user": scope.user, "agent": scope.agent, "model": scope.model or ""}
    kept = {name: value if name in isolation else "" for name, value in fields.items()}
    for name, value in kept.items():
        check_name(name, value, required=name in isolation)
    return SpaceId(**kept)


def check_name(field: str, value: str, *, required: bool = True) -> None:
    """Check a name for a scope field. A name is never used as a path unchanged.

    Raises:
        ValueError: The name is empty, too long, or holds control characters or surrogates.
    """
    if required and not value.strip():
        raise ValueError(f"the {field} name is empty")
    if len(value) > NAME_LENGTH:
        raise ValueError(f"the {field} name has {len(value)} characters; {NAME_LENGTH} are allowed")
    if any(not char.isprintable() for char in value):
        raise ValueError(f"the {field} name contains control characters")
