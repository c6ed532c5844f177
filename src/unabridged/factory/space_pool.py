"""The open spaces of one process: each is opened once, and shared by every thread."""

import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from unabridged.clock import SystemClock
from unabridged.config.agent_settings import ByAgent
from unabridged.domain.scope import Scope, SpaceId
from unabridged.domain.settings import Settings
from unabridged.errors import StoreClosedError
from unabridged.factory.open_memory import open_space
from unabridged.factory.sharing import SpaceShares
from unabridged.home.audit_log import AuditLog
from unabridged.home.open_spaces import space_from
from unabridged.ports import Clock
from unabridged.space.space import Space

MOST = 64
"""Spaces to keep open; the least recently used one is closed first."""


class _Entry:
    """One space, once it is open, with the number of its users."""

    def __init__(self) -> None:
        self.opening = threading.Lock()
        self.space: Space | None = None
        self.users = 0


class SpacePool:
    """The open spaces of one process.

    Nothing is locked while a space is used: any number of threads share it.

    Args:
        settings: The settings; user, agent and model come from each scope.
        agents: The settings of each agent; None if all have the same.
        most: Spaces to keep open.

    Attributes:
        audit: The audit log of the home.
    """

    def __init__(
        self,
        settings: Settings,
        clock: Clock | None = None,
        *,
        agents: ByAgent | None = None,
        most: int = MOST,
    ) -> None:
        self.settings = settings
        self._agents = agents or ByAgent(settings, {})
        self.clock = clock or SystemClock()
        self.audit = AuditLog(settings, self.clock)
        self._most = most
        self._entries: OrderedDict[tuple[str, SpaceId], _Entry] = OrderedDict()
        self._retired: list[_Entry] = []
        self._guard = threading.Lock()
        self._closed = False

    @contextmanager
    def use(self, scope: Scope, *, create: bool = True) -> Iterator[Space]:
        """Open the space of a scope, and keep it open.

        Args:
            scope: The scope; its session is ignored.
            create: Whether to begin a space that does not exist; else an empty one represents it,
                for this call.

        Raises:
            NameRefusedError: A name in the scope is not accepted.
            SettingError: A setting of its agent or profile is not valid.
            StoreClosedError: The pool is closed.
            StoreError: The space cannot be opened.
        """
        settings = self._settings_of(scope)
        entry = self._enter((scope.profile, space_from(scope, settings)))
        empty: Space | None = None
        try:
            with entry.opening:
                if self._closed:  # while this one waited
                    raise _ending()
                if entry.space is None:
                    opened = open_space(settings, self.clock, create=create)
                    if opened.is_placeholder:
                        empty = opened
                    else:
                        entry.space = opened
                space = empty or entry.space
            if space is None:
                raise AssertionError("opened above")
            yield space
        finally:
            if empty is not None:
                empty.close()
            self._leave(entry)

    def open_spaces(self) -> list[SpaceId]:
        """Return the open spaces, the most recently used last."""
        with self._guard:
            open_ones = [name for (_, name), one in self._entries.items() if one.space is not None]
            return list(dict.fromkeys(open_ones))

    def close(self) -> None:
        """Close every space after its last user; a second call does nothing."""
        with self._guard:
            self._closed = True
            entries = list(self._entries.values())
            self._entries.clear()
            self._retired += [entry for entry in entries if entry.users]
        for entry in entries:
            if not entry.users:
                _close(entry)
        self.audit.close()

    def shares(self, space: Space, profile: str = "") -> SpaceShares:
        """Return what an open space shares with the others of the home, under the same profile."""
        return SpaceShares(space.settings, self._agents, self.clock, profile=profile)

    def settings_of(self, agent: str, profile: str = "") -> Settings:
        """Return the settings that an agent has under a profile.

        Raises:
            SettingError: There is no such profile, or it is not valid.
        """
        return self._agents.of(agent, profile)

    def _settings_of(self, scope: Scope) -> Settings:
        chosen = self.settings_of(scope.agent, scope.profile)
        named = replace(chosen, user=scope.user, auto_save=True)
        return replace(named, model=scope.model) if scope.model else named

    def _enter(self, name: tuple[str, SpaceId]) -> _Entry:
        with self._guard:
            if self._closed:
                raise _ending()
            entry = self._entries.setdefault(name, _Entry())
            self._entries.move_to_end(name)
            entry.users += 1
            return entry

    def _leave(self, entry: _Entry) -> None:
        unused: list[_Entry] = []
        with self._guard:
            entry.users -= 1
            if entry in self._retired and not entry.users:
                self._retired.remove(entry)
                unused.append(entry)
            for name, other in list(self._entries.items()):
                if len(self._entries) <= self._most:
                    break
                if other.users == 0:
                    unused.append(self._entries.pop(name))
        for other in unused:
            _close(other)


def _ending() -> StoreClosedError:
    return StoreClosedError("The server is shutting down.", hint="Try again in a moment.")


def _close(entry: _Entry) -> None:
    with entry.opening:
        space, entry.space = entry.space, None
        if space is not None:
            space.close()
