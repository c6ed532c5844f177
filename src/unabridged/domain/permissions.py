"""Who may do what through the server: rights, and what a key grants."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


class Right(StrEnum):
    """One kind of thing that a key may allow."""

    CHAT = "chat"
    """Talk to the model through the two dialects, with memory."""
    READ = "read"
    """Look things up in memory: over HTTP and MCP."""
    WRITE = "write"
    """Record, correct, pin, condense, import."""
    FORGET = "forget"
    """Remove for good."""


ALL_RIGHTS = frozenset(Right)


@dataclass(frozen=True, slots=True)
class Grant:
    """What a request may do, and whose memory it may reach.

    A field of the scope that is None is free: the request may name it by a header. One that is set
    is the only one that the request reaches.

    Attributes:
        name: What people call the key: its name, ``token`` or ``loopback``.
        user: The only user, or None for any.
        agent: The only agent, or None for any.
        session: The only session that is written, listed, shown and recalled from, or None for
            any; with one, nothing that the whole memory knows (facts, pins) is told either.
        rights: What it allows.
        expires: When it ends, or None.
        profile: The profile under which it is served; empty for that of the server.
    """

    name: str
    user: str | None = None
    agent: str | None = None
    session: str | None = None
    rights: frozenset[Right] = ALL_RIGHTS
    expires: datetime | None = None
    profile: str = ""


@dataclass(frozen=True, slots=True)
class AccessKey:
    """One API key as it is kept: never the key itself.

    Attributes:
        id: By what it is listed and revoked; the key begins with it.
        digest: The SHA-256 of the key, hexadecimal.
        created: When it was made.
        revoked: When it was revoked, or None.
        used: About when it was last used, or None.
    """

    id: str
    grant: Grant
    digest: str = field(repr=False)
    created: datetime
    revoked: datetime | None = None
    used: datetime | None = None

    def usable(self, now: datetime) -> bool:
        """Whether it opens anything now."""
        ends = self.grant.expires
        return self.revoked is None and (ends is None or now < ends)

    def state(self, now: datetime) -> str:
        """``valid``, ``expired`` or ``revoked``."""
        if self.revoked is not None:
            return "revoked"
        return "valid" if self.usable(now) else "expired"
