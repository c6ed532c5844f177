"""What is due after recording, where no server does it: messages judged, facts drawn, condensed."""

from collections.abc import Callable, Iterator

import anyio
import anyio.lowlevel
from anyio import to_thread

from unabridged.domain.scope import Scope
from unabridged.errors import UnabridgedError
from unabridged.factory.space_pool import SpacePool
from unabridged.space.space import Space

PAGES = 1
"""Pages of each kind that are done at once; calls of tools come between two steps."""


class LaterWork:
    """Does what is due, step by step; calls of tools come between two steps.

    Nothing is lost where it ends early: what is due follows from what is stored.

    Args:
        pool: The open spaces.
        scope: Whose memory.
        failed: Told what went wrong.
    """

    def __init__(self, pool: SpacePool, scope: Scope, failed: Callable[[Exception], None]) -> None:
        self._pool = pool
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
        with self._pool.use(self._scope) as space:
            if not steps:
                steps.append(_due(space))
            return next(steps[0], None) is not None


def _due(space: Space) -> Iterator[object]:
    yield from space.maintenance.embed()
    newest = space.sessions.newest()
    yield from space.maintenance.run(
        newest.id if newest else None, pages=PAGES, threshold=space.contexts.last_memory()
    )
