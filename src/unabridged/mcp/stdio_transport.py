"""MCP over standard input and output: a desktop client starts the process and talks to it."""

from collections.abc import Callable, Iterator

import anyio
import anyio.lowlevel
from anyio import to_thread

from unabridged.clock import SystemClock
from unabridged.domain.permissions import Grant
from unabridged.domain.scope import Scope
from unabridged.domain.settings import Settings
from unabridged.errors import UnabridgedError
from unabridged.factory.adapters import named_for
from unabridged.factory.space_pool import SpacePool
from unabridged.mcp.request_context import Caller, ToolRequests
from unabridged.mcp.server import server_of
from unabridged.operations.maintenance import steps_due
from unabridged.space.space import Space

PAGES = 1
"""Pages of each kind of maintenance at once; calls of tools run between two steps."""


def serve(settings: Settings, failed: Callable[[Exception], None]) -> None:
    """Serve the memory that the settings name, until the client closes standard input.

    Unexpected errors go to ``failed``.

    Raises:
        UnabridgedError: The memory cannot be opened.
    """
    settings = named_for(settings, SystemClock())
    caller = Caller(Scope(settings.user, settings.agent, settings.model or None), Grant("stdio"))
    pool = SpacePool(settings)
    try:
        with pool.use(caller.scope):
            pass  # if it cannot be opened, fail now, not in every answer
        anyio.run(_serve, pool, caller, failed)
    finally:
        pool.close()


async def _serve(pool: SpacePool, caller: Caller, failed: Callable[[Exception], None]) -> None:
    async with anyio.create_task_group() as group:
        tender = _LaterWork(pool, caller.scope, failed)
        group.start_soon(tender.work)
        requests = ToolRequests(pool, lambda _: caller, tender.soon, failed)
        await server_of(requests).run_stdio_async()
        group.cancel_scope.cancel()


class _LaterWork:
    # Does the maintenance that is due after recording, since no server does it. Nothing is lost if
    # it ends early: what is due follows from what is stored.

    def __init__(self, pool: SpacePool, scope: Scope, failed: Callable[[Exception], None]) -> None:
        self._pool = pool
        self._scope = scope
        self._failed = failed
        self._due = anyio.Event()

    def soon(self, _: Scope) -> None:
        self._due.set()

    async def work(self) -> None:
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
    yield from steps_due(space, PAGES)
