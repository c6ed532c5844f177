"""What is due after recording, where no server does it: messages judged, facts drawn, condensed."""

from collections.abc import Callable, Iterator

import anyio
import anyio.lowlevel
from anyio import to_thread

from unabridged.domain.scope import Scope
from unabridged.errors import UnabridgedError
from unabridged.wiring import Memory
from unabridged.wiring.lanes import Lanes

PAGES = 1
"""Pages of each kind that are done at once; the memory is let go between two steps."""


class Tender:
    """Does what is due, step by step; calls of tools come between two steps.

    Nothing is lost where it ends early: what is due follows from what is stored.

    Args:
        lanes: The open memories.
        scope: Whose memory.
        failed: Told what went wrong.
    """

    def __init__(self, lanes: Lanes, scope: Scope, failed: Callable[[Exception], None]) -> None:
        self._lanes = lanes
        self._scope = scope
        self._failed = failed
        self._due = anyio.Event()

    def soon(self, _: Scope) -> None:
        """Note that something was recorded."""
        self._due.set()

    async def work(self) -> None:
        """Work until cancelled."""
        while True:
            await self._due.wait()
            self._due = anyio.Event()
            steps: list[Iterator[object]] = []
            try:
                while await to_thread.run_sync(self._step, steps):
                    await anyio.lowlevel.checkpoint()
            except UnabridgedError as error:
                self._failed(error)

    def _step(self, steps: list[Iterator[object]]) -> bool:
        """Do one step; whether there are more."""
        with self._lanes.hold(self._scope) as memory:
            if not steps:
                steps.append(_due(memory))
            return next(steps[0], None) is not None


def _due(memory: Memory) -> Iterator[object]:
    yield from memory.enrich()
    yield from memory.tend(PAGES)
