"""Rights, and what an API key grants."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


class Right(StrEnum):
    """A right that a key may grant."""

    CHAT = "chat"
    """Chat with the model through the dialects, with memory."""
    READ = "read"
    """Read memory over HTTP and MCP."""
    WRITE = "write"
    """Record, correct, pin, condense, import."""
    FORGET = "forget"
    """Forget."""


ALL_RIGHTS = frozenset(Right)


@dataclass(frozen=True, slots=True)
class Grant:
    """What a request may do, and whose memory it may use.

    If a field of the scope is None, the request may choose it with a header. If it is set, the request
    reaches nothing else.

    Attributes:
        name: What people call the key: its name, ``token`` or ``loopback``.
        user: The only user, or None for any.
        agent: The only agent, or None for any.
        session: The only session that is written, listed, shown and recalled from, or None for
            any; with one, facts and pins of the whole memory are not available either.
        rights: Its rights.
        expires: When it expires, or None.
        profile: The profile under which it is served; empty for that of the server.
        names_users: Whether requests may name a user other than that of the settings.
        id: The id of the key, for the audit log; empty for what is no key.
    """

    name: str
    user: str | None = None
    agent: str | None = None
    session: str | None = None
    rights: frozenset[Right] = ALL_RIGHTS
    expires: datetime | None = None
    profile: str = ""
    names_users: bool = True
    id: str = ""

    @property
    def is_narrow(self) -> bool:
        """Whether it reaches one user, agent or session only."""
        return not self.user is self.agent is self.session is None


@dataclass(frozen=True, slots=True)
class AccessKey:
    """One API key as it is stored: never the key itself.

    Attributes:
        id: Its id in lists and for revoking; the key begins with it.
        digest: The SHA-256 of the key, hexadecimal.
        created: When it was made.
        revoked: When it was revoked, or None.
        used: When it was last used, approximately, or None.
    """

    id: str
    grant: Grant
    digest: str = field(repr=False)
    created: datetime
    revoked: datetime | None = None
    used: datetime | None = None

    def usable(self, now: datetime) -> bool:
        """Return whether it is valid now."""
        ends = self.grant.expires
        return self.revoked is None and (ends is None or now < ends)

    def state(self, now: datetime) -> str:
        """``valid``, ``expired`` or ``revoked``."""
        if self.revoked is not None:
            return "revoked"
        return "valid" if self.usable(now) else "expired"
