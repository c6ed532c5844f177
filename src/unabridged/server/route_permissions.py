"""The permissions of every route, as one table. A route without a row is not served."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from starlette.routing import BaseRoute, compile_path

from unabridged.domain.permissions import Right
from unabridged.errors import NotFoundError
from unabridged.operations import TABLE


class Door(StrEnum):
    """What a route requires."""

    OPEN = "open"
    """Nothing; the route reveals nothing about users."""
    DIALECT = "dialect"
    """A key; while no keys exist none on the loopback, for those whom ``Loopback`` lets in."""
    MEMORY = "memory"
    """A key, or the token that the first start makes."""


@dataclass(frozen=True, slots=True)
class PermissionRule:
    """One row: a path with its methods, and what a request needs for it.

    Attributes:
        path: The path; one that ends in ``/`` includes all below it, ``/`` alone only itself.
        methods: The methods, or empty for all.
        door: What it requires.
        right: The required right, or None if the handler checks it.
        all_users: Whether it shows something of all users, so that a key for one does not open it.
    """

    path: str
    door: Door
    right: Right | None = None
    methods: frozenset[str] = frozenset()
    all_users: bool = False

    def fits(self, method: str, path: str) -> bool:
        """Return whether the row applies to a request."""
        below = self.path != "/" and self.path.endswith("/") and path.startswith(self.path)
        return (below or path == self.path) and (not self.methods or method in self.methods)


_READING = frozenset({"GET", "HEAD"})

_ANSWERS = "chat generate tags show ps version embed embeddings".split()
"""The part of Ollama's interface that every client needs; the rest changes the server's models."""

RULES: tuple[PermissionRule, ...] = (
    PermissionRule("/", Door.OPEN, methods=_READING),
    PermissionRule("/healthz", Door.OPEN),
    PermissionRule("/readyz", Door.OPEN),
    PermissionRule("/metrics", Door.MEMORY, Right.READ, all_users=True),
    *(PermissionRule(f"/api/{name}", Door.DIALECT, Right.CHAT) for name in _ANSWERS),
    PermissionRule("/api/", Door.DIALECT, Right.WRITE),
    PermissionRule("/v1/", Door.DIALECT, Right.CHAT),
    PermissionRule("/memory/", Door.MEMORY, Right.READ, _READING),
    PermissionRule("/memory/", Door.MEMORY, Right.WRITE),
    PermissionRule("/mcp", Door.MEMORY, Right.READ),
)
"""The rows; the first match applies. Operations have their rights in their own table."""

_OPERATIONS = tuple((compile_path(f"/memory{each.path}")[0], each) for each in TABLE)


def rule_for(method: str, path: str) -> PermissionRule:
    """Return the row for a request.

    Raises:
        NotFoundError: There is none.
    """
    verb = "GET" if method == "HEAD" else method
    for pattern, operation in _OPERATIONS:
        if operation.method == verb and pattern.match(path):
            return PermissionRule(path, Door.MEMORY, operation.right)
    for rule in RULES:
        if rule.fits(method, path):
            return rule
    raise NotFoundError(f"There is no route {path}.", hint="/memory/openapi.json lists the routes.")


def unruled(routes: Iterable[BaseRoute]) -> list[str]:
    """Return the routes without a row; a server with any does not start."""
    missing = []
    for route in routes:
        path, methods = getattr(route, "path", ""), getattr(route, "methods", None)
        for method in methods or {"GET"}:
            try:
                rule_for(method, path)
            except NotFoundError:
                missing.append(f"{method} {path}")
    return missing
