"""Lanes: the open memories of one process, one for each space, each used by one thread at a time."""

import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from unabridged.clock import SystemClock
from unabridged.config.agents import ByAgent
from unabridged.domain.scope import Scope, Space
from unabridged.domain.settings import Settings
from unabridged.errors import StoreClosedError
from unabridged.ports import Clock
from unabridged.wiring.adapters import space_from
from unabridged.wiring.opening import Memory
from unabridged.wiring.sharing import Shares

MOST = 64
"""Memories that stay open; the one that was used longest ago is closed first."""


class _Lane:
    """One space: its memory, once it is open, and the lock that lets one thread in."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.memory: Memory | None = None
        self.users = 0


class Lanes:
    """The memories that one process has open.

    Args:
        settings: Every choice; user, agent and model come from each scope.
        clock: The time and fresh ids; None for the machine's.
        agents: The settings of each agent; None where all have the same.
        most: Memories that stay open at once.
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
        self._most = most
        self._lanes: OrderedDict[tuple[str, Space], _Lane] = OrderedDict()
        self._guard = threading.Lock()
        self._closed = False

    @contextmanager
    def hold(self, scope: Scope, *, begins: bool = True) -> Iterator[Memory]:
        """Open the memory that a scope falls into, and keep every other thread out of it.

        Args:
            scope: Whose memory; its session is of no account.
            begins: Whether a space that is not there is begun; for who only looks an empty one
                stands for it, this once.

        Raises:
            NameRefusedError: A name in the scope cannot be used.
            SettingError: A setting of its agent or profile cannot be used.
            StoreClosedError: The lanes are closed.
            StoreError: The space cannot be opened.
        """
        settings = self._settings_of(scope)
        lane = self._enter((scope.profile, space_from(scope, settings)))
        try:
            with lane.lock:
                if self._closed:  # while this one waited for its turn
                    raise _ending()
                if lane.memory is None:
                    lane.memory = Memory.open(settings=settings, clock=self.clock, begins=begins)
                try:
                    yield lane.memory
                finally:
                    if lane.memory.stands_in:
                        lane.memory.close()
                        lane.memory = None
        finally:
            self._leave(lane)

    def open_spaces(self) -> list[Space]:
        """The spaces whose memories are open, the most recently used last."""
        with self._guard:
            held = [space for (_, space), lane in self._lanes.items() if lane.memory is not None]
            return list(dict.fromkeys(held))

    def close(self) -> None:
        """Close every memory, each when its last user leaves it; a second call does nothing."""
        with self._guard:
            self._closed = True
            lanes = list(self._lanes.values())
            self._lanes.clear()
        for lane in lanes:
            _close(lane)

    def shares(self, memory: Memory, profile: str = "") -> Shares:
        """What an open memory shares with the other spaces of the home, under the same profile."""
        return Shares(memory.settings, self._agents, self.clock, profile=profile)

    def settings_of(self, agent: str, profile: str = "") -> Settings:
        """Give the settings that an agent has under a profile.

        Raises:
            SettingError: There is no such profile, or something in it cannot be used.
        """
        return self._agents.of(agent, profile)

    def _settings_of(self, scope: Scope) -> Settings:
        """The settings of a scope, with those that its agent has of its own.

        What is recorded is written at once, whatever they say: clients that were answered take it
        for kept, and nobody is there to save it.
        """
        chosen = self.settings_of(scope.agent, scope.profile)
        named = replace(chosen, user=scope.user, auto_save=True)
        return replace(named, model=scope.model) if scope.model else named

    def _enter(self, space: tuple[str, Space]) -> _Lane:
        with self._guard:
            if self._closed:
                raise _ending()
            lane = self._lanes.setdefault(space, _Lane())
            self._lanes.move_to_end(space)
            lane.users += 1
            return lane

    def _leave(self, lane: _Lane) -> None:
        idle: list[_Lane] = []
        with self._guard:
            lane.users -= 1
            for space, other in list(self._lanes.items()):
                if len(self._lanes) <= self._most:
                    break
                if other.users == 0:
                    idle.append(self._lanes.pop(space))
        for other in idle:
            _close(other)


def _ending() -> StoreClosedError:
    return StoreClosedError("The server is ending.", hint="Ask again in a moment.")


def _close(lane: _Lane) -> None:
    with lane.lock:
        memory, lane.memory = lane.memory, None
        if memory is not None:
            memory.close()
